import type { DeviceId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";

export const STATUSES = ["draft", "active", "paused"] as const;
type GeneratorStatus = (typeof STATUSES)[number];

export const PATTERNS = ["random", "walk", "sine", "counter"] as const;
/**
 * Movement of a value between `min` and `max`: anywhere each time, a little from where it was, in waves, or up step by
 * step and from the bottom again.
 */
export type Pattern = (typeof PATTERNS)[number];

export interface Metric {
  readonly key: string;
  readonly min: number;
  readonly max: number;
  /** Decimal places; without them, as many as show about a thousand different values. */
  readonly decimals?: number;
  /** `random` unless given. */
  readonly pattern?: Pattern;
  /** Difference from one value to the next, of a counter and a walk; of a walk on average. */
  readonly step?: number;
  /** Period of waves. */
  readonly periodSeconds?: number;
}

export interface GeneratorConfig {
  readonly intervalSeconds: number;
  readonly metrics: readonly Metric[];
  /** A device of its own is made unless given; empty when all that were named are gone. */
  readonly deviceIds?: readonly DeviceId[];
}

/** Activity since the start of the gateway or of the generator, whichever is later. */
export interface GeneratorActivity {
  readonly readings: number;
  readonly refused: number;
  readonly lastReadingAt: number | null;
  readonly lastError: Text | null;
  readonly lastErrorAt: number | null;
}

/** The devices that a generator sends for. */
export const devicesOf = ({
  config,
  virtualDeviceId,
}: {
  readonly config: GeneratorConfig;
  readonly virtualDeviceId: DeviceId | null;
}): readonly DeviceId[] => config.deviceIds ?? (virtualDeviceId === null ? [] : [virtualDeviceId]);

export const isRunning = ({
  enabled,
  status,
}: {
  readonly enabled: boolean;
  readonly status: GeneratorStatus;
}): boolean => enabled && status === "active";

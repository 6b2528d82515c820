import type { DeviceId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";

export const STATUSES = ["draft", "active", "paused"] as const;
type GeneratorStatus = (typeof STATUSES)[number];

export const PATTERNS = ["random", "walk", "sine", "counter"] as const;
/** Movement of a value between `min` and `max`: random, a random walk, waves, or a counter that restarts at the bottom. */
export type Pattern = (typeof PATTERNS)[number];

export interface Metric {
  readonly key: string;
  readonly min: number;
  readonly max: number;
  /** Decimal places; by default as many as needed for about a thousand distinct values. */
  readonly decimals?: number;
  /** Default: `random`. */
  readonly pattern?: Pattern;
  /** Difference between consecutive values of a counter or walk; for a walk, on average. */
  readonly step?: number;
  /** Period of waves. */
  readonly periodSeconds?: number;
}

export interface GeneratorConfig {
  readonly intervalSeconds: number;
  readonly metrics: readonly Metric[];
  /** By default a new device is created; empty if all named devices were deleted. */
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

/** Returns the devices for which a generator sends. */
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

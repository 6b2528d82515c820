import type { SendingWindow, UplinkOrder } from "./uplink.protocol.ts";

/** Devices and values that an uplink sends. An empty list selects all. */
export interface UplinkSelection {
  readonly deviceIds: readonly string[];
  readonly deviceTypes: readonly string[];
  /** Tags; a device with at least one of them is sent. */
  readonly deviceTags: readonly string[];
  /** Names of keys, with a trailing `*` as a wildcard. */
  readonly keys: readonly string[];
}

/** Kinds of data that an uplink sends. */
export interface UplinkContent {
  readonly telemetry: boolean;
  readonly attributes: boolean;
  readonly alarms: boolean;
  readonly devices: boolean;
}

/** Settings of an uplink except its target. */
export interface UplinkOptions {
  /** Name of this installation at the target. */
  readonly site: string;
  readonly selection: UplinkSelection;
  readonly content: UplinkContent;
  /** Steps as in a pipeline, for example rename, scale and drop. */
  readonly steps: readonly unknown[];
  /** Additional tags of every device at the target. */
  readonly tags: Readonly<Record<string, string>>;
  readonly order: UplinkOrder;
  /** Null for no limit. */
  readonly bytesPerSecond: number | null;
  /** Null for always. */
  readonly window: SendingWindow | null;
}

/** Sums over the enabled uplinks of all tenants. `sentPoints` and `setAside` count since startup. */
export interface UplinkTotals {
  readonly running: number;
  readonly failing: number;
  /** Number of uplinks waiting for memory held by others. */
  readonly waitingForMemory: number;
  /** Approximate bytes of memory held by all uplinks. */
  readonly heldBytes: number;
  /** Lag of the uplink that is furthest behind, in seconds. */
  readonly lagSeconds: number;
  readonly waitingPoints: number;
  readonly sentPoints: number;
  /** Number of unreadable staged batches. */
  readonly setAside: number;
}

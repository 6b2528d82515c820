import type { SendingWindow, UplinkOrder } from "./uplink.protocol.ts";

/** Devices and values that an uplink sends. An empty list stands for all. */
export interface UplinkSelection {
  readonly deviceIds: readonly string[];
  readonly deviceTypes: readonly string[];
  /** A device with one of these tags is sent. */
  readonly deviceTags: readonly string[];
  /** Names of keys; one that ends with `*` stands for all that begin so. */
  readonly keys: readonly string[];
}

/** Kinds of data that an uplink sends. */
export interface UplinkContent {
  readonly telemetry: boolean;
  readonly attributes: boolean;
  readonly alarms: boolean;
  readonly devices: boolean;
}

/** Everything about an uplink but its target. */
export interface UplinkOptions {
  /** Name of this installation at the target. */
  readonly site: string;
  readonly selection: UplinkSelection;
  readonly content: UplinkContent;
  /** Steps as in a pipeline, for example rename, scale and drop. */
  readonly steps: readonly unknown[];
  /** Further tags of every device at the target. */
  readonly tags: Readonly<Record<string, string>>;
  readonly order: UplinkOrder;
  /** null: no limit. */
  readonly bytesPerSecond: number | null;
  /** null: always. */
  readonly window: SendingWindow | null;
}

/** Sums over the enabled uplinks of all tenants. `sentPoints` and `setAside` are since the start. */
export interface UplinkTotals {
  readonly running: number;
  readonly failing: number;
  /** Uplinks that wait for memory, which the others hold. */
  readonly waitingForMemory: number;
  /** Bytes that all hold of it, about. */
  readonly heldBytes: number;
  /** Of the uplink that is furthest behind. */
  readonly lagSeconds: number;
  readonly waitingPoints: number;
  readonly sentPoints: number;
  /** Staged batches that could not be read. */
  readonly setAside: number;
}

import type { TenantId } from "../../lib/ids.ts";
import type { ChangeCursor, SendingWindow, UplinkOrder, UplinkReport } from "./uplink.protocol.ts";

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
  /** Steps as in a pipeline: rename, scale, drop … */
  readonly steps: readonly unknown[];
  /** Further tags of every device at the target. */
  readonly tags: Readonly<Record<string, string>>;
  readonly order: UplinkOrder;
  /** null: no limit. */
  readonly bytesPerSecond: number | null;
  /** null: always. */
  readonly window: SendingWindow | null;
}

export interface Uplink {
  readonly uplinkId: string;
  readonly tenantId: TenantId;
  readonly name: string;
  readonly enabled: boolean;
  readonly target: Readonly<Record<string, unknown>>;
  readonly secrets: string | null;
  readonly options: UplinkOptions;
  readonly cursor: ChangeCursor;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** An uplink as people see it: its secrets are `{kept: true}`. */
export interface VisibleUplink extends Omit<Uplink, "secrets" | "cursor" | "target"> {
  readonly target: Readonly<Record<string, unknown>>;
  readonly report: UplinkReport;
  /** Seconds since the uplink was up to date, or since its creation; null while it is disabled. */
  readonly lagSeconds: number | null;
  /** About how many values wait; null if that was not counted yet. */
  readonly waitingPoints: number | null;
}

/** Sums over the enabled uplinks of all tenants. `sentPoints` is since the start. */
export interface UplinkTotals {
  readonly running: number;
  readonly failing: number;
  /** Of the uplink that is furthest behind. */
  readonly lagSeconds: number;
  readonly waitingPoints: number;
  readonly sentPoints: number;
}

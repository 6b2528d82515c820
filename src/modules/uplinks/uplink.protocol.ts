import type { JsonValue } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Weekday } from "../../lib/time/weekly-window.ts";
import type {
  ChunkMax,
  FeedBacklog,
  FeedConfirmation,
  FeedRows,
  KnownDefinitions,
  WireChunk,
} from "../telemetry/feeds.types.ts";
import type { AttributesRecord, UplinkDevice, UplinkRecord } from "./target.types.ts";
import type { TargetSettings } from "./targets/targets.schemas.ts";

/** `LIVE_FIRST`: new values, then history from its beginning; `NEWEST_FIRST`: history from its end; `OLDEST_FIRST`: history before new values. */
export const UPLINK_ORDERS = ["LIVE_FIRST", "NEWEST_FIRST", "OLDEST_FIRST"] as const;
export type UplinkOrder = (typeof UPLINK_ORDERS)[number];

/** Daily sending period, in minutes of the day. */
export interface SendingWindow {
  readonly timezone: string;
  readonly days: readonly Weekday[];
  readonly from: number;
  readonly to: number;
}

/** Uplink in the form of its thread. */
export interface UplinkJob {
  readonly uplinkId: string;
  readonly tenantId: string;
  /** Settings with their secrets. */
  readonly target: TargetSettings;
  readonly sendsTelemetry: boolean;
  /** Ids of the selected devices; all if empty. */
  readonly deviceIds: readonly string[];
  /** Names of keys, with a trailing `*` as a wildcard; all if empty. */
  readonly keys: readonly string[];
  readonly steps: readonly unknown[];
  readonly order: UplinkOrder;
  readonly bytesPerSecond: number | null;
  readonly window: SendingWindow | null;
  readonly authorities: readonly string[] | undefined;
}

export const UPLINK_STATES = [
  "STOPPED",
  "CONNECTING",
  "WAITING_FOR_MEMORY",
  "SENDING",
  "UP_TO_DATE",
  "OUTSIDE_WINDOW",
  "ERROR",
] as const;
export type UplinkState = (typeof UPLINK_STATES)[number];

/** Report of an uplink. Counters start with the thread. Times are epoch ms. */
export interface UplinkReport {
  readonly state: UplinkState;
  readonly sentPoints: number;
  readonly sentBatches: number;
  readonly sentBytes: number;
  readonly skippedBatches: number;
  /** Approximate bytes of the memory shared by all uplinks. */
  readonly heldBytes: number;
  readonly lastSentAt: number | null;
  /** Last time at which the uplink was up to date. */
  readonly upToDateAt: number | null;
  readonly error: Text | null;
  readonly errorAt: number | null;
  /** True if the target refuses the oldest batch, which a user may skip. */
  readonly isRefused: boolean;
}

/** Record on its way to the thread of uplinks. Attributes are parsed there: cloning many small parts would hold up the main thread for seconds. */
export type SentRecord =
  | Exclude<UplinkRecord, AttributesRecord>
  | (Omit<AttributesRecord, "values"> & { readonly text: string });

/** Changed attributes, alarms and devices, and the cursor of the next read. */
export interface Changes {
  readonly records: readonly SentRecord[];
  readonly cursor: ChangeCursor;
  readonly isAtEnd: boolean;
}

/** Numbers of the last processed changes. */
export interface ChangeCursor {
  readonly attributes: number;
  readonly alarms: number;
  readonly devices: number;
  /** Id of the last device whose current attributes were sent; null once all were sent, or if none are to be sent. */
  readonly snapshot: string | null;
}

/** Calls of the thread to the main thread. */
export type MainCalls = {
  read: {
    args: { feed: string; after: number; known: KnownDefinitions; bytesMax: number };
    result: FeedRows;
  };
  backlog: {
    args: { feed: string; known: KnownDefinitions; limit: number; newestFirst: boolean };
    result: FeedBacklog;
  };
  rows: {
    args: { deviceId: string; from: number; to: number; max: ChunkMax };
    result: WireChunk | null;
  };
  confirm: { args: FeedConfirmation; result: undefined };
  /** Null for a device that is not selected. */
  devices: {
    args: { uplinkId: string; deviceIds: readonly string[] };
    result: readonly (UplinkDevice | null)[];
  };
  changes: { args: { uplinkId: string }; result: Changes };
  confirmChanges: { args: { uplinkId: string; cursor: ChangeCursor }; result: undefined };
  resolve: { args: { uplinkId: string; host: string; port: number }; result: string[] };
  command: {
    args: { uplinkId: string; deviceId: string; method: string; params: JsonValue };
    result: JsonValue;
  };
  report: { args: { uplinkId: string; report: UplinkReport }; result: undefined };
  commandsUnanswered: { args: { uplinkId: string }; result: undefined };
  setAside: { args: { uplinkId: string; file: string }; result: undefined };
  /** Called when a client of a target has failed outside a call. */
  failed: { args: { reason: string }; result: undefined };
};

/** Calls of the main thread to the thread. */
export type ThreadCallsOfUplinks = {
  /** Starts an uplink, or restarts it with other settings. */
  run: { args: UplinkJob; result: undefined };
  /** Resolves once the uplink has ended. */
  end: { args: { uplinkId: string }; result: undefined };
  /** Called after new writes. */
  wake: { args: null; result: undefined };
  /** Called when devices have changed; empty for all. */
  forgetDevices: { args: { deviceIds: readonly string[] }; result: undefined };
  /** Connects to the target as a test. Rejects with the failure. */
  check: { args: UplinkJob; result: undefined };
  skip: { args: { uplinkId: string }; result: undefined };
};

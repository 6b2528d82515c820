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
import type { UplinkDevice, UplinkRecord } from "./target.types.ts";
import type { TargetSettings } from "./targets/targets.schemas.ts";

/** `LIVE_FIRST`: new values first, then history from its beginning; `NEWEST_FIRST`: history from its end; `OLDEST_FIRST`: history before new values. */
export const UPLINK_ORDERS = ["LIVE_FIRST", "NEWEST_FIRST", "OLDEST_FIRST"] as const;
export type UplinkOrder = (typeof UPLINK_ORDERS)[number];

/** Minutes of the day from which and until which an uplink sends. */
export interface SendingWindow {
  readonly timezone: string;
  readonly days: readonly Weekday[];
  readonly from: number;
  readonly to: number;
}

/** An uplink as its thread runs it. */
export interface UplinkJob {
  readonly uplinkId: string;
  readonly tenantId: string;
  /** With its secrets. */
  readonly target: TargetSettings;
  readonly sendsTelemetry: boolean;
  /** Ids of the selected devices. Empty: all. */
  readonly deviceIds: readonly string[];
  /** Names of keys; one that ends with `*` stands for all that begin so. Empty: all. */
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

/** Counters are since the start of the thread. Times are epoch ms. */
export interface UplinkReport {
  readonly state: UplinkState;
  readonly sentPoints: number;
  readonly sentBatches: number;
  readonly sentBytes: number;
  readonly skippedBatches: number;
  /** Bytes of the memory that all uplinks share, about. */
  readonly heldBytes: number;
  readonly lastSentAt: number | null;
  /** Newest time at which nothing waited. */
  readonly upToDateAt: number | null;
  readonly error: Text | null;
  readonly errorAt: number | null;
  /** True if the target refuses the oldest batch, which a person may skip. */
  readonly isRefused: boolean;
}

/** Attributes, alarms and devices that changed, and where the next ones begin. */
export interface Changes {
  readonly records: readonly UplinkRecord[];
  readonly cursor: ChangeCursor;
  readonly isAtEnd: boolean;
}

/** Newest changes that were taken, by their numbers. */
export interface ChangeCursor {
  readonly attributes: number;
  readonly alarms: number;
  readonly devices: number;
  /** Id of the last device of which the present attributes were sent; null once all were, or if none are to be sent. */
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
  /** null for a device that is not selected. */
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
  /** A client of a target has failed where nothing waits for it. */
  failed: { args: { reason: string }; result: undefined };
};

/** Calls of the main thread to the thread. */
export type ThreadCallsOfUplinks = {
  /** Starts an uplink, or starts it anew with other settings. */
  run: { args: UplinkJob; result: undefined };
  /** Resolves once the uplink has ended. */
  end: { args: { uplinkId: string }; result: undefined };
  /** Something was written. */
  wake: { args: null; result: undefined };
  /** Devices have changed; empty for all. */
  forgetDevices: { args: { deviceIds: readonly string[] }; result: undefined };
  /** Connects to the target, as a test. Rejects with what is wrong. */
  check: { args: UplinkJob; result: undefined };
  skip: { args: { uplinkId: string }; result: undefined };
};

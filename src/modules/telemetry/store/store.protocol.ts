import type { ErrorKind } from "../../../lib/core/domain-error.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { Stamp } from "../../../platform/database/database-stamp.ts";
import type { RangeQuery } from "../telemetry.types.ts";
import type {
  FeedBacklog,
  FeedConfirmation,
  FeedRows,
  FeedStart,
  KnownDefinitions,
} from "./feed/feed.types.ts";
import type { Definitions } from "./hot/group-format.ts";
import type { SinkResult } from "./query/series-sink.ts";
import type { ChunkMax, WireChunk } from "./query/wire-chunk.types.ts";
import type { CheckReport, StoreStats } from "./store.types.ts";

/** Limits that the worker needs; see `store-options.ts` for the defaults. */
export interface WorkerOptions {
  readonly file: string;
  readonly bucketMs: number;
  readonly settledMs: number;
  readonly hotPointsMax: number;
  readonly hotPointsPerSeries: number;
  readonly hotGroupsMax: number;
  readonly hotGroupsPerDevice: number;
  readonly hotBytesMax: number;
  readonly blockRowsTarget: number;
  readonly spareBytesMax?: number;
  readonly walBytesMax: number;
}

export interface WireDeviceSeries {
  readonly deviceId: string;
  readonly series: Array<SinkResult & { readonly key: string }>;
}

/** Newest values of many devices as flat arrays: cloning an object per device would take longer than finding the values. */
export interface WireLatest {
  /** Number of devices, from the first one, whose values are included: long texts end a response early. */
  readonly answered: number;
  /** Key names, to which `keys` refers. */
  readonly names: readonly string[];
  /** Number of values per requested device, in order. */
  readonly counts: Uint32Array;
  /** Index of each value's key name; followed by timestamps, tags and numbers. */
  readonly keys: Uint32Array;
  readonly ts: Float64Array;
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  /** Strings and JSON values, in order. */
  readonly texts: readonly string[];
}

/** Keys of the devices as flat arrays: for each device its number and its share of `keys`. */
export interface WireSeries {
  readonly devices: Uint32Array;
  readonly counts: Uint32Array;
  readonly keys: Uint32Array;
}

/** `now`: epoch ms of the gateway's clock, after which values do not hold. */
export type StoreQuery = RangeQuery & { readonly now: number };

export interface DeletionCall {
  readonly deviceId: string;
  /** Empty means all. */
  readonly keys: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** Calls to the worker: name → arguments and result. */
export interface StoreCalls {
  latest: {
    /** Device numbers, because copying thousands of ids would take longer than the call. */
    args: {
      devices: Uint32Array;
      keys: readonly string[] | null;
      /** Values after this timestamp are ignored. */
      until: number;
    };
    result: WireLatest;
  };
  query: { args: StoreQuery; result: WireDeviceSeries[] };
  /** Like `query`, as JSON in UTF-8. */
  queryText: { args: StoreQuery; result: Uint8Array };
  scan: {
    args: {
      readonly deviceId: string;
      /** Empty means all. */
      readonly keys: readonly string[];
      readonly from: number;
      readonly to: number;
      readonly max?: ChunkMax;
    };
    result: WireChunk | null;
  };
  deviceIds: { args: null; result: readonly string[] };
  keys: { args: { deviceIds: readonly string[] } | { tenantId: string }; result: string[] };
  deleteRange: { args: DeletionCall; result: null };
  /** Number of the device, because a new device may reuse the id meanwhile. */
  deleteDevice: { args: { no: number }; result: null };
  applyRetention: {
    args: ReadonlyArray<{ readonly deviceId: string; readonly before: number }>;
    result: { pointsDeleted: number };
  };
  /** Does nothing if the feed is open. */
  openFeed: { args: { id: string; tenantId: string; start: FeedStart }; result: null };
  /** Closes all other feeds. */
  keepFeeds: { args: { ids: readonly string[] }; result: null };
  closeFeed: { args: { id: string }; result: null };
  closeFeedsOf: { args: { tenantId: string }; result: null };
  resendFeed: { args: { id: string; from: number; to: number }; result: null };
  readFeed: {
    args: { id: string; after: number; known: KnownDefinitions; bytesMax: number };
    result: FeedRows;
  };
  feedBacklog: {
    args: { id: string; known: KnownDefinitions; limit: number; newestFirst: boolean };
    result: FeedBacklog;
  };
  feedPoints: { args: { id: string }; result: number };
  confirmFeed: { args: FeedConfirmation; result: null };
  compact: { args: null; result: null };
  stamp: { args: Stamp; result: null };
  /** Tenant → bytes of its devices. */
  usage: { args: null; result: ReadonlyMap<string, number> };
  stats: { args: null; result: StoreStats };
  check: { args: null; result: CheckReport };
}

export type CallName = keyof StoreCalls;

/** Call in transfer format; `id` pairs it with its response. */
export type CallRequest = {
  [Name in CallName]: { type: "call"; id: number; name: Name; args: StoreCalls[Name]["args"] };
}[CallName];

export interface CommitRequest {
  readonly type: "commit";
  readonly buffer: ArrayBuffer;
  readonly bytes: number;
  readonly definitions: Definitions | null;
  /** True to pack the group by columns, which takes longer. */
  readonly packsDensely: boolean;
}

export type StoreRequest =
  | { readonly type: "start"; readonly options: WorkerOptions }
  | CommitRequest
  | CallRequest
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "stop" };

/** Reason for a failed commit: a `full` disk and a `busy` file may recover, `broken` does not. */
export type CommitFailure = "full" | "busy" | "broken";

export interface WireError extends Text {
  readonly kind: ErrorKind;
}

export type StoreReply =
  | {
      readonly type: "started";
      readonly definitions: Definitions;
      readonly nextDevice: number;
      readonly series: WireSeries;
    }
  /** Keys of a device that have lost their last point. */
  | { readonly type: "dropped"; readonly device: number; readonly keys: readonly number[] }
  /** Readers found damaged blocks since the last `stats` call. */
  | { readonly type: "damaged" }
  | { readonly type: "notStarted"; readonly message: string }
  /** Buffer returned for another group. `lanes`: max. groups in flight simultaneously. */
  | { readonly type: "committed"; readonly buffer: ArrayBuffer; readonly lanes: number }
  | {
      readonly type: "refused";
      readonly buffer: ArrayBuffer;
      readonly failure: CommitFailure;
      readonly reason: string;
    }
  /** Part of a query's response: large responses are split, so that copying a part never takes long. */
  | { readonly type: "part"; readonly id: number; readonly value: WireDeviceSeries[] | Uint8Array }
  | { readonly type: "result"; readonly id: number; readonly value: StoreCalls[CallName]["result"] }
  | { readonly type: "failed"; readonly id: number; readonly error: WireError }
  | {
      readonly type: "log";
      readonly level: "info" | "warn" | "error";
      readonly message: string;
      readonly fields: Record<string, unknown>;
    }
  /** Failure after which nothing is written until a restart. */
  | { readonly type: "broken" }
  | { readonly type: "stopped" };

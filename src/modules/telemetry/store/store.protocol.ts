import type { ErrorKind } from "../../../lib/core/domain-error.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { Stamp } from "../../../platform/database/database-stamp.ts";
import type { RangeQuery } from "../telemetry.types.ts";
import type { FeedBacklog, FeedConfirmation, FeedRows, FeedStart, KnownDefinitions } from "./feed.types.ts";
import type { Definitions } from "./group-format.ts";
import type { SinkResult } from "./series-sink.ts";
import type { CheckReport, StoreStats } from "./store.types.ts";

import type { ChunkMax, WireChunk } from "./wire-chunk.types.ts";

/** Limits the worker needs; see `store-options.ts` for the defaults. */
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

/** Newest values of many devices, flat: cloning an object a device would take longer than finding the values. */
export interface WireLatest {
  /** Names of the keys that `keys` counts. */
  readonly names: readonly string[];
  /** Values of each asked device, in order. */
  readonly counts: Uint32Array;
  /** Index of the key's name of each value; the time stamps, tags and numbers follow. */
  readonly keys: Uint32Array;
  readonly ts: Float64Array;
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  /** Strings and JSON values, in order. */
  readonly texts: readonly string[];
}

/** The keys that the devices have, flat: for each device its number and how many of `keys` are its own. */
export interface WireSeries {
  readonly devices: Uint32Array;
  readonly counts: Uint32Array;
  readonly keys: Uint32Array;
}

/** `now`: epoch ms by the gateway's clock; nothing holds a value beyond it. */
export type StoreQuery = RangeQuery & { readonly now: number };

export interface DeletionCall {
  readonly deviceId: string;
  /** Empty means all. */
  readonly keys: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** Name → arguments and result of what the worker can be asked. */
export interface StoreCalls {
  latest: {
    /** Devices by number: thousands of ids would take longer to copy than to answer. */
    args: {
      devices: Uint32Array;
      keys: readonly string[] | null;
      /** Values behind this time stamp are passed over. */
      until: number;
    };
    result: WireLatest;
  };
  query: { args: StoreQuery; result: WireDeviceSeries[] };
  /** The answer to the same as JSON, in UTF-8. */
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
  /** Number of the device, because the id may belong to a new device meanwhile. */
  deleteDevice: { args: { no: number }; result: null };
  applyRetention: {
    args: ReadonlyArray<{ readonly deviceId: string; readonly before: number }>;
    result: { pointsDeleted: number };
  };
  /** Does nothing if the feed is open. */
  openFeed: { args: { id: string; tenantId: string; start: FeedStart }; result: null };
  /** Closes all feeds but these. */
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
  /** Tenant → bytes that its devices take. */
  usage: { args: null; result: ReadonlyMap<string, number> };
  stats: { args: null; result: StoreStats };
  check: { args: null; result: CheckReport };
}

export type CallName = keyof StoreCalls;

/** A call as it travels: `id` pairs it with its answer. */
export type CallRequest = {
  [Name in CallName]: { type: "call"; id: number; name: Name; args: StoreCalls[Name]["args"] };
}[CallName];

export interface CommitRequest {
  readonly type: "commit";
  readonly buffer: ArrayBuffer;
  readonly bytes: number;
  readonly definitions: Definitions | null;
  /** Packs the group by columns, which takes longer, where there is time for it. */
  readonly packsDensely: boolean;
}

export type StoreRequest =
  | { readonly type: "start"; readonly options: WorkerOptions }
  | CommitRequest
  | CallRequest
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "stop" };

/** Reason why a commit failed: a `full` disk and a `busy` file may pass, `broken` does not. */
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
  /** Readers have met damaged blocks since `stats` was last asked. */
  | { readonly type: "damaged" }
  | { readonly type: "notStarted"; readonly message: string }
  /** The buffer comes back for another group. `lanes`: max. groups that are in flight simultaneously. */
  | { readonly type: "committed"; readonly buffer: ArrayBuffer; readonly lanes: number }
  | {
      readonly type: "refused";
      readonly buffer: ArrayBuffer;
      readonly failure: CommitFailure;
      readonly reason: string;
    }
  /** A piece of the answer to a query: a large one comes in several, so that the reader copies none of them for long. */
  | { readonly type: "part"; readonly id: number; readonly value: WireDeviceSeries[] | Uint8Array }
  | { readonly type: "result"; readonly id: number; readonly value: StoreCalls[CallName]["result"] }
  | { readonly type: "failed"; readonly id: number; readonly error: WireError }
  | {
      readonly type: "log";
      readonly level: "info" | "warn" | "error";
      readonly message: string;
      readonly fields: Record<string, unknown>;
    }
  /** A failure after which nothing is written until another start. */
  | { readonly type: "broken" }
  | { readonly type: "stopped" };

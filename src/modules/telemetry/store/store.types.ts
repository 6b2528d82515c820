import type { DeviceId, TenantId } from "../../../lib/core/ids.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { Stamp } from "../../../platform/database/database-stamp.ts";
import type {
  DeviceSeries,
  LatestJson,
  LatestSnapshot,
  RangeQuery,
  Reading,
  StoreDevice,
  TelemetryValue,
} from "../telemetry.types.ts";
import type { TelemetryFeeds } from "./feed/feed.types.ts";

/**
 * Telemetry store for the main thread. One worker thread owns the file; calls here never access the disk. Errors for callers are DomainErrors
 * (`unavailable` if writes cannot be accepted).
 */
export interface TelemetryStore {
  /** Starts reading the file in its own thread. `start` waits for it, and opens the file itself if that failed or `open` was not called. */
  open(): Promise<void>;
  start(): Promise<void>;
  /** Points and groups committed since startup. */
  readonly committed: { readonly points: number; readonly groups: number };
  /** Deletions of ranges and devices finished since startup. */
  readonly deletions: number;
  /** Returns the reason why nothing can be written until a restart. */
  failure(): Text | undefined;
  /** Stops accepting writes, commits staged readings and closes the file, without compacting. */
  stop(): Promise<void>;
  /** Returns the handle of a device, created on first use (its definition is sent with the first append). Synchronous. */
  device(tenantId: TenantId, deviceId: DeviceId): StoreDevice;
  /**
   * Stages the readings of one message, all or none. All readings in a group commit share one promise: compare it by identity to register one
   * continuation per group. It resolves when the group is committed and fsynced, and rejects with a DomainError `unavailable` otherwise. Throws the
   * same error if writes are off. Returns undefined without staging if the device may not have one of the keys.
   */
  append(device: StoreDevice, readings: readonly Reading[]): Promise<void> | undefined;
  /** Removes the keys that the device may not have. Synchronous, for the few messages that `append` refuses. */
  fit(
    device: StoreDevice,
    readings: readonly Reading[],
  ): { readonly readings: Reading[]; readonly hit: KeyLimitHit | undefined };
  /** Returns the number of keys of a tenant's devices, and their approximate bytes on disk. */
  usageOf(tenantId: TenantId): { readonly keys: number; readonly storedBytes: number };
  /** Returns the newest value of each key. Values stamped more than 24 hours ahead by a wrong clock are ignored. */
  latest(
    deviceIds: readonly DeviceId[],
    keys?: readonly string[],
    signal?: AbortSignal,
    /** Receives the number of characters of JSON values before they are parsed. */
    onJson?: (characters: number) => void,
  ): Promise<LatestSnapshot[]>;
  /** Yields the same snapshots a few at a time, with `{}` for lists and objects, which are not parsed, as they would take many times their size. */
  latestScalars(
    deviceIds: readonly DeviceId[],
    keys?: readonly string[],
    signal?: AbortSignal,
  ): AsyncGenerator<readonly LatestSnapshot[]>;
  /** Yields the JSON of the same snapshots, as the items of a list, in pieces and without parsing JSON values. */
  latestTexts(
    deviceIds: readonly DeviceId[],
    keys?: readonly string[],
    signal?: AbortSignal,
  ): AsyncGenerator<string>;
  /**
   * Returns the JSON of the same snapshots by device, without parsing JSON values: those of the first devices, at least of one, because the values of
   * a device may be 20 MB.
   */
  latestJson(deviceIds: readonly DeviceId[], keys?: readonly string[]): Promise<Map<DeviceId, LatestJson>>;
  /** Returns one entry per known device, with one series per key that has points in the range. */
  query(query: RangeQuery, signal?: AbortSignal): Promise<DeviceSeries[]>;
  /**
   * Answers like `query`, with range and aggregation, as JSON in pieces of UTF-8: `{data, from, to, aggregation}`. If `onPiece` throws, the query
   * ends with its error.
   */
  queryText(query: RangeQuery, onPiece: (piece: Uint8Array) => void, signal?: AbortSignal): Promise<void>;
  /**
   * Yields raw points, device by device in the requested order, rows in time order, in chunks of limited size. Chunks are read on demand: a slow
   * consumer blocks nothing, and memory is constant for any range. Points that arrive or change before the scan's position may be missed; nothing is
   * repeated.
   */
  scan(query: ScanQuery, signal?: AbortSignal): AsyncIterable<ScanChunk>;
  /** Returns all devices with data in the file. */
  deviceIds(): Promise<DeviceId[]>;
  /** Returns sorted key names of one device, or of all devices of a tenant. */
  keys(
    of: { readonly deviceIds: readonly DeviceId[] } | { readonly tenantId: TenantId },
    signal?: AbortSignal,
  ): Promise<string[]>;
  /** Deletes a closed range of some keys (all if empty). Resolves when the deletion is durable. */
  deleteRange(deviceId: DeviceId, keys: readonly string[], from: number, to: number): Promise<void>;
  deleteDevice(deviceId: DeviceId): Promise<void>;
  /** Deletes values older than each device's cut-off (epoch ms) and frees the space, in small slices. */
  applyRetention(
    cutoffs: ReadonlyArray<{ readonly deviceId: DeviceId; readonly before: number }>,
  ): Promise<{ pointsDeleted: number }>;
  /** Seals all hot points and merges small blocks of any age; for tools, tests and measurements. */
  compact(): Promise<void>;
  /** Writes data directory and generation to the file. Resolves once the stamp is on disk. */
  stamp(stamp: Stamp): Promise<void>;
  stats(): Promise<StoreStats>;
  /** Sets the listener for damaged blocks that readers found and `stats` has not returned yet. */
  onDamaged(listener: () => void): void;
  /** Readers that forward stored values. */
  readonly feeds: TelemetryFeeds;
  /** Reads the whole file, in slices that let commits through, and lists damage. */
  check(): Promise<CheckReport>;
}

/** Limits of a tenant in the store; null for no limit. */
export interface StoreLimits {
  readonly keysPerDevice: number | null;
  /** Sum over all devices. */
  readonly keys: number | null;
  /** Bytes on disk. */
  readonly storedBytes: number | null;
}

export interface KeyLimitHit {
  /** `new`: keys per day that are new to all devices. */
  readonly scope: "device" | "tenant" | "new";
  readonly max: number;
  /** Names of the removed keys. */
  readonly keys: readonly string[];
}

export interface ScanPosition {
  readonly deviceId: DeviceId;
  /** Epoch ms of the last delivered row. */
  readonly ts: number;
}

/** Closed range `[from, to]` in epoch ms. */
export interface ScanQuery {
  readonly deviceIds: readonly DeviceId[];
  /** Empty means all keys. */
  readonly keys: readonly string[];
  readonly from: number;
  readonly to: number;
  /** Position of an earlier chunk of the same query, after which to continue. */
  readonly after?: ScanPosition | undefined;
}

export interface ScanColumn {
  readonly key: string;
  /** Returns the value in a row; undefined if the device did not report the key. */
  at(row: number): TelemetryValue | undefined;
}

/** Rows of one device: timestamps strictly ascending, columns by key. */
export interface ScanChunk {
  readonly deviceId: DeviceId;
  readonly ts: Float64Array;
  readonly columns: readonly ScanColumn[];
  readonly position: ScanPosition;
}

export interface CheckReport {
  readonly blocks: number;
  /** Number of points in blocks. */
  readonly points: number;
  readonly hotRows: number;
  /** Unreadable parts, one sentence each. Empty if the file is intact. */
  readonly problems: readonly string[];
}

export interface StoreStats {
  readonly points: number;
  readonly series: number;
  readonly devices: number;
  readonly hotPoints: number;
  readonly bucketBytes: number;
  readonly fileBytes: number;
  readonly commits: number;
  /** Median duration of recent group commits, in ms. */
  readonly commitP50Ms: number;
  readonly commitP99Ms: number;
  readonly oldestTs: number | null;
  /** Blocks that were skipped as unreadable, newest last: `device <id>, <from> – <to>: <reason>`. */
  readonly corruptBlocks: readonly string[];
}

import type { DeviceId, TenantId } from "../../../lib/core/ids.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { Stamp } from "../../../platform/database/database-stamp.ts";
import type {
  DeviceSeries,
  LatestSnapshot,
  RangeQuery,
  Reading,
  StoreDevice,
  TelemetryValue,
} from "../telemetry.types.ts";
import type { TelemetryFeeds } from "./feed.types.ts";

/**
 * The telemetry store as the main thread sees it. The file belongs to one worker thread; calls here never touch the
 * disk. Errors that a caller may see are DomainErrors (`unavailable` when writes cannot be taken).
 */
export interface TelemetryStore {
  /** Begins to read the file back in a thread of its own. `start` waits for it, and opens the file itself where that failed or was left out. */
  open(): Promise<void>;
  start(): Promise<void>;
  /** Points and groups that were committed since the start. */
  readonly committed: { readonly points: number; readonly groups: number };
  /** Deletions of ranges and of devices that were finished since the start. */
  readonly deletions: number;
  /** Reason why nothing can be written until another start. */
  failure(): Text | undefined;
  /** Takes no more writes, commits what is staged, compacts nothing, closes the file. */
  stop(): Promise<void>;
  /** The handle of a device, made on first sight (its definition rides with the first append). Synchronous. */
  device(tenantId: TenantId, deviceId: DeviceId): StoreDevice;
  /**
   * Stages the readings of one message, all or nothing. The promise is shared by everything that rides the same group
   * commit: compare it by identity to register one continuation a group. It resolves when the group is committed and
   * fsynced, and rejects with a DomainError of kind `unavailable` when it is not. Throws the same when writes are off.
   * Returns undefined, having staged nothing, when the readings have keys that the device may not have.
   */
  append(device: StoreDevice, readings: readonly Reading[]): Promise<void> | undefined;
  /** Leaves out the keys that the device may not have. Synchronous, for the few messages that `append` refuses. */
  fit(
    device: StoreDevice,
    readings: readonly Reading[],
  ): { readonly readings: Reading[]; readonly hit: KeyLimitHit | undefined };
  /** Returns the number of keys that the devices of a tenant have together, and the approximate bytes that they take on the disk. */
  usageOf(tenantId: TenantId): { readonly keys: number; readonly storedBytes: number };
  /** Returns the newest value of each key. Values that a wrong clock has stamped more than 24 hours ahead of now are passed over. */
  latest(
    deviceIds: readonly DeviceId[],
    keys?: readonly string[],
    signal?: AbortSignal,
  ): Promise<LatestSnapshot[]>;
  /** Returns one entry for each known device, with one series for each key that has points in the range. */
  query(query: RangeQuery, signal?: AbortSignal): Promise<DeviceSeries[]>;
  /**
   * Answers the same with the query's range and aggregation as JSON, in pieces of UTF-8: `{data, from, to, aggregation}`. If `onPiece` throws,
   * the query ends with its error.
   */
  queryText(query: RangeQuery, onPiece: (piece: Uint8Array) => void, signal?: AbortSignal): Promise<void>;
  /**
   * Raw points, device by device in the order asked for, rows in time order, in chunks of bounded size. The next chunk is
   * read when it is asked for: a slow consumer holds nothing up and memory stays constant whatever the range. Points that
   * arrive, change or go behind the position while the scan runs may be missed; nothing is repeated.
   */
  scan(query: ScanQuery, signal?: AbortSignal): AsyncIterable<ScanChunk>;
  /** All devices that the file holds anything of. */
  deviceIds(): Promise<DeviceId[]>;
  /** Sorted key names of one device, or of all devices of a tenant. */
  keys(
    of: { readonly deviceIds: readonly DeviceId[] } | { readonly tenantId: TenantId },
    signal?: AbortSignal,
  ): Promise<string[]>;
  /** Deletes a closed range of some keys (all when empty). Returns when the deletion is durable. */
  deleteRange(deviceId: DeviceId, keys: readonly string[], from: number, to: number): Promise<void>;
  deleteDevice(deviceId: DeviceId): Promise<void>;
  /** Deletes what is older than each device's cut-off (epoch ms) and gives the space back, in small slices. */
  applyRetention(
    cutoffs: ReadonlyArray<{ readonly deviceId: DeviceId; readonly before: number }>,
  ): Promise<{ pointsDeleted: number }>;
  /** Seals everything hot and merges small blocks, whatever their age; for tools, tests and measurements. */
  compact(): Promise<void>;
  /** Stamps the file with its data directory and generation. Resolves once the stamp is on the disk. */
  stamp(stamp: Stamp): Promise<void>;
  stats(): Promise<StoreStats>;
  /** Sets what is called when readers have met damaged blocks that `stats` has not named yet. */
  onDamaged(listener: () => void): void;
  /** Readers that send what is written on. */
  readonly feeds: TelemetryFeeds;
  /** Reads everything the file holds, in slices that let commits through, and names what is damaged. */
  check(): Promise<CheckReport>;
}

/** Limits of a tenant in the store; null for no limit. */
export interface StoreLimits {
  readonly keysPerDevice: number | null;
  /** Sum over all devices. */
  readonly keys: number | null;
  /** Bytes on the disk. */
  readonly storedBytes: number | null;
}

export interface KeyLimitHit {
  /** `new`: keys that nobody had before, a day. */
  readonly scope: "device" | "tenant" | "new";
  readonly max: number;
  /** Names of the keys that were left out. */
  readonly keys: readonly string[];
}

export interface ScanPosition {
  readonly deviceId: DeviceId;
  /** Epoch ms of the last row that was delivered. */
  readonly ts: number;
}

/** A closed range `[from, to]` in epoch ms. */
export interface ScanQuery {
  readonly deviceIds: readonly DeviceId[];
  /** Empty means all keys. */
  readonly keys: readonly string[];
  readonly from: number;
  readonly to: number;
  /** Go on behind the position of an earlier chunk of the same query. */
  readonly after?: ScanPosition | undefined;
}

export interface ScanColumn {
  readonly key: string;
  /** The value in a row; undefined where the device did not report the key. */
  at(row: number): TelemetryValue | undefined;
}

/** Rows of one device: time stamps strictly ascending, columns by key. */
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
  /** Parts that cannot be read, one sentence each. Empty if the file is sound. */
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
  /** Duration of the newest group commits in ms. */
  readonly commitP50Ms: number;
  readonly commitP99Ms: number;
  readonly oldestTs: number | null;
  /** Blocks that could not be read and were skipped, newest last: `device <id>, <from> – <to>: <reason>`. */
  readonly corruptBlocks: readonly string[];
}

import type { DeviceId, TenantId } from "../../../lib/core/ids.ts";
import type { Definitions } from "./group-format.ts";
import type { ChunkMax, WireChunk } from "./wire-chunk.types.ts";

/*
 * A feed follows the writes of one tenant, for readers that send them on. Its position is a hot row: all rows up to it were confirmed. What is
 * sealed before it was confirmed becomes ranges to be read from the blocks, so that a reader may be away for any time.
 */

/** Start of a new feed: the next write, or everything that is stored. */
export type FeedStart = "now" | "beginning";

/** Numbers up to which a reader knows the definitions of devices, keys and patterns, exclusive. */
export interface KnownDefinitions {
  readonly devices: number;
  readonly keys: number;
  readonly patterns: number;
}

/** A hot row as it is stored: a group, or a deletion as JSON. */
export interface FeedRow {
  readonly id: number;
  readonly form: number;
  readonly data: Uint8Array;
}

export interface FeedRows {
  /** Rows of all tenants, in the order of arrival. */
  readonly rows: readonly FeedRow[];
  /** Definitions that the reader does not know yet. */
  readonly definitions: Definitions;
  /** Deletions that were sealed before they were confirmed. They come before all rows; rows are empty while there is one. */
  readonly deletions: readonly FeedDeletion[];
  /** Id of the last row that was looked at; the position once all before is confirmed. */
  readonly end: number;
  /** True if no more rows wait. */
  readonly isAtEnd: boolean;
  /** True if there are ranges in the backlog. */
  readonly hasBacklog: boolean;
}

/** A deletion on the way to a reader. */
export interface FeedDeletion {
  readonly id: number;
  readonly deviceId: string;
  /** null: all. */
  readonly keys: readonly string[] | null;
  readonly from: number;
  readonly to: number;
  /** True if the device was deleted. */
  readonly drop: boolean;
}

/** Values of one device in a closed range of time that were not confirmed. `seq` changes when values are added to it. */
export interface FeedRange {
  readonly device: number;
  readonly deviceId: string;
  readonly from: number;
  readonly to: number;
  readonly seq: number;
}

export interface FeedBacklog {
  /** Ranges, at most as many as were asked for. */
  readonly ranges: readonly FeedRange[];
  readonly definitions: Definitions;
  /** Number of all ranges. */
  readonly rangeCount: number;
  /** Epoch ms of the oldest value in a range; null if there is none. */
  readonly oldestTs: number | null;
}

/** A range of which the part from `from` to `until` has arrived, or the part from `since` to `to`. */
export type ConfirmedRange = FeedRange & ({ readonly until: number } | { readonly since: number });

export interface FeedConfirmation {
  readonly id: string;
  /** Hot rows up to this one have arrived. */
  readonly position?: number | undefined;
  /** Parts of ranges that have arrived. */
  readonly ranges?: readonly ConfirmedRange[] | undefined;
  /** Deletions of the backlog that have arrived, by id. */
  readonly deletions?: readonly number[] | undefined;
}

/** Feeds of the store: readers that follow its writes, each from a position of its own. */
export interface TelemetryFeeds {
  /** Opens a feed of a tenant; does nothing if it is open. Until it is closed, nothing that was written since is lost for it. */
  open(id: string, tenantId: TenantId, start: FeedStart): Promise<void>;
  close(id: string): Promise<void>;
  /** Closes all feeds of a tenant. */
  closeOf(tenantId: TenantId): Promise<void>;
  /** Closes all feeds but these. */
  keepOnly(ids: readonly string[]): Promise<void>;
  /** Puts what is stored within a closed range into the backlog again. */
  resend(id: string, from: number, to: number): Promise<void>;
  /** Returns the rows behind `after`, or behind the position where that is newer. */
  read(id: string, args: { after: number; known: KnownDefinitions; bytesMax: number }): Promise<FeedRows>;
  /** Returns the ranges that were sealed before they were confirmed. */
  backlog(
    id: string,
    args: { known: KnownDefinitions; limit: number; newestFirst: boolean },
  ): Promise<FeedBacklog>;
  /** Counts about how many values were not confirmed. It takes long where there are many ranges. */
  countPoints(id: string): Promise<number>;
  /** Returns the next rows of a device in a closed range; null at its end. */
  rows(
    deviceId: DeviceId,
    range: { readonly from: number; readonly to: number; readonly max?: ChunkMax },
  ): Promise<WireChunk | null>;
  confirm(confirmation: FeedConfirmation): Promise<void>;
}

import type { DeviceId, TenantId } from "../../../../lib/core/ids.ts";
import type { Definitions } from "../hot/group-format.ts";
import type { ChunkMax, WireChunk } from "../query/wire-chunk.types.ts";

/*
 * A feed follows the writes of one tenant, for readers that forward them. Its position is a hot row: all rows up to it have been confirmed.
 * Unconfirmed rows that are sealed become ranges to read from blocks, so a reader can be offline for any length of time.
 */

/** Start of a new feed: the next write, or all stored values. */
export type FeedStart = "now" | "beginning";

/** Numbers below which a reader knows the definitions of devices, keys and patterns. */
export interface KnownDefinitions {
  readonly devices: number;
  readonly keys: number;
  readonly patterns: number;
}

/** Stored hot row: a group, or a deletion as JSON. */
export interface FeedRow {
  readonly id: number;
  readonly form: number;
  readonly data: Uint8Array;
}

export interface FeedRows {
  /** Rows of all tenants, in the order of arrival. */
  readonly rows: readonly FeedRow[];
  /** Definitions that the reader does not have yet. */
  readonly definitions: Definitions;
  /** Deletions that were sealed before they were confirmed. They precede all rows; while there is one, rows are empty. */
  readonly deletions: readonly FeedDeletion[];
  /** Id of the last examined row, which becomes the position once all earlier rows are confirmed. */
  readonly end: number;
  /** True if no more rows wait. */
  readonly isAtEnd: boolean;
  /** True if there are ranges in the backlog. */
  readonly hasBacklog: boolean;
}

/** Deletion to be sent to a reader. */
export interface FeedDeletion {
  readonly id: number;
  readonly deviceId: string;
  /** Null means all. */
  readonly keys: readonly string[] | null;
  readonly from: number;
  readonly to: number;
  /** True if the device was deleted. */
  readonly drop: boolean;
}

/** Unconfirmed values of one device in a closed time range. `seq` changes when values are added. */
export interface FeedRange {
  readonly device: number;
  readonly deviceId: string;
  readonly from: number;
  readonly to: number;
  readonly seq: number;
}

export interface FeedBacklog {
  /** Ranges, at most the requested number. */
  readonly ranges: readonly FeedRange[];
  readonly definitions: Definitions;
  /** Total number of ranges. */
  readonly rangeCount: number;
  /** Epoch ms of the oldest value in a range; null if there is none. */
  readonly oldestTs: number | null;
}

/** Range whose part from `from` to `until`, or from `since` to `to`, has arrived. */
export type ConfirmedRange = FeedRange & ({ readonly until: number } | { readonly since: number });

export interface FeedConfirmation {
  readonly id: string;
  /** Id of the last hot row that has arrived. */
  readonly position?: number | undefined;
  /** Parts of ranges that have arrived. */
  readonly ranges?: readonly ConfirmedRange[] | undefined;
  /** Deletions of the backlog that have arrived, by id. */
  readonly deletions?: readonly number[] | undefined;
}

/** Feeds of the store: readers that follow its writes, each from its own position. */
export interface TelemetryFeeds {
  /** Opens a feed of a tenant; does nothing if it is open. Values written while it is open are not lost for it. */
  open(id: string, tenantId: TenantId, start: FeedStart): Promise<void>;
  close(id: string): Promise<void>;
  /** Closes all feeds of a tenant. */
  closeOf(tenantId: TenantId): Promise<void>;
  /** Closes all other feeds. */
  keepOnly(ids: readonly string[]): Promise<void>;
  /** Adds the stored values of a closed range to the backlog again. */
  resend(id: string, from: number, to: number): Promise<void>;
  /** Returns the rows after `after`, or after the position if that is newer. */
  read(id: string, args: { after: number; known: KnownDefinitions; bytesMax: number }): Promise<FeedRows>;
  /** Returns the ranges that were sealed before they were confirmed. */
  backlog(
    id: string,
    args: { known: KnownDefinitions; limit: number; newestFirst: boolean },
  ): Promise<FeedBacklog>;
  /** Returns the approximate number of unconfirmed values. Slow if there are many ranges. */
  countPoints(id: string): Promise<number>;
  /** Returns the next rows of a device in a closed range; null at its end. */
  rows(
    deviceId: DeviceId,
    range: { readonly from: number; readonly to: number; readonly max?: ChunkMax },
  ): Promise<WireChunk | null>;
  confirm(confirmation: FeedConfirmation): Promise<void>;
}

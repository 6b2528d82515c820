/** Values of one key, one per row; `tags` as in `value-kind.ts` (0: no value in the row). */
export interface FeedColumn {
  readonly key: string;
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  /** Strings and JSON literals; null if the column has none. */
  readonly texts: readonly (string | undefined)[] | null;
}

/** Rows of one device: timestamps (epoch ms) strictly ascending. */
export interface FeedDeviceRows {
  readonly deviceId: string;
  readonly ts: Float64Array;
  readonly columns: readonly FeedColumn[];
}

/** Step of a feed: rows or a deletion. Once it and all earlier steps have arrived, `position` is confirmed. */
export type FeedStep =
  | {
      readonly kind: "rows";
      readonly devices: readonly FeedDeviceRows[];
      readonly points: number;
      readonly position: number;
    }
  | {
      readonly kind: "deletion";
      readonly deviceId: string;
      /** Null means all. */
      readonly keys: readonly string[] | null;
      readonly from: number;
      readonly to: number;
      /** True if the device was deleted. */
      readonly drop: boolean;
      readonly position: number;
    };

export type {
  ConfirmedRange,
  FeedBacklog,
  FeedConfirmation,
  FeedDeletion,
  FeedRange,
  FeedRows,
  FeedStart,
  KnownDefinitions,
} from "./store/feed/feed.types.ts";
export type { ChunkMax, WireChunk } from "./store/query/wire-chunk.types.ts";

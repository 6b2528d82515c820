/** Values of one key, one for each row; `tags` are those of `value-kind.ts` (0: the row has no value of the key). */
export interface FeedColumn {
  readonly key: string;
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  /** Strings and JSON literals; null if the column has none. */
  readonly texts: readonly (string | undefined)[] | null;
}

/** Rows of one device: time stamps (epoch ms) strictly ascending. */
export interface FeedDeviceRows {
  readonly deviceId: string;
  readonly ts: Float64Array;
  readonly columns: readonly FeedColumn[];
}

/** A step of a feed: rows or a deletion. Once it and all steps before it have arrived, `position` is confirmed. */
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
      /** null: all. */
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
} from "./store/feed.types.ts";
export type { ChunkMax, WireChunk } from "./store/wire-chunk.types.ts";

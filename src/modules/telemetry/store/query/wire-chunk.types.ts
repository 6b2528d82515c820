import type { PackedTexts } from "../../../../lib/data/packed-texts.ts";

export interface WireColumn {
  readonly key: string;
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  /** Texts per row; null if the column has none. */
  readonly texts: PackedTexts | null;
}

/** Max. bytes of a chunk (with at least one row), and the bytes counted for its parts. */
export interface ChunkMax {
  readonly bytes: number;
  readonly perRow: number;
  /** Bytes per key and row, with or without a value. */
  readonly perValue: number;
  readonly perCharacter: number;
}

/** Rows of one device in transfer format. */
export interface WireChunk {
  readonly ts: Float64Array;
  readonly columns: readonly WireColumn[];
  /** All rows up to and including this timestamp are included. */
  readonly to: number;
}

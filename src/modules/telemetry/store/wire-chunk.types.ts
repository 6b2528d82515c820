import type { PackedTexts } from "../../../lib/data/packed-texts.ts";

export interface WireColumn {
  readonly key: string;
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  /** Of each row; null if the column has none. */
  readonly texts: PackedTexts | null;
}

/** Max. bytes of one chunk, which holds one row at least, and what its parts count. */
export interface ChunkMax {
  readonly bytes: number;
  readonly perRow: number;
  /** Of each key in each row, whether there is a value or not. */
  readonly perValue: number;
  readonly perCharacter: number;
}

/** Rows of one device on their way out. */
export interface WireChunk {
  readonly ts: Float64Array;
  readonly columns: readonly WireColumn[];
  /** All rows up to and including this time stamp are in. */
  readonly to: number;
}

import type { PackedTexts } from "../../../lib/packed-texts.ts";

export interface WireColumn {
  readonly key: string;
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  /** Of each row; null if the column has none. */
  readonly texts: PackedTexts | null;
}

/** Max. size of one chunk, which holds one row at least. */
export interface ChunkMax {
  readonly rows: number;
  readonly values: number;
  /** Characters of the texts. */
  readonly characters: number;
}

/** Rows of one device on their way out. */
export interface WireChunk {
  readonly ts: Float64Array;
  readonly columns: readonly WireColumn[];
  /** All rows up to and including this time stamp are in. */
  readonly to: number;
}

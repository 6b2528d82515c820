export interface WireColumn {
  readonly key: string;
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  readonly texts: readonly (string | undefined)[] | null;
}

/** Rows of one device on their way out. */
export interface WireChunk {
  readonly ts: Float64Array;
  readonly columns: readonly WireColumn[];
  /** All rows up to and including this time stamp are in. */
  readonly to: number;
}

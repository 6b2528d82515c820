/** Memory that holds records of the hot tier. */
export interface Segment {
  readonly f64: Float64Array;
  readonly u32: Uint32Array;
  readonly bytes: Buffer;
}

/** An address is `segment * addressSpan + word`; it grows in arrival order. */
export const ADDRESS_SPAN = 2 ** 23;

/** The word inside its segment that an address names. */
export const wordOf = (address: number): number => address % ADDRESS_SPAN;

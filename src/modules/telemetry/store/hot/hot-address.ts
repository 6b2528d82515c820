/** Memory that holds records of the hot tier. */
export interface Segment {
  readonly f64: Float64Array;
  readonly u32: Uint32Array;
  readonly bytes: Buffer;
}

/** Words per segment. An address is `segment * addressSpan + word`, ascending in arrival order. */
export const ADDRESS_SPAN = 2 ** 23;

/** Returns the word of an address within its segment. */
export const wordOf = (address: number): number => address % ADDRESS_SPAN;

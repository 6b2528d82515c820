/** Significant digits of a scaled value. Further digits are errors of the multiplication. */
const SCALED_DIGITS = 14;

export interface Scaling {
  /** Multiplier of the raw value, before `offset` is added. */
  readonly scale?: number;
  readonly offset?: number;
}

export const isScaled = ({ scale = 1, offset = 0 }: Scaling): boolean => scale !== 1 || offset !== 0;

export const scaled = (raw: number, { scale = 1, offset = 0 }: Scaling): number =>
  Number((raw * scale + offset).toPrecision(SCALED_DIGITS));

export const unscaled = (value: number, { scale = 1, offset = 0 }: Scaling): number =>
  Number(((value - offset) / scale).toPrecision(SCALED_DIGITS));

/** Returns the shortest decimal number with the same 32-bit float: 0.1 instead of 0.10000000149011612. */
export function shortestFloat(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return candidate;
  }
  return value;
}

/**
 * Doubles as decimal-scaled integers: 21.37 is 2137 at scale 2. Values that arithmetic has moved by a few last places (51.846000000000004) keep that
 * distance; values without a short decimal form are exceptions.
 */
export interface DecimalForm {
  /** Decimal places. */
  readonly scale: number;
  /** At most `DECIMAL_MAX` in magnitude; an exception repeats its predecessor. */
  readonly ints: Float64Array;
  /** Distance from `ints / 10^scale` in units of the last place; null if all are 0. */
  readonly places: Float64Array | null;
  /** Indexes of values stored unchanged. */
  readonly exceptions: readonly number[];
}

/** Twice the delta of a delta must be an integer that a double can represent: 4 × 2 × 2^50 = 2^53. */
export const DECIMAL_MAX = 2 ** 50;
const SCALE_MAX = 15;
const PLACES_MAX = 2 ** 20;

/** Scale → power of ten. */
export const powersOfTen = Array.from({ length: SCALE_MAX + 1 }, (_, scale) => Number(`1e${scale}`));

const bits = new Float64Array(2);
const words = new Uint32Array(bits.buffer);

/** Returns the units of the last place from `a` to `b`; infinite if they differ in sign. */
function distance(a: number, b: number): number {
  bits[0] = a;
  bits[1] = b;
  if ((words[1]! ^ words[3]!) >>> 31 !== 0) return Number.POSITIVE_INFINITY;
  return (words[3]! - words[1]!) * 2 ** 32 + (words[2]! - words[0]!);
}

/** Returns the double that is `places` units of the last place from `value`. */
export function stepPlaces(value: number, places: number): number {
  bits[0] = value;
  const low = words[0]! + places;
  const carry = Math.floor(low / 2 ** 32);
  words[0] = low - carry * 2 ** 32;
  words[1] = words[1]! + carry;
  return bits[0]!;
}

const isNegativeZero = (value: number): boolean => value === 0 && 1 / value < 0;

function isExact(value: number, scale: number): boolean {
  const power = powersOfTen[scale]!;
  const int = Math.round(value * power);
  return int / power === value && Math.abs(int) <= DECIMAL_MAX;
}

/** Returns the number of values that need each scale; the last entry counts values without a short decimal form. */
function scaleCounts(values: Float64Array): Uint32Array {
  const counts = new Uint32Array(SCALE_MAX + 2);
  let guess = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    let scale = isExact(value, guess) ? guess : 0;
    // A value that fits the guess may need fewer places; the scale of the column is what matters, not the value's own.
    if (scale === 0) while (scale <= SCALE_MAX && !isExact(value, scale)) scale++;
    counts[scale]!++;
    if (scale <= SCALE_MAX) guess = Math.max(guess, scale);
  }
  return counts;
}

/** Returns scales worth trying, at most two; none if too few values have a decimal form. */
export function candidateScales(values: Float64Array): number[] {
  const sample = values.length > 512 ? values.subarray(0, 256) : values;
  if (scaleCounts(sample)[SCALE_MAX + 1]! > sample.length * 0.9) return [];
  const counts = scaleCounts(values);
  const decimal = values.length - counts[SCALE_MAX + 1]!;
  const scales = new Set<number>();
  let covered = 0;
  for (let scale = 0; scale <= SCALE_MAX; scale++) {
    if (counts[scale] === 0) continue;
    covered += counts[scale]!;
    if (covered === decimal || (covered >= decimal * 0.9 && scales.size === 0)) scales.add(scale);
  }
  return [...scales];
}

/** Converts to decimals; null if more than a quarter of the values would be exceptions. */
export function toDecimal(values: Float64Array, scale: number): DecimalForm | null {
  const power = powersOfTen[scale]!;
  const ints = new Float64Array(values.length);
  const exceptions: number[] = [];
  let places: Float64Array | null = null;
  let previous = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    const int = Math.round(value * power);
    const off =
      Math.abs(int) <= DECIMAL_MAX && !isNegativeZero(value) ? distance(int / power, value) : Infinity;
    if (Math.abs(off) > PLACES_MAX || Object.is(int, -0)) {
      exceptions.push(i);
      if (exceptions.length > values.length / 4) return null;
    } else {
      previous = int;
      if (off !== 0) {
        places ??= new Float64Array(values.length);
        places[i] = off;
      }
    }
    ints[i] = previous;
  }
  return { scale, ints, places, exceptions };
}

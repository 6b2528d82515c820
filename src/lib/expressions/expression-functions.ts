const powersOfTen = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);
/** Returns the factor of `roundBy` for a number of decimals. */
export const roundingFactor = (digits: number): number => powersOfTen[digits] ?? 10 ** digits;
/** Limit above which doubles have no decimals. */
const WHOLE_FROM = 1e14;
/** Factor for the error of a multiplication by a power of ten: 1.005 × 100 is 100.49999999999999. */
const SLACK = 1 + 2 * Number.EPSILON;

/** Rounds half away from zero to a multiple of 1 / `factor`. */
export const roundBy = (value: number, factor: number): number => {
  const scaled = Math.abs(value) * factor;
  if (!(scaled < WHOLE_FROM)) return value;
  const rounded = Math.round(scaled * SLACK) / factor;
  return value < 0 && rounded !== 0 ? -rounded : rounded;
};

/** Rounds half away from zero to `digits` decimals: `round(-2.5)` is -3. */
export const roundTo = (value: number, digits: number): number => roundBy(value, roundingFactor(digits));

/** Returns `roundTo` for many values. */
export function createRounder(digits: number): (value: number) => number {
  const factor = roundingFactor(digits);
  return (value) => roundBy(value, factor);
}

/** Implementation of a function for one number, two numbers, or any number of them. */
interface FunctionRule {
  unaryForm?(value: number): number;
  binaryForm?(first: number, second: number): number;
  variadic?(values: number[]): number;
}

/** Max. arguments of a variadic function. */
export const ARGUMENTS_MAX = 50;

/** Functions of expressions. */
export const functions: Record<string, FunctionRule> = {
  min: { variadic: (values) => Math.min(...values) },
  max: { variadic: (values) => Math.max(...values) },
  round: { unaryForm: (value) => roundTo(value, 0), binaryForm: roundTo },
  pow: { binaryForm: (base, exponent) => base ** exponent },
  log: { unaryForm: Math.log, binaryForm: (value, base) => Math.log(value) / Math.log(base) },
  abs: { unaryForm: Math.abs },
  sqrt: { unaryForm: Math.sqrt },
  floor: { unaryForm: Math.floor },
  ceil: { unaryForm: Math.ceil },
  exp: { unaryForm: Math.exp },
};

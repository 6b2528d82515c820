const powersOfTen = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);
/** Beyond this there are no decimals left in a double. */
const WHOLE_FROM = 1e14;
/** What multiplying by a power of ten may lose: 1.005 × 100 is 100.49999999999999. */
const SLACK = 1 + 2 * Number.EPSILON;

/** Half away from zero, as people round: `round(-2.5)` is -3; with `digits` decimals. */
export function roundTo(value: number, digits: number): number {
  const factor = powersOfTen[digits] ?? 10 ** digits;
  const scaled = Math.abs(value) * factor;
  if (!(scaled < WHOLE_FROM)) return value;
  const rounded = Math.round(scaled * SLACK) / factor;
  return value < 0 && rounded !== 0 ? -rounded : rounded;
}

interface FunctionRule {
  readonly min: number;
  readonly max: number;
  run(values: number[]): number;
}
const one = (run: (value: number) => number): FunctionRule => ({
  min: 1,
  max: 1,
  run: ([value = Number.NaN]) => run(value),
});
/** What an expression may call, each with how many values it takes. */
export const functions: Record<string, FunctionRule> = {
  min: { min: 1, max: 50, run: (values) => Math.min(...values) },
  max: { min: 1, max: 50, run: (values) => Math.max(...values) },
  round: { min: 1, max: 2, run: ([value = Number.NaN, digits = 0]) => roundTo(value, digits) },
  pow: { min: 2, max: 2, run: ([base = Number.NaN, exponent = Number.NaN]) => base ** exponent },
  log: {
    min: 1,
    max: 2,
    run: ([value = Number.NaN, base]) =>
      base === undefined ? Math.log(value) : Math.log(value) / Math.log(base),
  },
  abs: one(Math.abs),
  sqrt: one(Math.sqrt),
  floor: one(Math.floor),
  ceil: one(Math.ceil),
  exp: one(Math.exp),
};

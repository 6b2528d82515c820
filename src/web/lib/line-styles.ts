/** How the values of a chart are drawn; `band`: the average with the range from the lowest to the highest value of each interval. */
export const LINE_STYLES = ["line", "step", "area", "bar", "band"] as const;
export type LineStyle = (typeof LINE_STYLES)[number];

export const toLineStyle = (value: unknown): LineStyle =>
  LINE_STYLES.find((style) => style === value) ?? "line";

/** Number of intervals of a band: few enough that each has a lowest and a highest value. */
export const BAND_INTERVALS = 100;

/** Ends of a value axis that a person has set. */
export interface AxisLimits {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** Returns the range of an axis: the ends that were set; its values determine the others. */
export function withAxisLimits([low, high]: readonly [number, number], limits: AxisLimits): [number, number] {
  const { min = low, max = high } = limits;
  if (min < max) return [min, max];
  // If the only configured end lies beyond all values, the axis still starts or ends there.
  if (limits.max === undefined) return [min, min + Math.abs(high - low || 1)];
  return limits.min === undefined ? [max - Math.abs(high - low || 1), max] : [low, high];
}

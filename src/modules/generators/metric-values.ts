import { normal } from "../../lib/data/random.ts";
import type { Metric } from "./generators.types.ts";

/*
 * Generates the numbers of a metric. They are calculated as integers in units of 10^-decimals, so that they stay within min and max and have the
 * right number of decimals despite floating point.
 */

export const DECIMALS_MAX = 9;
/** Min. number of values between min and max, if no decimal places are set. */
const VALUES_WANTED = 1_000;
/** Default step of a walk, as a share of the range from min to max. */
const WALK_SHARE = 0.04;
/** Max. distance of a walk between two readings, in steps. */
const WALK_STEPS_MAX = 3;
/** Default length of a wave, in readings. */
const WAVE_READINGS = 60;

/** Possible values of a metric, ascending: `valueAt(0)` … `valueAt(size)`. */
export interface Grid {
  readonly size: number;
  readonly unitsPerOne: number;
  valueAt(index: number): number;
  /** Returns the index of the nearest value; `undefined` if `value` is outside the range. */
  indexOf(value: number): number | undefined;
}

function decimalsOf(value: number): number {
  const [digits = "", exponent = "0"] = String(value).split("e");
  return Math.max(0, (digits.split(".")[1] ?? "").length - Number(exponent));
}

const fits = ({ min, max }: Metric, decimals: number): boolean =>
  Math.max(Math.abs(min), Math.abs(max)) * 10 ** decimals < Number.MAX_SAFE_INTEGER;

function usualDecimals(metric: Metric): number {
  const { min, max, step = 0 } = metric;
  const forSpan = max > min ? Math.ceil(Math.log10(VALUES_WANTED / (max - min))) : 0;
  const wanted = Math.max(0, forSpan, decimalsOf(min), decimalsOf(max), decimalsOf(step));
  let decimals = Math.min(wanted, DECIMALS_MAX);
  while (decimals > 0 && !fits(metric, decimals)) decimals--;
  return decimals;
}

/** Returns the possible values of a metric; `undefined` if none with its `decimals` lies within its range, or if doubles cannot distinguish them. */
export function gridOf(metric: Metric): Grid | undefined {
  const { min } = metric;
  const onlyMin: Grid = { size: 0, unitsPerOne: 1, valueAt: () => min, indexOf: () => 0 };
  return gridOfUnits(metric) ?? (metric.decimals === undefined ? onlyMin : undefined);
}

function gridOfUnits(metric: Metric): Grid | undefined {
  const { min, max } = metric;
  const decimals = metric.decimals ?? usualDecimals(metric);
  if (!fits(metric, decimals)) return undefined;
  const unitsPerOne = 10 ** decimals;
  let low = Math.round(min * unitsPerOne);
  if (low / unitsPerOne < min) low++;
  let high = Math.round(max * unitsPerOne);
  if (high / unitsPerOne > max) high--;
  if (low > high) return undefined;
  return {
    size: high - low,
    unitsPerOne,
    valueAt: (index) => (low + index) / unitsPerOne + 0, // no -0
    indexOf(value) {
      const index = Math.round(value * unitsPerOne) - low;
      return index >= 0 && index <= high - low ? index : undefined;
    },
  };
}

/** Returns the step of a counter in units: 1 by default, or the smallest step if all values lie within 1. */
export function counterUnits({ step }: Metric, { size, unitsPerOne }: Grid): number {
  return step === undefined ? (size >= unitsPerOne ? unitsPerOne : 1) : Math.round(step * unitsPerOne);
}

export interface Course {
  readonly intervalSeconds: number;
  /** Initial phase of a device in its waves, 0 … 1. */
  readonly offset: number;
  /** Newest stored value, from which walks and counters continue. */
  readonly last: number | undefined;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
}

/** Returns a function that returns the values of one metric of one device, reading by reading; `ts` is the reading's time (epoch ms). */
export function createMetricValues(metric: Metric, course: Course): (ts: number) => number {
  const grid = gridOf(metric);
  if (grid === undefined) return () => metric.min; // refused when it was written
  const { size } = grid;
  const { random } = course;
  const lastIndex = course.last === undefined ? undefined : grid.indexOf(course.last);
  switch (metric.pattern ?? "random") {
    case "random":
      return () => grid.valueAt(Math.min(size, Math.floor(random() * (size + 1))));
    case "sine": {
      const periodMs = (metric.periodSeconds ?? WAVE_READINGS * course.intervalSeconds) * 1000;
      return (ts) => {
        const phase = (ts % periodMs) / periodMs + course.offset;
        return grid.valueAt(Math.round(size * (0.5 + 0.5 * Math.sin(2 * Math.PI * phase))));
      };
    }
    case "counter": {
      const units = counterUnits(metric, grid);
      let index = lastIndex;
      return () => {
        index = index === undefined || index + units > size ? 0 : index + units;
        return grid.valueAt(index);
      };
    }
    case "walk": {
      const units = metric.step === undefined ? size * WALK_SHARE : metric.step * grid.unitsPerOne;
      let position = lastIndex ?? random() * size;
      return () => {
        const steps = Math.max(-WALK_STEPS_MAX, Math.min(WALK_STEPS_MAX, normal(random)));
        const next = position + steps * units;
        const turned = next < 0 ? -next : next > size ? 2 * size - next : next;
        position = Math.max(0, Math.min(size, turned));
        return grid.valueAt(Math.round(position));
      };
    }
  }
}

import { DAY_MS, HOUR_MS } from "../../lib/core/units.ts";
import { toNumber } from "./chart-data.ts";
import type { SeriesBuffer } from "./series-buffer.ts";

/** Max. number of bars of a chart whose intervals do not follow the calendar. */
export const BARS_MAX = 60;

/** Total consumption of several meters in one interval. */
export interface Consumption {
  /** Start of the interval, epoch ms. */
  readonly from: number;
  /** End of the interval, as far as it is known. */
  readonly to: number;
  readonly amount: number;
}

const NOMINAL_MS: Readonly<Record<string, number>> = {
  "1h": HOUR_MS,
  "1d": DAY_MS,
  "1w": 7 * DAY_MS,
  "1mo": 30 * DAY_MS,
};

const minutesOf = (time: string): number => {
  const [hours, minutes] = time.split(":").map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
};

/** Returns the shortest time between neighboring times of day of a list, in ms. */
function shortestShiftMs(times: readonly string[]): number {
  const minutes = times.map(minutesOf).sort((a, b) => a - b);
  const gaps = minutes.map((start, index) => (minutes[index + 1] ?? minutes[0]! + 24 * 60) - start);
  return Math.min(...gaps) * 60_000;
}

/** Returns the length of an interval such as 1d or 06:00,14:00,22:00; for shifts, that of the shortest one; for calendar intervals, the approximate length. */
export const nominalMs = (interval: string): number =>
  interval.includes(":") ? shortestShiftMs(interval.split(",")) : (NOMINAL_MS[interval] ?? DAY_MS);

const STEPS: readonly (readonly [widthMs: number, interval: string])[] = [
  [2 * 60_000, "5s"],
  [HOUR_MS, "1m"],
  [6 * HOUR_MS, "15m"],
  [3 * DAY_MS, "1h"],
  [62 * DAY_MS, "1d"],
  [366 * DAY_MS, "1w"],
];

/** Returns a calendar interval that divides the window into some dozens of bars. */
export const barInterval = (widthMs: number): string => STEPS.find(([most]) => widthMs <= most)?.[1] ?? "1mo";

/** Adds up the deltas of several counters by interval. */
export function consumptionOf(buffers: readonly SeriesBuffer[], interval: string): Consumption[] {
  const amounts = new Map<number, number>();
  for (const { ts, values } of buffers)
    for (const [index, start] of ts.entries())
      amounts.set(start, (amounts.get(start) ?? 0) + (toNumber(values[index] ?? 0) ?? 0));
  const starts = [...amounts.keys()].sort((a, b) => a - b);
  const length = nominalMs(interval);
  return starts.map((from, index) => ({
    from,
    to: Math.min(from + length, starts[index + 1] ?? Number.POSITIVE_INFINITY),
    amount: amounts.get(from) ?? 0,
  }));
}

/** Returns the sum of all intervals. */
export const totalOf = (all: readonly Consumption[]): number =>
  all.reduce((sum, { amount }) => sum + amount, 0);

export const isRunning = ({ from, to }: Consumption, nowMs: number): boolean => from <= nowMs && nowMs < to;

/**
 * Returns the intervals of the previous period. The one that corresponds to the current interval ends at the same time.
 * @param soFar consumption of the previous period up to the same time; undefined if the current period has ended
 */
export function comparable(
  before: readonly Consumption[],
  soFar: number | undefined,
  nowMs: number,
): readonly Consumption[] {
  const running = before.find((consumption) => isRunning(consumption, nowMs));
  if (soFar === undefined || running === undefined) return before;
  const earlier = totalOf(before.filter(({ from }) => from < running.from));
  const amount = Math.max(0, soFar - earlier);
  return before.map((consumption) => (consumption === running ? { ...running, amount } : consumption));
}

/** Largest change shown as a percentage; beyond it, the comparison period was almost empty. */
const CHANGE_MAX = 10;

/** Change between two amounts as a share, or why there is none to show. */
export type Change = number | "incomplete" | "tooLittle" | "none";

/**
 * Compares an amount with that of the comparison period.
 * @param starts first intervals with data; undefined if single intervals are compared
 */
export function changeOf(
  amount: number,
  other: number | undefined,
  starts?: { readonly current: number; readonly other: number; readonly intervalMs: number },
): Change {
  if (starts !== undefined && starts.other - starts.current > starts.intervalMs) return "incomplete";
  if (other === undefined || (other <= 0 && amount <= 0)) return "none";
  const change = amount / other - 1;
  return other > 0 && change <= CHANGE_MAX ? change : "tooLittle";
}

/** Returns the marks of an axis from 0 to an amount: 3 to 6 multiples of 1, 2 or 5 and a power of ten. */
export function amountMarks(high: number): number[] {
  const step = Math.max(high, Number.MIN_VALUE) / 4;
  const power = 10 ** Math.floor(Math.log10(step));
  const unit = power * ([1, 2, 5].find((factor) => factor * power >= step) ?? 10);
  return high > 0
    ? Array.from({ length: Math.ceil(high / unit - 1e-9) + 1 }, (_, index) =>
        Number((index * unit).toPrecision(12)),
      )
    : [0, 1];
}

import { invalid } from "../../../../lib/core/domain-error.ts";
import { calendarStarts } from "../../../../lib/time/calendar-interval.ts";
import type { RangeQuery } from "../../telemetry.types.ts";
import type { Stamps } from "../codec/stamps.ts";
import { lowerBound } from "../rows.ts";

/** Output intervals of an aggregate; `index` ascends in time. */
export interface Intervals {
  indexOf(ts: number): number;
  /** Returns the start of an interval, which is `[startOf(index), startOf(index + 1))`. */
  startOf(index: number): number;
}

/** Returns intervals of whole milliseconds, so that each start is a valid timestamp; the last may extend beyond the range. */
const equalIntervals = (from: number, width: number): Intervals => ({
  indexOf: (ts) => Math.floor((ts - from) / width),
  startOf: (index) => from + index * width,
});

function listedIntervals(starts: Float64Array): Intervals {
  let recent = 0;
  return {
    indexOf(ts) {
      // Points come in order: the interval of the point before, or the next, is nearly always right.
      if (ts < starts[recent]!) recent = 0;
      while (recent + 1 < starts.length && starts[recent + 1]! <= ts) recent++;
      return recent;
    },
    startOf: (index) => starts[index] ?? Number.POSITIVE_INFINITY,
  };
}

/** Calls back with the rows `[start, stop)` of each non-empty interval, in order. */
export function eachInterval(
  intervals: Intervals,
  ts: Float64Array,
  visit: (index: number, start: number, stop: number) => void,
): void {
  for (let row = 0; row < ts.length; ) {
    const index = intervals.indexOf(ts[row]!);
    // The row that opened the interval belongs to it even where rounding puts the end before it.
    const stop = Math.max(row + 1, lowerBound(ts, intervals.startOf(index + 1)));
    visit(index, row, stop);
    row = stop;
  }
}

/** Like `eachInterval`, for the rows of a block within a closed range. */
export function eachIntervalOf(
  intervals: Intervals,
  { stamps, from, to }: { readonly stamps: Stamps; readonly from: number; readonly to: number },
  visit: (index: number, start: number, stop: number) => void,
): void {
  const end = stamps.rowsBefore(to + 1);
  for (let row = stamps.rowsBefore(from); row < end; ) {
    const index = intervals.indexOf(stamps.at(row));
    const stop = Math.max(row + 1, Math.min(end, stamps.rowsBefore(intervals.startOf(index + 1))));
    visit(index, row, stop);
    row = stop;
  }
}

const tooMany = (max: number) => invalid("telemetry.too_many_intervals", { max });

type IntervalsQuery = Pick<RangeQuery, "from" | "to" | "interval" | "maxDataPoints">;

/** @throws DomainError `invalid` if the requested interval does not fit */
export function intervalsOf(query: IntervalsQuery): Intervals {
  const { from, to, interval } = query;
  const most = Math.max(1, Math.floor(query.maxDataPoints));
  if (interval === undefined) return equalIntervals(from, Math.max(1, Math.ceil((to - from + 1) / most)));
  if (interval.kind === "ms") {
    const ms = Math.max(1, interval.ms);
    const start = Math.floor(from / ms) * ms;
    if ((to - start) / ms >= most) throw tooMany(most);
    return equalIntervals(start, ms);
  }
  const starts = calendarStartsOrRefuse(query, interval, most);
  if (starts === null) throw tooMany(most);
  return listedIntervals(starts);
}

function calendarStartsOrRefuse(
  range: IntervalsQuery,
  of: Parameters<typeof calendarStarts>[1],
  most: number,
): Float64Array | null {
  try {
    return calendarStarts(range, of, most);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw invalid("telemetry.timezone");
  }
}

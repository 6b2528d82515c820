// How long a key had each of its values: the aggregate `timeIn`.
import type { TelemetryValue } from "./api-types.ts";
import type { SeriesBuffer } from "./series-buffer.ts";

/** Time for which a value held. Without `value`: all values that the server does not distinguish. */
export interface StateShare {
  readonly value: TelemetryValue | undefined;
  readonly ms: number;
}

/** The shares of one interval, in the order of the states. */
export interface DurationBar {
  /** Start and end of the interval, epoch ms. */
  readonly from: number;
  readonly to: number;
  readonly parts: readonly StateShare[];
  /** Time during which any value held, ms. */
  readonly totalMs: number;
}

const nameOf = ({ value }: StateShare): string => (value === undefined ? "" : JSON.stringify(value));
const byState = (a: StateShare, b: StateShare): number =>
  nameOf(a).localeCompare(nameOf(b), "en", { numeric: true });

/** Returns the shares of a point; an empty list for a value that is not a list of them. */
export function sharesOf(point: TelemetryValue | undefined): StateShare[] {
  if (!Array.isArray(point)) return [];
  return point
    .flatMap((item): StateShare[] => {
      if (typeof item !== "object" || item === null || Array.isArray(item)) return [];
      const { ms, value } = item as Readonly<Record<string, TelemetryValue | undefined>>;
      return typeof ms === "number" && ms > 0 ? [{ value, ms }] : [];
    })
    .sort(byState);
}

/** Returns a bar for each interval; the last one ends at `end`. */
export function durationBars({ ts, values }: SeriesBuffer, end: number): DurationBar[] {
  return ts.flatMap((from, index) => {
    const parts = sharesOf(values[index]);
    const totalMs = parts.reduce((sum, { ms }) => sum + ms, 0);
    const to = ts[index + 1] ?? Math.max(end, from + totalMs);
    return totalMs === 0 ? [] : [{ from, to, parts, totalMs }];
  });
}

/** Returns the total duration of each state in all bars, in the order of the states. */
export function totalDurations(bars: readonly DurationBar[]): StateShare[] {
  const totals = new Map<string, StateShare>();
  for (const part of bars.flatMap(({ parts }) => parts)) {
    const ms = (totals.get(nameOf(part))?.ms ?? 0) + part.ms;
    totals.set(nameOf(part), { ...part, ms });
  }
  return [...totals.values()].sort(byState);
}

import type {
  Reading,
  StateDuration,
  TelemetryValue,
} from "../../../../src/modules/telemetry/telemetry.types.ts";

/** What the store must behave like: a map per device and key from timestamp to the value written last. */
export class StoreModel {
  /** Device → key → timestamp → value. */
  readonly devices = new Map<string, Map<string, Map<number, TelemetryValue>>>();

  append(device: string, readings: readonly Reading[]): void {
    const keys = this.devices.get(device) ?? new Map<string, Map<number, TelemetryValue>>();
    this.devices.set(device, keys);
    for (const { ts, values } of readings) {
      for (const [key, value] of Object.entries(values)) {
        const points = keys.get(key) ?? new Map<number, TelemetryValue>();
        keys.set(key, points.set(ts, value));
      }
    }
  }

  deleteRange(device: string, keys: readonly string[], from: number, to: number): void {
    for (const [key, points] of this.devices.get(device) ?? []) {
      if (keys.length > 0 && !keys.includes(key)) continue;
      for (const ts of [...points.keys()]) if (ts >= from && ts <= to) points.delete(ts);
      if (points.size === 0) this.devices.get(device)?.delete(key);
    }
  }

  points(device: string, key: string, from: number, to: number): [number, TelemetryValue][] {
    const points = this.devices.get(device)?.get(key) ?? new Map<number, TelemetryValue>();
    return [...points].filter(([ts]) => ts >= from && ts <= to).sort(([a], [b]) => a - b);
  }

  keys(device: string): string[] {
    return [...(this.devices.get(device)?.keys() ?? [])].sort();
  }

  latest(
    device: string,
    key: string,
    until = Number.POSITIVE_INFINITY,
  ): [number, TelemetryValue] | undefined {
    return this.points(device, key, Number.NEGATIVE_INFINITY, until).at(-1);
  }
}

export type AggregateName = "min" | "max" | "avg" | "sum" | "count";

/** An aggregate over values, the naive way. */
export function aggregate(name: AggregateName, values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  switch (name) {
    case "count":
      return values.length;
    case "min":
      return Math.min(...values);
    case "max":
      return Math.max(...values);
    case "avg":
      return sum / values.length;
    case "sum":
      return sum;
  }
}

type ModelPoint = readonly [ts: number, value: TelemetryValue];

/** An aggregate's range (closed) and its intervals, all of one width and the first from `start` on. */
export interface ModelRange {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly width: number;
}

const startOf = ({ start, width }: ModelRange, ts: number) =>
  start + Math.floor((ts - start) / width) * width;

/** The points of each interval that has any, by its start. */
export function intervalsIn(points: readonly ModelPoint[], range: ModelRange): Map<number, TelemetryValue[]> {
  const intervals = new Map<number, TelemetryValue[]>();
  for (const [ts, value] of points) {
    if (ts < range.from || ts > range.to) continue;
    const start = startOf(range, ts);
    const values = intervals.get(start) ?? [];
    values.push(value);
    intervals.set(start, values);
  }
  return intervals;
}

/** Increase of a counter by interval. `points`: all up to the range's end, those before the range included. */
export function deltas(points: readonly ModelPoint[], range: ModelRange): Map<number, number> {
  const numbers = points.filter(([, value]) => typeof value === "number") as (readonly [number, number])[];
  const sums = new Map<number, number>();
  for (const [index, [ts, value]] of numbers.entries()) {
    if (ts < range.from || ts > range.to) continue;
    const previous = numbers[index - 1]?.[1] ?? value;
    const increase = value < previous ? value : value - previous;
    const start = startOf(range, ts);
    sums.set(start, (sums.get(start) ?? 0) + increase);
  }
  return sums;
}

/** The most different values that `timeIn` tells apart. */
const STATES_MAX = 32;

/** Time of each value by interval. `points`: all, those before and behind the range included. */
export function timesIn(
  points: readonly ModelPoint[],
  range: ModelRange & { readonly now: number },
): [number, StateDuration[]][] {
  const end = Math.min(range.to + 1, range.now);
  const intervals = new Map<number, Map<TelemetryValue | undefined, number>>();
  const states: TelemetryValue[] = [];
  for (const [index, [ts, value]] of points.entries()) {
    const until = Math.min(points[index + 1]?.[0] ?? end, end);
    if (until <= Math.max(ts, range.from)) continue;
    // 0 and -0 are one state.
    const named = typeof value === "number" ? value + 0 : value;
    const isOther = typeof named === "object" || (!states.includes(named) && states.length === STATES_MAX);
    const state = isOther ? undefined : named;
    if (state !== undefined && !states.includes(state)) states.push(state);
    for (let ms = Math.max(ts, range.from); ms < until; ms++) {
      const start = startOf(range, ms);
      const times = intervals.get(start) ?? new Map<TelemetryValue | undefined, number>();
      intervals.set(start, times.set(state, (times.get(state) ?? 0) + 1));
    }
  }
  return [...intervals].map(([start, times]) => {
    const listed = states.flatMap((value) => (times.has(value) ? [{ value, ms: times.get(value)! }] : []));
    const other = times.get(undefined);
    return [start, [...listed, ...(other === undefined ? [] : [{ ms: other }])] as StateDuration[]];
  });
}

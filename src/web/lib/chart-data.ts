import { decimalsOf } from "../../lib/keys/key-format.ts";
import type { TelemetryValue } from "./api-types.ts";
import type { SeriesBuffer } from "./series-buffer.ts";

/** A value of a column: a number, `null` for a gap (the line breaks), `undefined` where only other series have a point. */
export type ChartValue = number | null | undefined;
export type ChartColumns = [number[], ...ChartValue[][]];

export function toNumber(value: TelemetryValue): number | null {
  if (typeof value === "number") return value;
  return typeof value === "boolean" ? Number(value) : null;
}

const GAP_FACTOR = 3;
const GAP_AT_LEAST_MS = 2000;
const NEIGHBOURS = 4;

const NOT_THINNED = { until: 0, stepMs: 0 };

/** The median interval between some consecutive points: the usual interval of the device there. */
function usualDistance(ts: readonly number[], from: number, to: number): number {
  const distances: number[] = [];
  for (let i = Math.max(1, from); i < Math.min(ts.length, to); i++) distances.push(ts[i]! - ts[i - 1]!);
  distances.sort((a, b) => a - b);
  return distances[distances.length >> 1] ?? 0;
}

/**
 * Returns whether data is missing before point `i`: the interval before it is more than three times the usual one on both sides of it. Comparing
 * both sides keeps the line together where a device changes its interval, and where coarse history meets live points.
 */
export function isGap(ts: readonly number[], i: number, thinned = NOT_THINNED): boolean {
  const distance = ts[i]! - ts[i - 1]!;
  const atLeast = ts[i]! <= thinned.until ? Math.max(GAP_AT_LEAST_MS, thinned.stepMs * 2) : GAP_AT_LEAST_MS;
  if (!(distance > atLeast)) return false;
  const before = usualDistance(ts, i - NEIGHBOURS, i);
  const after = usualDistance(ts, i + 1, i + 1 + NEIGHBOURS);
  const usual = Math.max(before, after);
  return usual > 0 && distance > usual * GAP_FACTOR;
}

interface Column {
  readonly ts: number[];
  readonly values: (number | null)[];
}

function withGaps(buffer: SeriesBuffer, from: number, to: number): Column {
  const column: Column = { ts: [], values: [] };
  // One point before and one after the window, so that lines run to its edges.
  const start = Math.max(0, buffer.indexOf(from) - 1);
  const end = Math.min(buffer.ts.length, buffer.indexOf(to) + 1);
  for (let i = start; i < end; i++) {
    const ts = buffer.ts[i]!;
    if (i > start && isGap(buffer.ts, i, buffer.thinned)) {
      column.ts.push(buffer.ts[i - 1]! + 1);
      column.values.push(null);
    }
    column.ts.push(ts);
    column.values.push(toNumber(buffer.values[i]!));
  }
  return column;
}

/** Joins series with different intervals on one time axis, which is the format that the chart draws. */
export function alignColumns(
  buffers: readonly SeriesBuffer[],
  bounds: { from: number; to: number },
): ChartColumns {
  const columns = buffers.map((b) => withGaps(b, bounds.from, bounds.to));
  const only = columns[0];
  if (columns.length === 1 && only) return [only.ts, only.values];
  return merged(columns);
}

/** Merges all columns in one pass: each step takes the earliest next time. */
function merged(columns: readonly Column[]): ChartColumns {
  const axis: number[] = [];
  const values: ChartValue[][] = columns.map(() => []);
  /** Column number → number of points read. */
  const next = columns.map(() => 0);
  for (;;) {
    let ts = Number.POSITIVE_INFINITY;
    for (let c = 0; c < columns.length; c++) ts = Math.min(ts, columns[c]!.ts[next[c]!] ?? ts);
    if (ts === Number.POSITIVE_INFINITY) return [axis, ...values];
    axis.push(ts);
    for (let c = 0; c < columns.length; c++) {
      const has = columns[c]!.ts[next[c]!] === ts;
      values[c]!.push(has ? columns[c]!.values[next[c]!] : undefined);
      if (has) next[c]!++;
    }
  }
}

/** All values up to this number are checked for their decimals; of more values, only some are. */
const DECIMALS_SAMPLES = 200;

export interface Stats {
  readonly min: number;
  readonly avg: number;
  readonly max: number;
  readonly count: number;
  /** Largest number of decimals among the values. */
  readonly decimals: number;
}

export function statsOf(buffer: SeriesBuffer, bounds: { from: number; to: number }): Stats | undefined {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let sum = 0;
  let count = 0;
  let decimals = 0;
  const sampleEvery = Math.ceil(buffer.ts.length / DECIMALS_SAMPLES);
  for (let i = buffer.indexOf(bounds.from); i < buffer.ts.length && buffer.ts[i]! <= bounds.to; i++) {
    const n = toNumber(buffer.values[i]!);
    if (n === null) continue;
    if (n < min) min = n;
    if (n > max) max = n;
    sum += n;
    if (count % sampleEvery === 0) decimals = Math.max(decimals, decimalsOf(n));
    count++;
  }
  return count === 0 ? undefined : { min, avg: sum / count, max, count, decimals };
}

/** Returns the number of non-numeric values of a numeric series, to which no line leads; 0 for a series without numbers. */
export function skippedIn(buffer: SeriesBuffer, bounds: { from: number; to: number }): number {
  let numbers = 0;
  let others = 0;
  for (let i = buffer.indexOf(bounds.from); i < buffer.ts.length && buffer.ts[i]! <= bounds.to; i++)
    if (toNumber(buffer.values[i]!) === null) others++;
    else numbers++;
  return buffer.skipped + (numbers > 0 ? others : 0);
}

/** Returns the rows of the table and the CSV file: one per time, the newest first. */
export function tableRows(
  buffers: readonly SeriesBuffer[],
  bounds: { from: number; to: number },
): { ts: number; values: (TelemetryValue | undefined)[] }[] {
  const byTs = new Map<number, (TelemetryValue | undefined)[]>();
  buffers.forEach((buffer, column) => {
    for (let i = buffer.indexOf(bounds.from); i < buffer.ts.length && buffer.ts[i]! <= bounds.to; i++) {
      const ts = buffer.ts[i]!;
      const row = byTs.get(ts) ?? new Array<TelemetryValue | undefined>(buffers.length).fill(undefined);
      row[column] = buffer.values[i];
      byTs.set(ts, row);
    }
  });
  return [...byTs].map(([ts, values]) => ({ ts, values })).sort((a, b) => b.ts - a.ts);
}

/** Returns an SVG path through the points, interrupted at gaps; "" if there is nothing to draw. */
export function sparkPath(
  points: readonly { ts: number; value: number }[],
  box: { width: number; height: number },
  thinned = NOT_THINNED,
): string {
  const { width, height } = box;
  if (points.length < 2) return "";
  const first = points[0]!.ts;
  const span = points[points.length - 1]!.ts - first || 1;
  const times = points.map((p) => p.ts);
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const p of points) {
    min = Math.min(min, p.value);
    max = Math.max(max, p.value);
  }
  const range = max - min;
  const parts = points.map((p, i) => {
    const x = ((p.ts - first) / span) * width;
    const y = range === 0 ? height / 2 : height - 1 - ((p.value - min) / range) * (height - 2);
    const starts = i === 0 || isGap(times, i, thinned);
    return `${starts ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  return parts.join("");
}

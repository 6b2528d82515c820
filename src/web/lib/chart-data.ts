import type { TelemetryValue } from "../state/api-types.ts";
import type { SeriesBuffer } from "./series-buffer.ts";

/** A column value: a number, `null` for a real gap (the line breaks), `undefined` where only another series has a point. */
export type ChartValue = number | null | undefined;
export type ChartColumns = [number[], ...ChartValue[][]];

export function toNumber(value: TelemetryValue): number | null {
  if (typeof value === "number") return value;
  return typeof value === "boolean" ? Number(value) : null;
}

const GAP_FACTOR = 4;
const GAP_AT_LEAST_MS = 2000;

/**
 * From which distance two neighbours count as a gap: four times the usual (median) distance, so that a device's own rhythm
 * decides and jitter does not.
 */
export function gapThresholdMs(ts: readonly number[]): number {
  if (ts.length < 3) return Number.POSITIVE_INFINITY;
  const step = Math.max(1, Math.floor(ts.length / 500));
  const distances: number[] = [];
  for (let i = step; i < ts.length; i += step) distances.push(ts[i]! - ts[i - 1]!);
  distances.sort((a, b) => a - b);
  return Math.max(GAP_AT_LEAST_MS, distances[distances.length >> 1]! * GAP_FACTOR);
}

interface Column {
  readonly ts: number[];
  readonly values: (number | null)[];
}

function withGaps(buffer: SeriesBuffer, from: number, to: number): Column {
  const threshold = gapThresholdMs(buffer.ts);
  const column: Column = { ts: [], values: [] };
  // One point before and one after the window, so that lines run to its edges.
  const start = Math.max(0, buffer.indexOf(from) - 1);
  const end = Math.min(buffer.ts.length, buffer.indexOf(to) + 1);
  for (let i = start; i < end; i++) {
    const ts = buffer.ts[i]!;
    const previous = column.ts[column.ts.length - 1];
    if (previous !== undefined && ts - previous > threshold) {
      column.ts.push(previous + 1);
      column.values.push(null);
    }
    column.ts.push(ts);
    column.values.push(toNumber(buffer.values[i]!));
  }
  return column;
}

/** Joins series of different rhythms on one time axis, which is the form the chart draws. */
export function alignColumns(
  buffers: readonly SeriesBuffer[],
  bounds: { from: number; to: number },
): ChartColumns {
  const columns = buffers.map((b) => withGaps(b, bounds.from, bounds.to));
  const only = columns[0];
  if (columns.length === 1 && only) return [only.ts, only.values];
  const axis = mergedAxis(columns.map((c) => c.ts));
  return [axis, ...columns.map((c) => spread(c, axis))];
}

function mergedAxis(all: readonly number[][]): number[] {
  return Array.from(Float64Array.from(new Set(all.flat())).sort());
}

function spread(column: Column, axis: readonly number[]): ChartValue[] {
  const out: ChartValue[] = new Array(axis.length);
  let i = 0;
  for (let a = 0; a < axis.length; a++) {
    if (column.ts[i] === axis[a]) out[a] = column.values[i++];
    else out[a] = undefined;
  }
  return out;
}

export interface Stats {
  readonly min: number;
  readonly avg: number;
  readonly max: number;
  readonly count: number;
}

export function statsOf(buffer: SeriesBuffer, bounds: { from: number; to: number }): Stats | undefined {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let sum = 0;
  let count = 0;
  for (let i = buffer.indexOf(bounds.from); i < buffer.ts.length && buffer.ts[i]! <= bounds.to; i++) {
    const n = toNumber(buffer.values[i]!);
    if (n === null) continue;
    if (n < min) min = n;
    if (n > max) max = n;
    sum += n;
    count++;
  }
  return count === 0 ? undefined : { min, avg: sum / count, max, count };
}

/** The rows of the table and of the CSV file: one per time stamp, newest first. */
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

/** An SVG path through the points, interrupted at gaps; "" when there is nothing to draw. */
export function sparkPath(
  points: readonly { ts: number; value: number }[],
  width: number,
  height: number,
): string {
  if (points.length < 2) return "";
  const first = points[0]!.ts;
  const span = points[points.length - 1]!.ts - first || 1;
  const gap = gapThresholdMs(points.map((p) => p.ts));
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
    const starts = i === 0 || p.ts - points[i - 1]!.ts > gap;
    return `${starts ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  return parts.join("");
}

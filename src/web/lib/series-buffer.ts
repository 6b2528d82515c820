import type { Series, TelemetryValue } from "./api-types.ts";

export interface Point {
  readonly ts: number;
  readonly value: TelemetryValue;
}

/**
 * One key's points, oldest first, as two parallel arrays. Live points are nearly always appended. A late point is inserted at its place and a
 * repeated time overwrites, as in the store, so history, live data and a refetched gap may overlap.
 */
export class SeriesBuffer {
  readonly ts: number[] = [];
  readonly values: TelemetryValue[] = [];

  /** Number of changes other than to the newest point. */
  edits = 0;

  /** End of the points that the server downsampled to one per about `stepMs`. */
  thinned = { until: 0, stepMs: 0 };

  /** Number of values that the server's aggregates left out because they are not numbers. */
  skipped = 0;

  get lastTs(): number {
    return this.ts[this.ts.length - 1] ?? 0;
  }

  add(ts: number, value: TelemetryValue): void {
    if (ts > this.lastTs) {
      this.ts.push(ts);
      this.values.push(value);
      return;
    }
    const index = this.indexOf(ts);
    if (this.ts[index] === ts) {
      this.values[index] = value;
      if (index < this.ts.length - 1) this.edits++;
      return;
    }
    this.edits++;
    this.ts.splice(index, 0, ts);
    this.values.splice(index, 0, value);
  }

  addAll(points: readonly Point[]): void {
    for (const p of points) this.add(p.ts, p.value);
  }

  replace(points: readonly Point[]): void {
    this.edits++;
    this.ts.length = 0;
    this.values.length = 0;
    this.addAll(points);
  }

  /** Index of the first point at or after `ts`. */
  indexOf(ts: number): number {
    let low = 0;
    let high = this.ts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.ts[middle]! < ts) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Index of the newest point at or before `ts`, whose value applies at `ts`; -1 if there is none. */
  heldAt(ts: number): number {
    const index = this.indexOf(ts);
    return this.ts[index] === ts ? index : index - 1;
  }

  /** Drops points before `ts`, but only in bulk, so that a moving window does not shift the arrays at every point. */
  trimBefore(ts: number): void {
    const cut = this.indexOf(ts);
    if (cut < 512 && cut < this.ts.length / 2) return;
    this.edits++;
    this.ts.splice(0, cut);
    this.values.splice(0, cut);
  }
}

/** Points that the server keeps per interval of a thinned series: first, lowest, highest and last. */
const POINTS_AN_INTERVAL = 4;

/** Returns the end of the thinned part of a series in a response, and the max. distance between its points. */
export function thinningOf(
  series: Pick<Series, "points" | "thinned"> | undefined,
  range: { from: number; to: number },
): SeriesBuffer["thinned"] {
  if (series?.thinned !== true) return { until: 0, stepMs: 0 };
  return { until: range.to, stepMs: ((range.to - range.from) * POINTS_AN_INTERVAL) / series.points.length };
}

/** Returns whether some values after `from` were left out by the server. */
export const isThinned = (buffers: readonly Pick<SeriesBuffer, "thinned">[], from: number): boolean =>
  buffers.some(({ thinned }) => thinned.until > from);

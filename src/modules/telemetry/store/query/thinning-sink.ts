import { decodeValue, TAG_ABSENT, TAG_NUMBER } from "../../../../lib/data/value-kind.ts";
import type { TelemetryValue } from "../../telemetry.types.ts";
import type { ColumnSummary } from "../blocks/column-summary.ts";
import type { Column } from "../rows.ts";
import type { SeriesSink, SinkResult } from "./series-sink.ts";

interface Kept {
  readonly ts: number;
  readonly value: TelemetryValue;
}

/** Pixel column of a chart: the points that keep the drawn line unchanged. */
interface Pixel {
  first: Kept;
  min: Kept | null;
  max: Kept | null;
  last: Kept;
}

/** Max. points per pixel: first, lowest, highest and last. */
const POINTS_PER_PIXEL = 4;

/** Raw points if they fit; otherwise the first, lowest, highest and last point of each pixel column. */
export class ThinningSink implements SeriesSink {
  readonly isUnfit = false;
  #sawText = false;
  readonly #pointsMax: number;
  readonly #pixels: number;
  readonly #from: number;
  readonly #pixelMs: number;
  #ts: number[] = [];
  #values: TelemetryValue[] = [];
  #thinning = false;
  #pixelNo = -1;
  #pixel: Pixel | null = null;

  /** `from` and `to`: extent of the series' data within the query, so that a wide query does not waste pixels. */
  constructor(pointsMax: number, from: number, to: number) {
    this.#pointsMax = Math.max(1, Math.floor(pointsMax));
    this.#pixels = Math.max(1, Math.floor(this.#pointsMax / POINTS_PER_PIXEL));
    this.#from = from;
    this.#pixelMs = Math.max(1, to - from) / this.#pixels;
  }

  rows(ts: Float64Array, column: Column): void {
    const { tags, numbers, texts } = column;
    let row = 0;
    while (row < ts.length) {
      const tag = tags[row]!;
      if (this.#thinning && tag === TAG_NUMBER) row = this.#numericRun(ts, column, row);
      else {
        if (tag !== TAG_ABSENT) this.#point(ts[row]!, tag, decodeValue(tag, numbers[row]!, texts?.[row]));
        row++;
      }
    }
  }

  /** Adds the numbers from a row on that share its pixel, as up to four candidates. Returns the first row after them. */
  #numericRun(ts: Float64Array, { tags, numbers }: Column, start: number): number {
    const pixel = this.#pixelOf(ts[start]!);
    const end =
      pixel + 1 === this.#pixels ? Number.POSITIVE_INFINITY : this.#from + (pixel + 1) * this.#pixelMs;
    let low = start;
    let high = start;
    let row = start + 1;
    for (; row < ts.length && ts[row]! < end && tags[row] === TAG_NUMBER; row++) {
      if (numbers[row]! < numbers[low]!) low = row;
      if (numbers[row]! > numbers[high]!) high = row;
    }
    this.#addRow(ts, numbers, start);
    this.#addRow(ts, numbers, Math.min(low, high));
    this.#addRow(ts, numbers, Math.max(low, high));
    this.#addRow(ts, numbers, row - 1);
    return row;
  }

  #addRow(ts: Float64Array, numbers: Float64Array, row: number): void {
    this.#add({ ts: ts[row]!, value: numbers[row]! }, true);
  }

  summary(summary: ColumnSummary): boolean {
    if (summary.numeric !== summary.count) return false;
    if (!this.#thinning && this.#ts.length + summary.count > this.#pointsMax) this.#startThinning();
    if (!this.#thinning || this.#pixelOf(summary.firstTs) !== this.#pixelOf(summary.lastTs)) return false;
    this.#add({ ts: summary.firstTs, value: summary.first }, true);
    const inner = [
      { ts: summary.minTs, value: summary.min },
      { ts: summary.maxTs, value: summary.max },
    ].sort((a, b) => a.ts - b.ts);
    for (const kept of inner) this.#add(kept, true);
    this.#add({ ts: summary.lastTs, value: summary.last }, true);
    return true;
  }

  finish(): SinkResult | null {
    this.#flushPixel();
    if (this.#ts.length === 0) return null;
    const ts = new Float64Array(this.#ts);
    const thinned = this.#thinning ? ({ thinned: true } as const) : {};
    if (this.#sawText) return { ts, numbers: null, values: this.#values, ...thinned };
    return { ts, numbers: new Float64Array(this.#values as number[]), values: null, ...thinned };
  }

  #point(ts: number, tag: number, value: TelemetryValue): void {
    if (tag !== TAG_NUMBER) this.#sawText = true;
    if (!this.#thinning) {
      if (this.#ts.length < this.#pointsMax) {
        this.#ts.push(ts);
        this.#values.push(value);
        return;
      }
      this.#startThinning();
    }
    this.#add({ ts, value }, tag === TAG_NUMBER);
  }

  #startThinning(): void {
    const ts = this.#ts;
    const values = this.#values;
    this.#ts = [];
    this.#values = [];
    this.#thinning = true;
    for (let i = 0; i < ts.length; i++) {
      const value = values[i]!;
      this.#add({ ts: ts[i]!, value }, typeof value === "number");
    }
  }

  #pixelOf(ts: number): number {
    return Math.max(0, Math.min(this.#pixels - 1, Math.floor((ts - this.#from) / this.#pixelMs)));
  }

  #add(kept: Kept, numeric: boolean): void {
    const no = this.#pixelOf(kept.ts);
    if (this.#pixel === null || no !== this.#pixelNo) {
      this.#flushPixel();
      this.#pixelNo = no;
      this.#pixel = { first: kept, min: numeric ? kept : null, max: numeric ? kept : null, last: kept };
      return;
    }
    this.#pixel.last = kept;
    if (!numeric) return;
    if (this.#pixel.min === null || kept.value < this.#pixel.min.value) this.#pixel.min = kept;
    if (this.#pixel.max === null || kept.value > this.#pixel.max.value) this.#pixel.max = kept;
  }

  #flushPixel(): void {
    const pixel = this.#pixel;
    if (pixel === null) return;
    this.#pixel = null;
    for (const kept of this.#selectPoints(pixel)) {
      this.#ts.push(kept.ts);
      this.#values.push(kept.value);
    }
  }

  /** Returns distinct points by time; with room for fewer than four, a pixel keeps its ends rather than its peaks. */
  #selectPoints({ first, min, max, last }: Pixel): Kept[] {
    const selected: Kept[] = [];
    for (const kept of [last, first, max, min]) {
      if (kept === null || selected.some(({ ts }) => ts === kept.ts)) continue;
      if (selected.length < Math.min(this.#pointsMax, POINTS_PER_PIXEL)) selected.push(kept);
    }
    return selected.sort((a, b) => a.ts - b.ts);
  }
}

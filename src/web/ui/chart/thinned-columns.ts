import { alignColumns, type ChartColumns, type ChartValue, isGap, toNumber } from "../../lib/chart-data.ts";
import type { SeriesBuffer } from "../../lib/series-buffer.ts";

/**
 * A series as a screen can show it: the lowest and the highest value of each slot of time, which is as wide as a pixel. Slots start at whole
 * multiples of their width, so complete ones stay the same while the window moves, and only new points have to be read.
 */
class ThinnedSeries {
  /** Slot numbers: start divided by width. */
  readonly slots: number[] = [];
  readonly low: number[] = [];
  readonly high: number[] = [];
  /** Times of the values. */
  readonly #lowAt: number[] = [];
  readonly #highAt: number[] = [];
  /** True if data is missing before the slot. */
  readonly gaps: boolean[] = [];
  #stepMs = 0;
  #edits = -1;
  #read = 0;

  /** Copies new data of the buffer, or all of it if it changed other than at its end. */
  follow(buffer: SeriesBuffer, stepMs: number): void {
    if (this.#stepMs !== stepMs || this.#edits !== buffer.edits) {
      for (const list of [this.slots, this.low, this.high, this.#lowAt, this.#highAt, this.gaps])
        list.length = 0;
      this.#read = 0;
    }
    this.#stepMs = stepMs;
    this.#edits = buffer.edits;
    // The newest point may have been overwritten since.
    for (let i = Math.max(0, this.#read - 1); i < buffer.ts.length; i++) this.#take(buffer, i);
    this.#read = buffer.ts.length;
  }

  #take(buffer: SeriesBuffer, i: number): void {
    const ts = buffer.ts[i] ?? 0;
    const value = buffer.values[i];
    const number = value === undefined ? null : toNumber(value);
    if (number === null) return;
    const slot = Math.floor(ts / this.#stepMs);
    const index = this.slots.length - 1;
    if (slot !== this.slots[index]) {
      this.slots.push(slot);
      this.low.push(number);
      this.high.push(number);
      this.#lowAt.push(ts);
      this.#highAt.push(ts);
      this.gaps.push(i > 0 && isGap(buffer.ts, i, buffer.thinned));
      return;
    }
    if (number <= (this.low[index] ?? 0)) [this.low[index], this.#lowAt[index]] = [number, ts];
    if (number >= (this.high[index] ?? 0)) [this.high[index], this.#highAt[index]] = [number, ts];
  }

  isLowFirst(index: number): boolean {
    return (this.#lowAt[index] ?? 0) <= (this.#highAt[index] ?? 0);
  }

  /** Index of the first slot at or after `slot`. */
  indexOf(slot: number): number {
    let [low, high] = [0, this.slots.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.slots[middle] ?? 0) < slot) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const ROWS_A_SLOT = 2;

/** Returns the rows of a series: for each slot the earlier, then the later of its two values; one row if both are equal. */
function columnOf(series: ThinnedSeries, from: number, rows: number): ChartValue[] {
  const column = new Array<ChartValue>(rows).fill(undefined);
  for (let index = series.indexOf(from); index < series.slots.length; index++) {
    const row = ((series.slots[index] ?? 0) - from) * ROWS_A_SLOT;
    if (row >= rows) break;
    const [low = 0, high = 0] = [series.low[index], series.high[index]];
    if (series.gaps[index] && row > 0 && column[row - 1] === undefined && column[row - 2] === undefined)
      column[row - 1] = null;
    const isRising = series.isLowFirst(index);
    column[row] = isRising ? low : high;
    if (low !== high) column[row + 1] = isRising ? high : low;
  }
  return column;
}

/** Draws series unchanged while there are few points, and thinned once there are more points than pixels. */
export class ColumnThinner {
  readonly #known = new WeakMap<SeriesBuffer, ThinnedSeries>();

  columns(
    buffers: readonly SeriesBuffer[],
    bounds: { readonly from: number; readonly to: number },
    pixels: number,
  ): ChartColumns {
    const count = (buffer: SeriesBuffer) => buffer.indexOf(bounds.to) - buffer.indexOf(bounds.from);
    const total = buffers.reduce((sum, buffer) => sum + count(buffer), 0);
    if (total <= pixels * ROWS_A_SLOT) return alignColumns(buffers, bounds);
    const stepMs = (bounds.to - bounds.from) / Math.max(1, Math.floor(pixels));
    // One more slot on each side, so that lines run to the edges.
    const from = Math.floor(bounds.from / stepMs) - 1;
    const slots = Math.floor(bounds.to / stepMs) + 2 - from;
    const axis = Array.from(
      { length: slots * ROWS_A_SLOT },
      (_, row) => (from + (row + 0.5) / ROWS_A_SLOT) * stepMs,
    );
    const columns = buffers.map((buffer) => {
      const series = this.#known.get(buffer) ?? new ThinnedSeries();
      this.#known.set(buffer, series);
      series.follow(buffer, stepMs);
      return columnOf(series, from, axis.length);
    });
    return [axis, ...columns];
  }
}

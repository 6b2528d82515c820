import { TAG_ABSENT, TAG_NUMBER } from "../../../lib/value-kind.ts";
import type { Aggregation, TelemetryValue } from "../telemetry.types.ts";
import type { PieceKind } from "./codec/block-pieces.ts";
import { pieceRows } from "./codec/number-pieces.ts";
import type { ColumnSummary } from "./column-summary.ts";
import { eachInterval, type Intervals } from "./intervals.ts";
import type { Column } from "./rows.ts";
import type { StateValue } from "./state-table.ts";

/** Points of one series on their way out of the worker; numbers travel as typed arrays. */
export interface SinkResult {
  readonly ts: Float64Array;
  readonly numbers: Float64Array | null;
  /** Instead of `numbers` when some value is no number. */
  readonly values: TelemetryValue[] | null;
}

/** A value from before the range, of a time that does not matter. */
export type EarlierValue = StateValue;

/** Takes the points of one series in time order, as rows or, where it can use one, as the summary of a whole block. */
export interface SeriesSink {
  /** The parts in which a block is best read that an interval's end cuts through; `numbers` by default. */
  readonly pieceKind?: PieceKind;
  /** Takes the newest value from before the range, ahead of all others. */
  before?(value: EarlierValue): void;
  rows(ts: Float64Array, column: Column): void;
  /** Returns `false` if the sink needs the rows behind the summary. */
  summary(summary: ColumnSummary): boolean;
  /** Returns `null` if nothing came. */
  finish(): SinkResult | null;
  /** True if values came that the aggregate does not apply to. */
  readonly isUnfit: boolean;
}

type Running = Pick<ColumnSummary, "count" | "numeric" | "sum" | "min" | "max">;

const nothing = (): Running => ({
  count: 0,
  numeric: 0,
  sum: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
});

export class AggregateSink implements SeriesSink {
  isUnfit = false;
  readonly pieceKind: PieceKind;
  readonly #intervals: Intervals;
  readonly #aggregation: Aggregation;
  readonly #ts: number[] = [];
  readonly #numbers: number[] = [];
  #index = -1;
  #current = nothing();

  constructor(intervals: Intervals, aggregation: Aggregation) {
    this.#intervals = intervals;
    this.#aggregation = aggregation;
    this.pieceKind = aggregation === "count" ? "any" : "numbers";
  }

  rows(ts: Float64Array, column: Column): void {
    eachInterval(this.#intervals, ts, (index, start, stop) => {
      this.#open(index);
      if (column.dense) this.#addNumbers(column.numbers, start, stop);
      else this.#addValues(column, start, stop);
    });
  }

  #addValues({ tags, numbers }: Column, start: number, stop: number): void {
    let { count, numeric, sum, min, max } = this.#current;
    for (let row = start; row < stop; row++) {
      const tag = tags[row]!;
      if (tag === TAG_NUMBER) {
        const value = numbers[row]!;
        numeric++;
        sum += value;
        if (value < min) min = value;
        if (value > max) max = value;
      }
      if (tag !== TAG_ABSENT) count++;
    }
    this.#current = { count, numeric, sum, min, max };
  }

  /** Piece by piece, so that a sum is the same to the last bit whether or not the pieces' own sums are at hand. */
  #addNumbers(numbers: Float64Array, start: number, end: number): void {
    let { sum, min, max } = this.#current;
    for (let row = start; row < end; ) {
      const stop = Math.min(end, row - (row % pieceRows) + pieceRows);
      let part = 0;
      for (; row < stop; row++) {
        const value = numbers[row]!;
        part += value;
        if (value < min) min = value;
        if (value > max) max = value;
      }
      sum += part;
    }
    this.#current.count += end - start;
    this.#current.numeric += end - start;
    this.#current.sum = sum;
    this.#current.min = min;
    this.#current.max = max;
  }

  summary(summary: ColumnSummary): boolean {
    const index = this.#intervals.indexOf(summary.firstTs);
    if (index !== this.#intervals.indexOf(summary.lastTs)) return false;
    this.#open(index);
    const into = this.#current;
    into.count += summary.count;
    into.numeric += summary.numeric;
    into.sum += summary.sum;
    if (summary.numeric > 0) {
      into.min = Math.min(into.min, summary.min);
      into.max = Math.max(into.max, summary.max);
    }
    return true;
  }

  finish(): SinkResult | null {
    this.#close();
    if (this.#ts.length === 0) return null;
    return { ts: Float64Array.from(this.#ts), numbers: Float64Array.from(this.#numbers), values: null };
  }

  #open(index: number): void {
    if (index === this.#index) return;
    this.#close();
    this.#index = index;
  }

  #close(): void {
    const { count, numeric } = this.#current;
    if (numeric < count && this.#aggregation !== "count") this.isUnfit = true;
    if (count === 0) return;
    this.#ts.push(this.#intervals.startOf(this.#index));
    this.#numbers.push(this.#result());
    this.#current = nothing();
  }

  #result(): number {
    const { count, min, max, sum } = this.#current;
    switch (this.#aggregation) {
      case "count":
        return count;
      case "min":
        return min;
      case "max":
        return max;
      case "avg":
        return sum / count;
      default:
        return sum;
    }
  }
}

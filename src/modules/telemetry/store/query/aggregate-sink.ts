import { TAG_ABSENT, TAG_NUMBER } from "../../../../lib/data/value-kind.ts";
import type { Aggregation } from "../../telemetry.types.ts";
import type { ColumnSummary } from "../blocks/column-summary.ts";
import { type ColumnSums, SUM_ROWS } from "../codec/column-sums.ts";
import type { StateRuns } from "../codec/state-runs.ts";
import type { Column } from "../rows.ts";
import { eachInterval, eachIntervalOf, type Intervals } from "./intervals.ts";
import type { ClosedRange, SeriesSink, SinkResult } from "./series-sink.ts";

/** Scales the largest doubles down so that any number of them can be added without overflow. */
const SCALE = 2 ** -200;

/** Part of a sum beyond the range of doubles, although the mean may be within it. Usually 0. */
class WideSum {
  /** In units of `1 / SCALE`. */
  #scaled = 0;

  add(value: number): void {
    this.#scaled += value * SCALE;
  }

  /** Returns `(sum + added) / count`. */
  over(sum: number, count: number): number {
    if (this.#scaled === 0) return sum / count;
    return (this.#scaled + sum * SCALE) / count / SCALE;
  }

  clear(): void {
    this.#scaled = 0;
  }
}

/** Count, sum, mean, minimum and maximum per interval. Numbers are aggregated; other values are skipped and counted. */
export class AggregateSink implements SeriesSink {
  /** Set only for counts, because a run gives the number of its values, but not the sum of adding them one by one. */
  readonly runs: ((runs: StateRuns, range: ClosedRange) => void) | undefined;
  readonly #intervals: Intervals;
  readonly #aggregation: Aggregation;
  readonly #ts: number[] = [];
  readonly #numbers: number[] = [];
  #index = -1;
  #count = 0;
  /** Values that are numbers. */
  #numeric = 0;
  #sum = 0;
  readonly #wide = new WideSum();
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  /** Non-numeric values of all intervals. */
  #skipped = 0;

  constructor(intervals: Intervals, aggregation: Aggregation) {
    this.#intervals = intervals;
    this.#aggregation = aggregation;
    this.runs = aggregation === "count" ? (runs, range) => this.#countRuns(runs, range) : undefined;
  }

  get isUnfit(): boolean {
    return this.#skipped > 0 && this.#ts.length === 0;
  }

  rows(ts: Float64Array, column: Column): void {
    eachInterval(this.#intervals, ts, (index, start, stop) => {
      this.#open(index);
      if (column.dense) this.#addNumbers(column.numbers, start, stop);
      else this.#addValues(column, start, stop);
    });
  }

  #addValues({ tags, numbers }: Column, start: number, stop: number): void {
    for (let row = start; row < stop; row++) {
      const tag = tags[row]!;
      if (tag === TAG_NUMBER) {
        const value = numbers[row]!;
        this.#numeric++;
        this.#addToSum(value);
        if (value < this.#min) this.#min = value;
        if (value > this.#max) this.#max = value;
      }
      if (tag !== TAG_ABSENT) this.#count++;
    }
  }

  /** Adds numbers part by part, so that a sum is equal to the last bit whether or not the parts' own sums are available. */
  #addNumbers(numbers: Float64Array, start: number, end: number): void {
    let min = this.#min;
    let max = this.#max;
    for (let row = start; row < end; ) {
      const stop = Math.min(end, row - (row % SUM_ROWS) + SUM_ROWS);
      let part = 0;
      const first = row;
      for (; row < stop; row++) {
        const value = numbers[row]!;
        part += value;
        if (value < min) min = value;
        if (value > max) max = value;
      }
      if (Number.isFinite(this.#sum + part)) this.#sum += part;
      else for (let index = first; index < stop; index++) this.#wide.add(numbers[index]!);
    }
    this.#count += end - start;
    this.#numeric += end - start;
    this.#min = min;
    this.#max = max;
  }

  summary(summary: ColumnSummary): boolean {
    const index = this.#intervals.indexOf(summary.firstTs);
    if (index !== this.#intervals.indexOf(summary.lastTs) || !Number.isFinite(summary.sum)) return false;
    this.#open(index);
    this.#count += summary.count;
    this.#numeric += summary.numeric;
    this.#addToSum(summary.sum);
    if (summary.numeric > 0) {
      this.#min = Math.min(this.#min, summary.min);
      this.#max = Math.max(this.#max, summary.max);
    }
    return true;
  }

  sums(sums: ColumnSums, { from, to }: ClosedRange): void {
    eachIntervalOf(this.#intervals, { stamps: sums.stamps, from, to }, (index, start, stop) => {
      this.#open(index);
      this.#addRows(sums, start, stop);
    });
  }

  #countRuns(runs: StateRuns, { from, to }: ClosedRange): void {
    eachIntervalOf(this.#intervals, { stamps: runs.stamps, from, to }, (index, start, stop) => {
      this.#open(index);
      this.#count += runs.count(start, stop);
    });
  }

  #addRows(sums: ColumnSums, start: number, stop: number): void {
    this.#count += stop - start;
    this.#numeric += stop - start;
    if (this.#aggregation === "min") this.#min = Math.min(this.#min, sums.min(start, stop));
    else if (this.#aggregation === "max") this.#max = Math.max(this.#max, sums.max(start, stop));
    else this.#addSums(sums, start, stop);
  }

  #addSums(sums: ColumnSums, start: number, stop: number): void {
    const sum = sums.addTo(this.#sum, start, stop);
    if (Number.isFinite(sum)) this.#sum = sum;
    else for (let row = start; row < stop; row++) this.#wide.add(sums.at(row));
  }

  #addToSum(value: number): void {
    const sum = this.#sum + value;
    if (Number.isFinite(sum)) this.#sum = sum;
    else this.#wide.add(value);
  }

  finish(): SinkResult | null {
    this.#close();
    if (this.#ts.length === 0) return null;
    const result = { ts: new Float64Array(this.#ts), numbers: new Float64Array(this.#numbers), values: null };
    return this.#skipped > 0 ? { ...result, skipped: this.#skipped } : result;
  }

  #open(index: number): void {
    if (index === this.#index) return;
    this.#close();
    this.#index = index;
  }

  #close(): void {
    const isCount = this.#aggregation === "count";
    if (!isCount) this.#skipped += this.#count - this.#numeric;
    if ((isCount ? this.#count : this.#numeric) > 0) {
      this.#ts.push(this.#intervals.startOf(this.#index));
      this.#numbers.push(this.#result());
    }
    this.#count = 0;
    this.#numeric = 0;
    this.#sum = 0;
    this.#wide.clear();
    this.#min = Number.POSITIVE_INFINITY;
    this.#max = Number.NEGATIVE_INFINITY;
  }

  #result(): number {
    switch (this.#aggregation) {
      case "count":
        return this.#count;
      case "min":
        return this.#min;
      case "max":
        return this.#max;
      case "avg":
        return this.#wide.over(this.#sum, this.#numeric);
      default:
        return this.#wide.over(this.#sum, 1);
    }
  }
}

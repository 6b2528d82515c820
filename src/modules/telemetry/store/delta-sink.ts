import { TAG_ABSENT, TAG_NUMBER } from "../../../lib/value-kind.ts";
import type { ColumnSums } from "./codec/column-sums.ts";
import type { ColumnSummary } from "./column-summary.ts";
import { eachInterval, eachIntervalOf, type Intervals } from "./intervals.ts";
import type { Column } from "./rows.ts";
import type { ClosedRange, EarlierValue, SeriesSink, SinkResult } from "./series-sink.ts";

/**
 * Increase of a counter in each interval: of each number over the one before it, which may lie before the interval or the range. A smaller
 * number than the one before is a reset: it counts as a whole. Added up as last − base + the numbers before resets, because a counter
 * without resets then comes out exactly.
 */
export class DeltaSink implements SeriesSink {
  readonly #intervals: Intervals;
  readonly #ts: number[] = [];
  readonly #numbers: number[] = [];
  /** Interval of the newest number; -1 before the first one of the range. */
  #index = -1;
  #previous: number | undefined;
  /** The number that the interval's first one is compared with. */
  #base = 0;
  #drops = 0;
  #sawOther = false;

  constructor(intervals: Intervals) {
    this.#intervals = intervals;
  }

  get isUnfit(): boolean {
    return this.#sawOther && this.#previous === undefined;
  }

  before({ number }: EarlierValue): void {
    this.#previous = number;
  }

  rows(ts: Float64Array, column: Column): void {
    eachInterval(this.#intervals, ts, (index, start, stop) => this.#addRows(index, column, { start, stop }));
  }

  #addRows(
    index: number,
    { tags, numbers, dense }: Column,
    { start, stop }: { start: number; stop: number },
  ): void {
    let row = start;
    while (row < stop && tags[row] !== TAG_NUMBER) {
      if (tags[row] !== TAG_ABSENT) this.#sawOther = true;
      row++;
    }
    if (row === stop) return;
    this.#open(index, numbers[row]!);
    let previous = this.#previous ?? numbers[row]!;
    let drops = this.#drops;
    for (; row < stop; row++) {
      if (!dense && tags[row] !== TAG_NUMBER) continue;
      const number = numbers[row]!;
      if (number < previous) drops += previous;
      previous = number;
    }
    this.#previous = previous;
    this.#drops = drops;
  }

  summary({ count, numeric, first, last, drops, firstTs, lastTs }: ColumnSummary): boolean {
    if (numeric < count) this.#sawOther = true;
    if (numeric === 0) return true;
    const index = this.#intervals.indexOf(firstTs);
    if (index !== this.#intervals.indexOf(lastTs)) return false;
    this.#add(index, { first, last, drops });
    return true;
  }

  sums(sums: ColumnSums, { from, to }: ClosedRange): void {
    eachIntervalOf(this.#intervals, { stamps: sums.stamps, from, to }, (index, start, stop) => {
      const drops = sums.drops(start, stop);
      this.#add(index, { first: sums.at(start), last: sums.at(stop - 1), drops });
    });
  }

  #add(index: number, { first, last, drops }: Pick<ColumnSummary, "first" | "last" | "drops">): void {
    this.#open(index, first);
    if (this.#previous !== undefined && first < this.#previous) this.#drops += this.#previous;
    this.#drops += drops;
    this.#previous = last;
  }

  finish(): SinkResult | null {
    this.#close();
    if (this.#ts.length === 0) return null;
    return { ts: new Float64Array(this.#ts), numbers: new Float64Array(this.#numbers), values: null };
  }

  #open(index: number, first: number): void {
    if (index === this.#index) return;
    this.#close();
    this.#index = index;
    this.#base = this.#previous ?? first;
    this.#drops = 0;
  }

  #close(): void {
    if (this.#index < 0) return;
    this.#ts.push(this.#intervals.startOf(this.#index));
    this.#numbers.push((this.#previous ?? 0) - this.#base + this.#drops);
  }
}

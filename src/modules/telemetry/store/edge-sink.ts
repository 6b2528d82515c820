import { decodeValue, TAG_ABSENT, TAG_NUMBER } from "../../../lib/value-kind.ts";
import type { TelemetryValue } from "../telemetry.types.ts";
import type { ColumnSums } from "./codec/column-sums.ts";
import type { StateRuns } from "./codec/state-runs.ts";
import type { ColumnSummary } from "./column-summary.ts";
import { eachInterval, eachIntervalOf, type Intervals } from "./intervals.ts";
import type { Column } from "./rows.ts";
import type { ClosedRange, SeriesSink, SinkResult } from "./series-sink.ts";
import { numberState, type StateValue, stateAt } from "./state-table.ts";

/** The oldest or the newest value of each interval, of any type. */
export class EdgeSink implements SeriesSink {
  readonly isUnfit = false;
  readonly #intervals: Intervals;
  readonly #edge: "first" | "last";
  readonly #ts: number[] = [];
  readonly #values: TelemetryValue[] = [];
  #allNumbers = true;
  #index = Number.NaN;
  #current: StateValue | null = null;

  constructor(intervals: Intervals, edge: "first" | "last") {
    this.#intervals = intervals;
    this.#edge = edge;
  }

  rows(ts: Float64Array, column: Column): void {
    eachInterval(this.#intervals, ts, (index, start, stop) => {
      if (!this.#needs(index)) return;
      const row = this.#edge === "first" ? firstRow(column, start, stop) : lastRow(column, start, stop);
      if (row >= 0) this.#take(index, stateAt(column, row));
    });
  }

  summary(summary: ColumnSummary): boolean {
    const index = this.#intervals.indexOf(summary.firstTs);
    if (index !== this.#intervals.indexOf(summary.lastTs)) return false;
    if (!this.#needs(index)) return true;
    const value = edgeOf(summary, this.#edge);
    if (value === null) return false;
    this.#take(index, value);
    return true;
  }

  sums(sums: ColumnSums, { from, to }: ClosedRange): void {
    eachIntervalOf(this.#intervals, { stamps: sums.stamps, from, to }, (index, start, stop) => {
      if (!this.#needs(index)) return;
      this.#take(index, numberState(sums.at(this.#edge === "first" ? start : stop - 1)));
    });
  }

  runs(runs: StateRuns, { from, to }: ClosedRange): void {
    eachIntervalOf(this.#intervals, { stamps: runs.stamps, from, to }, (index, start, stop) => {
      if (!this.#needs(index)) return;
      const value = this.#edge === "first" ? runs.first(start, stop) : runs.last(start, stop);
      if (value !== null) this.#take(index, value);
    });
  }

  finish(): SinkResult | null {
    this.#close();
    if (this.#ts.length === 0) return null;
    const ts = Float64Array.from(this.#ts);
    if (!this.#allNumbers) return { ts, numbers: null, values: this.#values };
    return { ts, numbers: Float64Array.from(this.#values as number[]), values: null };
  }

  #needs(index: number): boolean {
    return this.#edge === "last" || index !== this.#index;
  }

  #take(index: number, value: StateValue): void {
    if (index !== this.#index) this.#close();
    this.#index = index;
    this.#current = value;
  }

  #close(): void {
    if (this.#current === null) return;
    const { tag, number, text } = this.#current;
    if (tag !== TAG_NUMBER) this.#allNumbers = false;
    this.#ts.push(this.#intervals.startOf(this.#index));
    this.#values.push(decodeValue(tag, number, text));
    this.#current = null;
  }
}

/** Returns the value at the edge of a block; null when only its rows have it. */
function edgeOf(
  { count, numeric, first, last, states }: ColumnSummary,
  edge: "first" | "last",
): StateValue | null {
  const state = states?.values[edge === "first" ? 0 : states.last];
  // The number itself, because a table does not tell 0 from -0.
  if (numeric === count || state?.tag === TAG_NUMBER) return numberState(edge === "first" ? first : last);
  return state ?? null;
}

function firstRow({ tags }: Column, start: number, stop: number): number {
  for (let row = start; row < stop; row++) if (tags[row] !== TAG_ABSENT) return row;
  return -1;
}

function lastRow({ tags }: Column, start: number, stop: number): number {
  for (let row = stop - 1; row >= start; row--) if (tags[row] !== TAG_ABSENT) return row;
  return -1;
}

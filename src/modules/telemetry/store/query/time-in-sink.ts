import { TAG_ABSENT, TAG_JSON, TAG_NUMBER, TAG_TRUE } from "../../../../lib/data/value-kind.ts";
import type { ColumnSummary } from "../blocks/column-summary.ts";
import type { StateRuns } from "../codec/state-runs.ts";
import type { Column } from "../rows.ts";
import type { Intervals } from "./intervals.ts";
import type { ClosedRange, EarlierValue, SeriesSink, SinkResult } from "./series-sink.ts";
import { isRowOf, type StateValue, stateAt } from "./state-table.ts";

/** Max. distinct values of a series with separate times; all other values share one sum. */
export const STATES_MAX = 32;
/** Max. characters of a string with its own state. */
const TEXT_MAX = 256;
const OTHER = STATES_MAX;

/** Numbers the values of one series in order of occurrence. */
class StateNumbers {
  readonly values: (number | string | boolean)[] = [];
  /** First object of each state, so that shared objects are found by identity. */
  readonly #states: StateValue[] = [];

  of(state: StateValue): number {
    const states = this.#states;
    for (let index = 0; index < states.length; index++) if (states[index] === state) return index;
    return this.#search(state);
  }

  #search(state: StateValue): number {
    const { tag, number, text } = state;
    if (tag === TAG_JSON || (text !== undefined && text.length > TEXT_MAX)) return OTHER;
    // Adding 0 makes 0 of -0, which is the same state.
    const value = tag === TAG_NUMBER ? number + 0 : (text ?? tag === TAG_TRUE);
    const index = this.values.indexOf(value);
    if (index >= 0) return index;
    if (this.values.length === STATES_MAX) return OTHER;
    this.#states.push(state);
    return this.values.push(value) - 1;
  }
}

/**
 * Time for which a series held each value per interval, in ms. A value holds until the next timestamp; the newest value before the range holds from
 * its start, and the last one up to `end`.
 */
export class TimeInSink implements SeriesSink {
  readonly isUnfit = false;
  readonly #intervals: Intervals;
  readonly #from: number;
  readonly #end: number;
  readonly #ts: number[] = [];
  /** State number of each state time. */
  readonly #picks: number[] = [];
  readonly #ms: number[] = [];
  readonly #ends: number[] = [];
  readonly #states = new StateNumbers();
  #current: StateValue | null = null;
  /** Time up to which the current value was counted. */
  #since = 0;
  #index = 0;
  #intervalEnd = Number.NEGATIVE_INFINITY;
  /** State number → ms in the interval. */
  readonly #durations = new Float64Array(STATES_MAX + 1);

  /** `range`: start (inclusive) and end (exclusive). */
  constructor(intervals: Intervals, range: { readonly from: number; readonly end: number }) {
    this.#intervals = intervals;
    this.#from = range.from;
    this.#end = range.end;
  }

  before(value: EarlierValue): void {
    this.#start(value, this.#from);
  }

  rows(ts: Float64Array, column: Column): void {
    for (let row = 0; row < ts.length; row++) {
      if (column.tags[row] === TAG_ABSENT) continue;
      if (this.#current !== null && isRowOf(this.#current, column, row)) continue;
      this.#change(stateAt(column, row), ts[row]!);
    }
  }

  summary({ firstTs, lastTs, states }: ColumnSummary): boolean {
    if (states === null) return false;
    const { values, durations, last } = states;
    if (lastTs >= this.#intervalEnd || lastTs > this.#end) {
      const isCut =
        lastTs > this.#end || this.#intervals.indexOf(firstTs) !== this.#intervals.indexOf(lastTs);
      if (isCut && values.length > 1) return false;
      this.#change(values[0]!, firstTs);
      if (isCut) return true;
    } else if (this.#current !== null) this.#count(this.#current, firstTs - this.#since);
    for (let state = 0; state < values.length; state++) this.#count(values[state]!, durations[state]!);
    this.#current = values[last]!;
    this.#since = lastTs;
    return true;
  }

  runs(runs: StateRuns, { from, to }: ClosedRange): void {
    const { stamps, values } = runs;
    runs.each(stamps.rowsBefore(from), stamps.rowsBefore(to + 1), (index, row) => {
      this.#change(values[index]!, stamps.at(row));
    });
  }

  finish(): SinkResult | null {
    this.#advance(this.#end);
    this.#flush();
    if (this.#ts.length === 0) return null;
    const times = {
      states: this.#states.values,
      picks: new Uint8Array(this.#picks),
      ms: new Float64Array(this.#ms),
      ends: new Uint32Array(this.#ends),
    };
    return { ts: new Float64Array(this.#ts), numbers: null, values: null, times };
  }

  #change(value: StateValue, ts: number): void {
    this.#advance(Math.min(ts, this.#end));
    this.#start(value, ts);
  }

  #start(value: StateValue, ts: number): void {
    if (ts >= this.#intervalEnd) this.#open(this.#intervals.indexOf(ts));
    this.#current = value;
    this.#since = ts;
  }

  /** Adds the time of the current value, interval by interval. */
  #advance(until: number): void {
    if (this.#current === null) return;
    while (this.#since < until) {
      if (this.#intervalEnd <= this.#since) {
        this.#open(this.#index + 1);
        continue;
      }
      const stop = Math.min(this.#intervalEnd, until);
      this.#count(this.#current, stop - this.#since);
      this.#since = stop;
    }
  }

  /** Adds time to a value's state. States are numbered here, so a value that ends at the start of the range gets no number. */
  #count(value: StateValue, ms: number): void {
    if (ms === 0) return;
    const state = this.#states.of(value);
    this.#durations[state]! += ms;
  }

  #open(index: number): void {
    if (index !== this.#index) this.#flush();
    this.#index = index;
    this.#intervalEnd = this.#intervals.startOf(index + 1);
  }

  #flush(): void {
    const before = this.#ms.length;
    for (let state = 0; state <= OTHER; state++) {
      const ms = this.#durations[state]!;
      if (ms <= 0) continue;
      this.#picks.push(state);
      this.#ms.push(ms);
    }
    this.#durations.fill(0);
    if (this.#ms.length === before) return;
    this.#ts.push(this.#intervals.startOf(this.#index));
    this.#ends.push(this.#ms.length);
  }
}

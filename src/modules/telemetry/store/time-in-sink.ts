import { TAG_ABSENT, TAG_JSON, TAG_NUMBER, TAG_TRUE } from "../../../lib/value-kind.ts";
import type { StateDuration } from "../telemetry.types.ts";
import type { ColumnSummary } from "./column-summary.ts";
import type { Intervals } from "./intervals.ts";
import type { Column } from "./rows.ts";
import type { EarlierValue, SeriesSink, SinkResult } from "./series-sink.ts";
import { isRowOf, type StateValue, stateAt } from "./state-table.ts";

/** Different values of a series whose time is told apart; the time of all others is one sum. */
export const STATES_MAX = 32;
/** Characters of a text that is a state of its own. */
const TEXT_MAX = 256;
const OTHER = STATES_MAX;

/** Numbers the values of one series in the order in which they come. */
class StateNumbers {
  readonly values: (number | string | boolean)[] = [];
  readonly #numbers = new Map<number | string | boolean, number>();

  of({ tag, number, text }: StateValue): number {
    if (tag === TAG_JSON || (text !== undefined && text.length > TEXT_MAX)) return OTHER;
    // Adding 0 makes 0 of -0, which is the same state.
    const value = tag === TAG_NUMBER ? number + 0 : (text ?? tag === TAG_TRUE);
    const index = this.#numbers.get(value);
    if (index !== undefined) return index;
    if (this.values.length === STATES_MAX) return OTHER;
    this.#numbers.set(value, this.values.length);
    return this.values.push(value) - 1;
  }
}

/**
 * Time that a series held each of its values in each interval, in ms. A value holds from its time stamp up to that of the next one; the
 * newest one before the range holds from its start, and the last one up to `end`.
 */
export class TimeInSink implements SeriesSink {
  readonly isUnfit = false;
  readonly pieceKind = "runs";
  readonly #intervals: Intervals;
  readonly #from: number;
  readonly #end: number;
  readonly #ts: number[] = [];
  readonly #values: StateDuration[][] = [];
  readonly #states = new StateNumbers();
  #current: StateValue | null = null;
  /** The current value's time is counted up to here. */
  #since = 0;
  #index = 0;
  /** Number of a state → ms in the interval. */
  readonly #durations = new Float64Array(STATES_MAX + 1);

  /** `range`: the start, and the end, which is not part of it. */
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
    const [first] = states.values;
    const last = states.values[states.last];
    if (first === undefined || last === undefined) return false;
    if (states.values.length > 1) {
      if (lastTs > this.#end) return false;
      if (this.#intervals.indexOf(firstTs) !== this.#intervals.indexOf(lastTs)) return false;
    }
    this.#change(first, firstTs);
    if (states.values.length === 1) return true;
    for (const [index, value] of states.values.entries()) this.#count(value, states.durations[index]!);
    this.#start(last, lastTs);
    return true;
  }

  finish(): SinkResult | null {
    this.#advance(this.#end);
    this.#flush();
    if (this.#ts.length === 0) return null;
    return { ts: Float64Array.from(this.#ts), numbers: null, values: this.#values };
  }

  #change(value: StateValue, ts: number): void {
    this.#advance(Math.min(ts, this.#end));
    this.#start(value, ts);
  }

  #start(value: StateValue, ts: number): void {
    const index = this.#intervals.indexOf(ts);
    if (index !== this.#index) this.#flush();
    this.#index = index;
    this.#current = value;
    this.#since = ts;
  }

  /** Counts the current value up to a time, interval by interval. */
  #advance(until: number): void {
    if (this.#current === null) return;
    while (this.#since < until) {
      const intervalEnd = this.#intervals.startOf(this.#index + 1);
      if (intervalEnd <= this.#since) {
        this.#flush();
        this.#index++;
        continue;
      }
      const stop = Math.min(intervalEnd, until);
      this.#count(this.#current, stop - this.#since);
      this.#since = stop;
    }
  }

  /** A value is numbered when it holds for some time: one that ends where the range begins takes no number. */
  #count(value: StateValue, ms: number): void {
    if (ms === 0) return;
    const state = this.#states.of(value);
    this.#durations[state]! += ms;
  }

  #flush(): void {
    const times: StateDuration[] = [];
    for (let state = 0; state <= OTHER; state++) {
      const ms = this.#durations[state]!;
      if (ms > 0) times.push(state === OTHER ? { ms } : { value: this.#states.values[state]!, ms });
    }
    this.#durations.fill(0);
    if (times.length === 0) return;
    this.#ts.push(this.#intervals.startOf(this.#index));
    this.#values.push(times);
  }
}

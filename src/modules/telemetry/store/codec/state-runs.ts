import { TAG_ABSENT, TAG_NUMBER } from "../../../../lib/data/value-kind.ts";
import { identityOf, type StateValue, sharedState, stateAt } from "../query/state-table.ts";
import type { Column } from "../rows.ts";
import type { Stamps } from "./stamps.ts";

/** Min. average rows per run; shorter runs save nothing. */
const ROWS_PER_RUN_MIN = 16;
/** Approximate bytes per run, per value without its string, and per character. */
const RUN_BYTES = 6;
const VALUE_BYTES = 100;
const CHARACTER_BYTES = 2;

/** State column as runs of equal values of any type, so that values at interval bounds are found without decoding the column. */
export class StateRuns {
  readonly stamps: Stamps;
  /** Distinct values. Unlike states of a table, 0 and -0 differ here. */
  readonly values: readonly StateValue[];
  /** First row of each run; rows without a value may interrupt a run. */
  readonly #starts: Uint32Array;
  /** Index of each run's value. */
  readonly #picks: Uint16Array;
  /** One bit per row, set if the row has a value; null if all rows have one. */
  readonly #presence: Uint8Array | null;

  private constructor(stamps: Stamps, column: Column, starts: readonly number[]) {
    this.stamps = stamps;
    /** Identity of a value → its index. */
    const indexes = new Map<string | number, number>();
    const values: StateValue[] = [];
    this.#starts = Uint32Array.from(starts);
    this.#picks = Uint16Array.from(starts, (row) => {
      const value = stateAt(column, row);
      const identity = identityOf(value);
      const index = indexes.get(identity) ?? values.push(sharedState(value)) - 1;
      indexes.set(identity, index);
      return index;
    });
    this.values = values;
    this.#presence = presenceOf(column);
  }

  /** Returns `null` for a column that changes too often, or without values. */
  static of(stamps: Stamps, column: Column): StateRuns | null {
    const starts = startsOf(column);
    return starts === null || starts.length === 0 ? null : new StateRuns(stamps, column, starts);
  }

  /** Approximate memory, in bytes. */
  get bytes(): number {
    let bytes = this.#starts.length * RUN_BYTES + (this.#presence?.length ?? 0);
    for (const { text = "" } of this.values) bytes += VALUE_BYTES + text.length * CHARACTER_BYTES;
    return bytes;
  }

  /** Returns the oldest value of the rows `[start, stop)`; null if they have none. */
  first(start: number, stop: number): StateValue | null {
    const row = this.#next(start, stop);
    return row < stop ? this.values[this.#picks[this.#runOf(row)]!]! : null;
  }

  /** Returns the newest value of the rows `[start, stop)`; null if they have none. */
  last(start: number, stop: number): StateValue | null {
    const row = this.#previous(start, stop);
    return row >= start ? this.values[this.#picks[this.#runOf(row)]!]! : null;
  }

  /** Returns the number of values in the rows `[start, stop)`. */
  count(start: number, stop: number): number {
    if (this.#presence === null) return stop - start;
    let count = 0;
    for (let row = start; row < stop; row++) if (isPresent(this.#presence, row)) count++;
    return count;
  }

  /** Calls `visit` for each run within the rows `[start, stop)`, with the index of its value and its first row there. */
  each(start: number, stop: number, visit: (index: number, row: number) => void): void {
    const first = this.#next(start, stop);
    if (first >= stop) return;
    let run = this.#runOf(first);
    visit(this.#picks[run]!, first);
    for (run++; run < this.#starts.length && this.#starts[run]! < stop; run++)
      visit(this.#picks[run]!, this.#starts[run]!);
  }

  #runOf(row: number): number {
    const starts = this.#starts;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! <= row) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Returns the first row with a value; `stop` if there is none. */
  #next(start: number, stop: number): number {
    let row = start;
    if (this.#presence !== null) while (row < stop && !isPresent(this.#presence, row)) row++;
    return row;
  }

  /** Returns the last row with a value; `start - 1` if there is none. */
  #previous(start: number, stop: number): number {
    let row = stop - 1;
    if (this.#presence !== null) while (row >= start && !isPresent(this.#presence, row)) row--;
    return row;
  }
}

const isPresent = (presence: Uint8Array, row: number): boolean =>
  (presence[row >> 3]! & (1 << (row & 7))) !== 0;

/** Returns the first row of each run; null if there are too many runs. */
function startsOf(column: Column): number[] | null {
  const { tags } = column;
  const runsMax = tags.length / ROWS_PER_RUN_MIN;
  const starts: number[] = [];
  for (let row = 0; row < tags.length; row++) {
    if (tags[row] === TAG_ABSENT) continue;
    const start = starts[starts.length - 1];
    if (start !== undefined && isSame(column, start, row)) continue;
    if (starts.length >= runsMax) return null;
    starts.push(row);
  }
  return starts;
}

function isSame({ tags, numbers, texts }: Column, a: number, b: number): boolean {
  if (tags[a] !== tags[b]) return false;
  return tags[a] === TAG_NUMBER ? Object.is(numbers[a], numbers[b]) : texts?.[a] === texts?.[b];
}

function presenceOf({ tags }: Column): Uint8Array | null {
  if (!tags.includes(TAG_ABSENT)) return null;
  const presence = new Uint8Array(Math.ceil(tags.length / 8));
  for (let row = 0; row < tags.length; row++)
    if (tags[row] !== TAG_ABSENT) presence[row >> 3]! |= 1 << (row & 7);
  return presence;
}

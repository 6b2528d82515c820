import {
  TAG_ABSENT,
  TAG_FALSE,
  TAG_JSON,
  TAG_NUMBER,
  TAG_STRING,
  TAG_TRUE,
} from "../../../../lib/data/value-kind.ts";
import type { Column } from "../rows.ts";

/** Value that a series holds for some time. */
export interface StateValue {
  readonly tag: number;
  readonly number: number;
  readonly text: string | undefined;
}

/**
 * Time for which a key held each of its values within a block, from its first to its last value, in ms. The values are in order of first occurrence.
 */
export interface StateTable {
  readonly values: readonly StateValue[];
  readonly durations: readonly number[];
  /** Index of the block's last value. The first value has index 0. */
  readonly last: number;
}

const SHARED_MAX = 1_024;
/** Identity of a state → state. */
const shared = new Map<string | number, StateValue>();

/** Returns a key that differs for 0 and -0. */
export const identityOf = ({ tag, number, text }: StateValue): string | number => {
  if (tag !== TAG_NUMBER) return `${tag}${text ?? ""}`;
  return Object.is(number, -0) ? "-0" : number;
};

/** Returns a shared object for a short value, because blocks usually have the same states; identity then replaces comparison. */
export function sharedState(value: StateValue): StateValue {
  if (value.text !== undefined && value.text.length > STATE_TEXT_MAX) return value;
  const identity = identityOf(value);
  const state = shared.get(identity);
  if (state !== undefined) return state;
  if (shared.size >= SHARED_MAX) shared.clear();
  shared.set(identity, value);
  return value;
}

const STATES_MAX = 8;
/** Min. values per state; a larger table would take a noticeable share of the block. */
const VALUES_PER_STATE = 64;
/** Max. characters of a string in a table. */
const STATE_TEXT_MAX = 64;

export const numberState = (number: number): StateValue => ({ tag: TAG_NUMBER, number, text: undefined });

/** Returns the value of a row, which must have one. */
export function stateAt(column: Column, row: number): StateValue {
  const tag = column.tags[row]!;
  return {
    tag,
    number: tag === TAG_NUMBER ? column.numbers[row]! : 0,
    text: tag >= TAG_STRING ? column.texts?.[row] : undefined,
  };
}

export function isRowOf(state: StateValue, column: Column, row: number): boolean {
  const tag = column.tags[row]!;
  if (tag !== state.tag) return false;
  if (tag === TAG_NUMBER) return column.numbers[row] === state.number;
  return tag === TAG_FALSE || tag === TAG_TRUE || column.texts?.[row] === state.text;
}

/** Returns whether a table may contain the value: not objects, arrays, long strings, or strings that UTF-8 cannot represent. */
const fitsTable = ({ tag, text }: StateValue): boolean =>
  tag !== TAG_JSON && (text === undefined || (text.length <= STATE_TEXT_MAX && text.isWellFormed()));

/** Returns the table of a column with `count` values; null if it has more states than a table may contain. */
export function stateTableOf(ts: Float64Array, column: Column, count: number): StateTable | null {
  const statesMax = Math.min(STATES_MAX, Math.max(1, Math.floor(count / VALUES_PER_STATE)));
  const values: StateValue[] = [];
  const durations: number[] = [];
  let last = -1;
  let since = 0;
  for (let row = 0; row < ts.length; row++) {
    if (column.tags[row] === TAG_ABSENT) continue;
    const current = values[last];
    if (current !== undefined && isRowOf(current, column, row)) continue;
    if (last >= 0) durations[last]! += ts[row]! - since;
    since = ts[row]!;
    last = values.findIndex((value) => isRowOf(value, column, row));
    if (last >= 0) continue;
    const value = stateAt(column, row);
    if (values.length === statesMax || !fitsTable(value)) return null;
    last = values.push(value) - 1;
    durations.push(0);
  }
  if (last < 0) return null;
  durations[last]! += lastTsOf(ts, column) - since;
  // A table is written in whole milliseconds.
  return durations.every(Number.isSafeInteger) ? { values, durations, last } : null;
}

function lastTsOf(ts: Float64Array, { tags }: Column): number {
  let row = ts.length - 1;
  while (tags[row] === TAG_ABSENT) row--;
  return ts[row]!;
}

import { TAG_ABSENT, TAG_NUMBER } from "../../../../lib/data/value-kind.ts";
import { type StateTable, stateTableOf } from "../query/state-table.ts";
import type { SealedValue } from "../registry.ts";
import type { Column } from "../rows.ts";

/** Summary of one key within a block, for aggregates. Without numbers, the numeric fields are undefined. */
export interface ColumnSummary {
  count: number;
  /** Number of numeric values. */
  numeric: number;
  min: number;
  max: number;
  sum: number;
  first: number;
  last: number;
  firstTs: number;
  lastTs: number;
  minTs: number;
  maxTs: number;
  /** Sum of the numbers followed by a smaller number: `last - first + drops` is the increase of a counter, including resets. */
  drops: number;
  /** Null if the key has more states than a table may hold. */
  states: StateTable | null;
}

export const emptySummary = (): ColumnSummary => ({
  count: 0,
  numeric: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  sum: 0,
  first: 0,
  last: 0,
  firstTs: 0,
  lastTs: 0,
  minTs: 0,
  maxTs: 0,
  drops: 0,
  states: null,
});

export function addToSummary(summary: ColumnSummary, ts: number, tag: number, value: number): void {
  if (summary.count === 0) summary.firstTs = ts;
  summary.lastTs = ts;
  summary.count++;
  if (tag !== TAG_NUMBER) return;
  if (summary.numeric === 0) summary.first = value;
  else if (value < summary.last) summary.drops += summary.last;
  summary.last = value;
  summary.numeric++;
  summary.sum += value;
  if (value < summary.min || summary.numeric === 1) {
    summary.min = value;
    summary.minTs = ts;
  }
  if (value > summary.max || summary.numeric === 1) {
    summary.max = value;
    summary.maxTs = ts;
  }
}

export function summarise(ts: Float64Array, column: Column): ColumnSummary {
  const summary = emptySummary();
  for (let row = 0; row < ts.length; row++) {
    const tag = column.tags[row]!;
    if (tag !== TAG_ABSENT) addToSummary(summary, ts[row]!, tag, column.numbers[row]!);
  }
  summary.states = stateTableOf(ts, column, summary.count);
  return summary;
}

/** Returns the newest value of a summary; null if only the points contain it. */
export function valueOfSummary(summary: ColumnSummary): SealedValue | null {
  if (summary.count === 0) return null;
  const { lastTs: ts, states } = summary;
  const state = states?.values[states.last];
  // The number itself, because a table does not tell 0 from -0.
  if (summary.numeric === summary.count || state?.tag === TAG_NUMBER)
    return { ts, tag: TAG_NUMBER, number: summary.last, text: undefined };
  return state === undefined ? null : { ts, ...state };
}

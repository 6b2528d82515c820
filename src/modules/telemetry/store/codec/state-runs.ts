import { TAG_ABSENT, TAG_NUMBER } from "../../../../lib/value-kind.ts";
import { type ColumnSummary, emptySummary } from "../column-summary.ts";
import type { Column } from "../rows.ts";
import { type StateValue, stateAt } from "../state-table.ts";
import type { Pieces } from "./block-pieces.ts";
import type { Allocate } from "./number-codec.ts";
import type { NumberRows } from "./number-rows.ts";

/** Runs shorter than this on average save nothing. */
const ROWS_PER_RUN_MIN = 16;
/** Memory of a run, about. */
const RUN_BYTES = 400;

/** A stretch of rows with one value; rows without a value may lie between them. */
interface Run {
  readonly value: StateValue;
  /** Rows `[start, stop)`, which begin and end with a value. */
  readonly start: number;
  readonly stop: number;
  readonly summary: ColumnSummary;
}

/** A column of states as runs of one value each, whatever its type: what an interval's end cuts through is known without decoding the column. */
export class StateRuns implements Pieces {
  readonly #runs: readonly Run[];
  readonly #stamps: NumberRows;
  /** A bit for each row that has a value; null if all have one. */
  readonly #presence: Uint8Array | null;

  private constructor(runs: readonly Run[], stamps: NumberRows, presence: Uint8Array | null) {
    this.#runs = runs;
    this.#stamps = stamps;
    this.#presence = presence;
  }

  /** Returns `null` for a column that changes too often. */
  static of(stamps: NumberRows, ts: Float64Array, column: Column): StateRuns | null {
    const runs = runsOf(ts, column);
    if (runs === null) return null;
    return new StateRuns(runs, stamps, presenceOf(column));
  }

  get count(): number {
    return this.#runs.length;
  }

  get bytes(): number {
    return this.#runs.length * RUN_BYTES + (this.#presence?.length ?? 0);
  }

  summaryOf(piece: number): ColumnSummary {
    return this.#runs[piece]!.summary;
  }

  read(piece: number, allocate: Allocate): { ts: Float64Array; column: Column } {
    const { value, start, stop } = this.#runs[piece]!;
    const rows = stop - start;
    const tags = new Uint8Array(rows).fill(value.tag);
    const presence = this.#presence;
    if (presence !== null)
      for (let row = 0; row < rows; row++) if (!isPresent(presence, start + row)) tags[row] = TAG_ABSENT;
    const texts = value.text === undefined ? null : new Array<string | undefined>(rows).fill(value.text);
    const numbers = allocate(rows).fill(value.number);
    return { ts: this.#stamps.slice(start, stop, allocate), column: { tags, numbers, texts, dense: false } };
  }
}

const isPresent = (presence: Uint8Array, row: number): boolean =>
  (presence[row >> 3]! & (1 << (row & 7))) !== 0;

function runsOf(ts: Float64Array, column: Column): Run[] | null {
  const runsMax = ts.length / ROWS_PER_RUN_MIN;
  const runs: Run[] = [];
  let row = nextRow(column, 0);
  while (row < ts.length) {
    if (runs.length >= runsMax) return null;
    const run = runFrom(ts, column, row);
    runs.push(run);
    row = nextRow(column, run.stop);
  }
  return runs;
}

/** Returns the first row from `start` on that has a value. */
function nextRow({ tags }: Column, start: number): number {
  let row = start;
  while (tags[row] === TAG_ABSENT) row++;
  return row;
}

function runFrom(ts: Float64Array, column: Column, start: number): Run {
  const value = stateAt(column, start);
  let last = start;
  let count = 1;
  for (let row = start + 1; row < ts.length; row++) {
    if (column.tags[row] === TAG_ABSENT) continue;
    if (!holds(value, column, row)) break;
    last = row;
    count++;
  }
  const summary = summaryOf(value, { count, firstTs: ts[start]!, lastTs: ts[last]! });
  return { value, start, stop: last + 1, summary };
}

function summaryOf(
  value: StateValue,
  { count, firstTs, lastTs }: Pick<ColumnSummary, "count" | "firstTs" | "lastTs">,
): ColumnSummary {
  const summary = emptySummary();
  summary.count = count;
  summary.firstTs = firstTs;
  summary.lastTs = lastTs;
  summary.states = { values: [value], durations: [lastTs - firstTs], last: 0 };
  if (value.tag !== TAG_NUMBER) return summary;
  summary.numeric = count;
  summary.min = summary.max = summary.first = summary.last = value.number;
  summary.minTs = summary.maxTs = firstTs;
  summary.sum = count * value.number + 0;
  return summary;
}

/** Unlike the states of a table, 0 and -0 differ here: a run gives its values back bit for bit. */
const holds = (value: StateValue, { tags, numbers, texts }: Column, row: number): boolean =>
  tags[row] === value.tag &&
  (value.tag === TAG_NUMBER ? Object.is(numbers[row], value.number) : texts?.[row] === value.text);

function presenceOf({ tags }: Column): Uint8Array | null {
  if (!tags.includes(TAG_ABSENT)) return null;
  const presence = new Uint8Array(Math.ceil(tags.length / 8));
  for (let row = 0; row < tags.length; row++)
    if (tags[row] !== TAG_ABSENT) presence[row >> 3]! |= 1 << (row & 7);
  return presence;
}

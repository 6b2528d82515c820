import { TAG_ABSENT, TAG_NUMBER } from "../../../../lib/data/value-kind.ts";
import { type FamilyRange, hotRows } from "../query/range-reader.ts";
import type { EarlierValue } from "../query/series-sink.ts";
import { numberState, stateAt } from "../query/state-table.ts";
import { type Column, emptyRows, lowerBound, overlay, type Rows, sliceRows, upperBound } from "../rows.ts";
import type { StoreEngine } from "../store-engine.ts";
import type { Steps } from "../upkeep/slice-scheduler.ts";
import type { BlockRef } from "./block-directory.ts";
import { type ColumnSummary, valueOfSummary } from "./column-summary.ts";

/** Kind of values to find: numbers only, or any. */
export type EarlierKind = "number" | "any";

/** Returns the newest value of each key (by number) before the range, however old; keys without one are absent. */
export function earlierValues(
  engine: StoreEngine,
  range: Pick<FamilyRange, "device" | "family" | "keys" | "from">,
  kind: EarlierKind,
): Steps<ReadonlyMap<number, EarlierValue>> {
  return new EarlierReader(engine, range, kind).read();
}

/**
 * Reads backwards from the start of a range, block by block, until each key has a value. As with `FamilyReader`, the directory may change between
 * two blocks.
 */
class EarlierReader {
  readonly #engine: StoreEngine;
  readonly #of: { readonly device: number; readonly family: number };
  readonly #isNumber: boolean;
  readonly #hot: Rows;
  readonly #found = new Map<number, EarlierValue>();
  /** Keys without a value so far. */
  readonly #pending: Set<number>;
  /** Hot rows from here on were read. */
  #hotEnd: number;
  /** All values from this timestamp on were read. */
  #until: number;

  constructor(
    engine: StoreEngine,
    range: Pick<FamilyRange, "device" | "family" | "keys" | "from">,
    kind: EarlierKind,
  ) {
    this.#engine = engine;
    this.#of = { device: range.device.no, family: range.family };
    this.#isNumber = kind === "number";
    this.#pending = new Set(range.keys);
    this.#until = range.from;
    const all = hotRows(engine.generations, { ...range, from: Number.NEGATIVE_INFINITY, to: range.from });
    this.#hotEnd = lowerBound(all.ts, range.from);
    this.#hot = all;
  }

  *read(): Steps<ReadonlyMap<number, EarlierValue>> {
    while (this.#pending.size > 0) {
      const ref = this.#engine.blocks.newestBefore(this.#of, this.#until);
      const hotStart = ref === null ? 0 : Math.min(this.#hotEnd, upperBound(this.#hot.ts, ref.maxTs));
      this.#take(sliceRows(this.#hot, hotStart, this.#hotEnd));
      this.#hotEnd = hotStart;
      if (ref === null) break;
      this.#readBlock(ref);
      yield;
    }
    return this.#found;
  }

  /** Reads a block; skips a rewritten block, whose successor the next turn finds. */
  #readBlock(ref: BlockRef): void {
    const hotStart = Math.min(this.#hotEnd, lowerBound(this.#hot.ts, ref.minTs));
    const hot = sliceRows(this.#hot, hotStart, this.#hotEnd);
    const keys = this.#keysToLoad(ref, hot.ts.length > 0);
    let rows: Rows = emptyRows;
    if (keys.size > 0) {
      const loaded = this.#engine.blocks.lend(ref, keys);
      if (loaded === "gone") return;
      // A damaged block is named in the statistics; what is older counts.
      if (loaded !== null) rows = sliceRows(loaded, 0, lowerBound(loaded.ts, this.#until));
    }
    this.#take(overlay(rows, hot));
    this.#hotEnd = hotStart;
    this.#until = ref.minTs;
  }

  /** Takes values from the block's summaries. Returns the keys whose rows are needed. */
  #keysToLoad(ref: BlockRef, isCovered: boolean): ReadonlySet<number> {
    const columns = this.#engine.blocks.head(ref)?.columns;
    const keys = new Set<number>();
    for (const key of this.#pending) {
      const summary = columns?.get(key)?.summary;
      if (summary === undefined || summary.count === 0) continue;
      const isNeeded = !this.#isNumber || summary.numeric > 0;
      const value = isCovered ? null : this.#summarised(ref, key, summary);
      if (value !== null) this.#find(key, value);
      else if (isNeeded) keys.add(key);
    }
    return keys;
  }

  #summarised(ref: BlockRef, key: number, summary: ColumnSummary): EarlierValue | null {
    if (ref.maxTs < this.#until) {
      if (!this.#isNumber) return valueOfSummary(summary);
      return summary.numeric > 0 ? numberState(summary.last) : null;
    }
    const sums = this.#engine.blocks.sums(ref, key);
    if (sums !== null) return numberState(sums.at(sums.stamps.rowsBefore(this.#until) - 1));
    if (this.#isNumber) return null;
    const runs = this.#engine.blocks.runs(ref, key);
    return runs?.last(0, runs.stamps.rowsBefore(this.#until)) ?? null;
  }

  #take(rows: Rows): void {
    for (const [key, column] of rows.columns) {
      if (!this.#pending.has(key)) continue;
      const row = this.#newestRow(column, column.tags.length);
      if (row >= 0) this.#find(key, stateAt(column, row));
    }
  }

  /** Returns the newest row before `stop` with a matching value; -1 if there is none. */
  #newestRow({ tags }: Column, stop: number): number {
    for (let row = stop - 1; row >= 0; row--)
      if (this.#isNumber ? tags[row] === TAG_NUMBER : tags[row] !== TAG_ABSENT) return row;
    return -1;
  }

  #find(key: number, value: EarlierValue): void {
    this.#found.set(key, value);
    this.#pending.delete(key);
  }
}

import { KIND_BOOLEAN, KIND_NUMBER, TAG_NUMBER } from "../../../../lib/data/value-kind.ts";
import type { DeviceState, SeriesState } from "../registry.ts";
import { type Column, emptyRows, newColumn, type Rows, sliceColumn } from "../rows.ts";
import { RECORD_HEAD_WORDS } from "./group-format.ts";
import { type Segment, wordOf } from "./hot-address.ts";

/** Access to records of the hot log by address. */
interface HotRecords {
  tsAt(address: number): number;
  columnsAt(address: number): readonly number[];
  tagAt(address: number, index: number, kind: number): number;
  textAt(address: number, index: number): string;
  segmentOf(address: number): Segment;
}

/** Deletion inside the hot tier; applies to earlier arrivals. */
export interface Tombstone {
  /** Key numbers; null means all. */
  readonly keys: ReadonlySet<number> | null;
  readonly from: number;
  readonly to: number;
  /** Records at and after this address are newer than the deletion. */
  readonly before: number;
}

/** Records of one device within a hot generation; sorted by time at their first read. */
export class HotDevice {
  readonly device: DeviceState;
  readonly tombstones: Tombstone[] = [];
  /** Approximate size of its records, in bytes. */
  bytes = 0;
  minTs = Number.POSITIVE_INFINITY;
  maxTs = Number.NEGATIVE_INFINITY;
  readonly #addresses: number[] = [];
  #sorted = true;

  constructor(device: DeviceState) {
    this.device = device;
  }

  get records(): number {
    return this.#addresses.length;
  }

  add(address: number, ts: number): void {
    this.#addresses.push(address);
    if (ts >= this.maxTs) this.maxTs = ts;
    else this.#sorted = false;
    if (ts < this.minTs) this.minTs = ts;
  }

  /** Returns the current values of some keys within a closed range. */
  rows(generation: HotRecords, keys: ReadonlySet<number>, from: number, to: number): Rows {
    if (to < this.minTs || from > this.maxTs) return emptyRows;
    this.#sort(generation);
    const start = this.#search(generation, from);
    const end = this.#search(generation, to, true);
    if (start >= end) return emptyRows;
    const builder = new RowsBuilder(keys, end - start);
    for (let i = start; i < end; i++) builder.add(generation, this.#addresses[i]!, this.tombstones);
    return builder.build();
  }

  /** Returns the number of records with about `bytes` in total: at least 1, at most `max`. */
  recordsWithin(bytes: number, max: number): number {
    const average = this.bytes / Math.max(1, this.records);
    return Math.max(1, Math.min(max, Math.floor(bytes / Math.max(1, average))));
  }

  /**
   * Returns the timestamp of the last of `limit` records from `from` on; infinite if there are fewer, null if there is none. More records may share
   * that timestamp.
   */
  endOf(generation: HotRecords, from: number, limit: number): number | null {
    this.#sort(generation);
    const start = this.#search(generation, from);
    if (start === this.#addresses.length) return null;
    const last = this.#addresses[start + limit - 1];
    return last === undefined ? Number.POSITIVE_INFINITY : generation.tsAt(last);
  }

  /** Returns the address of a key's newest value that was not deleted. */
  newest(generation: HotRecords, series: SeriesState): number | null {
    this.#sort(generation);
    for (let i = this.#addresses.length - 1; i >= 0; i--) {
      const address = this.#addresses[i]!;
      const has = generation.columnsAt(address).some((column) => column >> 2 === series.key);
      if (has && !isDead(this.tombstones, series.key, generation.tsAt(address), address)) return address;
    }
    return null;
  }

  #sort(generation: HotRecords): void {
    if (this.#sorted) return;
    // Addresses break ties: of two records at one timestamp the later arrival comes last and overwrites.
    this.#addresses.sort((a, b) => generation.tsAt(a) - generation.tsAt(b) || a - b);
    this.#sorted = true;
  }

  #search(generation: HotRecords, ts: number, after = false): number {
    let low = 0;
    let high = this.#addresses.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const offset = generation.tsAt(this.#addresses[middle]!);
      if (offset < ts || (after && offset === ts)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Copy of a pattern's wanted values into a column. */
interface Move {
  readonly index: number;
  readonly key: number;
  readonly kind: number;
  readonly column: Column;
}

class RowsBuilder {
  readonly #capacity: number;
  readonly #ts: Float64Array;
  readonly #columns = new Map<number, Column>();
  readonly #keys: ReadonlySet<number>;
  /** Pattern number → moves; consecutive records usually share their pattern. */
  readonly #moves = new Map<number, Move[]>();
  #pattern = -1;
  #current: Move[] = [];
  #rows = 0;

  constructor(keys: ReadonlySet<number>, capacity: number) {
    this.#keys = keys;
    this.#capacity = capacity;
    this.#ts = new Float64Array(capacity);
  }

  /** Adds a record; records must be sorted by time, and a later one with the same timestamp overwrites. */
  add(generation: HotRecords, address: number, tombstones: readonly Tombstone[]): void {
    const { f64, u32 } = generation.segmentOf(address);
    const offset = wordOf(address);
    const ts = f64[offset + 1]!;
    const pattern = u32[offset * 2 + 1]!;
    if (pattern !== this.#pattern) this.#follow(generation, address, pattern);
    for (let i = 0; i < this.#current.length; i++) {
      const { index, key, kind, column } = this.#current[i]!;
      if (tombstones.length > 0 && isDead(tombstones, key, ts, address)) continue;
      if (this.#rows === 0 || this.#ts[this.#rows - 1] !== ts) this.#ts[this.#rows++] = ts;
      const row = this.#rows - 1;
      if (kind === KIND_NUMBER) {
        column.tags[row] = TAG_NUMBER;
        column.numbers[row] = f64[offset + RECORD_HEAD_WORDS + index]!;
      } else {
        column.tags[row] = generation.tagAt(address, index, kind);
        if (kind > KIND_BOOLEAN) this.#text(column, row, generation.textAt(address, index));
      }
    }
  }

  #follow(generation: HotRecords, address: number, pattern: number): void {
    this.#pattern = pattern;
    const moves = this.#moves.get(pattern);
    this.#current = moves ?? this.#plan(generation.columnsAt(address));
    if (moves === undefined) this.#moves.set(pattern, this.#current);
  }

  #plan(columns: readonly number[]): Move[] {
    const moves: Move[] = [];
    for (const [index, code] of columns.entries()) {
      const key = code >> 2;
      if (!this.#keys.has(key)) continue;
      const column = this.#columns.get(key) ?? newColumn(this.#capacity);
      this.#columns.set(key, column);
      moves.push({ index, key, kind: code & 3, column });
    }
    return moves;
  }

  #text(column: Column, row: number, text: string): void {
    column.texts ??= new Array<string | undefined>(this.#capacity);
    column.texts[row] = text;
  }

  build(): Rows {
    if (this.#rows === 0) return emptyRows;
    if (this.#rows === this.#capacity) return { ts: this.#ts, columns: this.#columns };
    const columns = new Map<number, Column>();
    for (const [key, column] of this.#columns) columns.set(key, sliceColumn(column, 0, this.#rows));
    return { ts: this.#ts.subarray(0, this.#rows), columns };
  }
}

function isDead(tombstones: readonly Tombstone[], key: number, ts: number, address: number): boolean {
  return tombstones.some(
    ({ keys, from, to, before }) =>
      address < before && ts >= from && ts <= to && (keys === null || keys.has(key)),
  );
}

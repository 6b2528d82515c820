import { invariant } from "../../../../lib/core/invariant.ts";
import type { Column, Rows } from "../rows.ts";
import { numberTags } from "../rows.ts";
import type { BlockHead } from "./block-codec.ts";
import { ColumnPieces, PIECE_ROWS } from "./block-pieces.ts";
import { decodeColumn, plainNumbers } from "./column-codec.ts";
import { ColumnSums } from "./column-sums.ts";
import { type Allocate, decodeUnpacked, newNumbers } from "./number-codec.ts";
import { NumberRows } from "./number-rows.ts";
import { unpack } from "./packing.ts";
import { Stamps } from "./stamps.ts";
import { StateRuns } from "./state-runs.ts";

/** Number column: unpacked at first, with random access from its second read on if its form allows it. */
type Numbers = Uint8Array | NumberRows;

/**
 * Block with a verified checksum. Frequently read columns (timestamps and plain numbers) stay unpacked: two bytes per value instead of sixteen for
 * decoded rows.
 */
export class OpenedBlock {
  /** Approximate memory, in bytes. */
  bytes: number;
  readonly #head: BlockHead;
  /** Null once the body is no longer read. */
  #body: Uint8Array | null;
  #ts: Numbers | null = null;
  #stampIndex: Stamps | null = null;
  /** Key number → numbers; null if the column has other values. */
  readonly #numbers = new Map<number, Numbers | null>();
  /** Key number → its pieces. */
  readonly #pieces = new Map<number, ColumnPieces>();
  /** Key number → its sums. */
  readonly #sums = new Map<number, ColumnSums>();
  /** Key number → its runs; null if there are too many. */
  readonly #runs = new Map<number, StateRuns | null>();

  /** @throws Error if the body is damaged */
  constructor(head: BlockHead, body: Uint8Array) {
    if (Bun.hash.crc32(body) !== head.bodyChecksum) throw new Error("the body's checksum does not match");
    this.#head = head;
    this.#body = body;
    this.bytes = body.length;
  }

  /** Returns the columns of `keys`, or all columns. */
  rows(keys?: ReadonlySet<number>, allocate: Allocate = newNumbers): Rows {
    /** Key number → column. */
    const columns = new Map<number, Column>();
    const ts = this.#read(this.#unpackStamps(), allocate);
    for (const key of keys ?? this.#head.columns.keys()) {
      const column = this.#column(key, allocate);
      if (column !== null) columns.set(key, column);
    }
    return { ts, columns };
  }

  /** Returns a number column in pieces from its second read on, because building them for one read does not pay. Null for any other column. */
  pieces(key: number): ColumnPieces | null {
    const pieces = this.#pieces.get(key);
    if (pieces !== undefined) return pieces;
    const { rows } = this.#head;
    const access = rows > PIECE_ROWS ? this.#accessTo(key) : null;
    if (access === null) return null;
    const created = this.#keep(new ColumnPieces(access.ts, access.numbers, rows));
    this.#pieces.set(key, created);
    return created;
  }

  /** Returns the sums of a number column, which cost no more than its first read. */
  sums(key: number): ColumnSums | null {
    const sums = this.#sums.get(key);
    if (sums !== undefined) return sums;
    this.#unpackNumbers(key);
    const stamps = this.#stamps();
    const access = stamps === null ? null : this.#accessTo(key);
    if (stamps === null || access === null) return null;
    const created = this.#keep(new ColumnSums(stamps, access.numbers));
    this.#sums.set(key, created);
    return created;
  }

  /** Returns the runs of a state column; null if it changes too often. */
  runs(key: number): StateRuns | null {
    const cached = this.#runs.get(key);
    if (cached !== undefined) return cached;
    const stamps = this.#stamps();
    const column = stamps === null ? null : this.#column(key, newNumbers);
    const runs = stamps === null || column === null ? null : StateRuns.of(stamps, column);
    this.#runs.set(key, runs === null ? null : this.#keep(runs));
    return runs;
  }

  #stamps(): Stamps | null {
    this.#unpackStamps();
    const rows = this.#stampRows();
    if (rows !== null) this.#stampIndex ??= this.#keep(new Stamps(rows, this.#head.rows));
    return this.#stampIndex;
  }

  /** Returns the rows of a previously read key; null if they can only be read as a whole. */
  #accessTo(key: number): { readonly ts: NumberRows; readonly numbers: NumberRows } | null {
    const column = this.#numbers.get(key) ?? null;
    const ts = column === null ? null : this.#stampRows();
    if (column === null || ts === null) return null;
    const numbers = this.#toRows(column);
    if (numbers === null) return null;
    this.#numbers.set(key, numbers);
    this.#dropBody();
    return { ts, numbers };
  }

  #stampRows(): NumberRows | null {
    const stamps = this.#ts === null ? null : this.#toRows(this.#ts);
    if (stamps !== null) this.#ts = stamps;
    return stamps;
  }

  #toRows(column: Numbers): NumberRows | null {
    if (column instanceof NumberRows) return column;
    const rows = NumberRows.of(column, this.#head.rows);
    if (rows !== null) this.bytes += rows.bytes - column.length;
    return rows;
  }

  #dropBody(): void {
    if (this.#body === null || this.#numbers.size < this.#head.columns.size) return;
    for (const numbers of this.#numbers.values()) if (!(numbers instanceof NumberRows)) return;
    this.bytes -= this.#body.length;
    this.#body = null;
  }

  #column(key: number, allocate: Allocate): Column | null {
    const location = this.#head.columns.get(key);
    if (location === undefined) return null;
    const { rows } = this.#head;
    const numbers = this.#unpackNumbers(key);
    if (numbers === null) return decodeColumn(this.#part(location.offset, location.bytes), rows, allocate);
    return { tags: numberTags(rows), numbers: this.#read(numbers, allocate), texts: null, dense: true };
  }

  #unpackStamps(): Numbers {
    this.#ts ??= this.#keep(unpack(this.#part(0, this.#head.tsBytes)));
    return this.#ts;
  }

  #unpackNumbers(key: number): Numbers | null {
    const unpacked = this.#numbers.get(key);
    const location = this.#head.columns.get(key);
    if (unpacked !== undefined || location === undefined) return unpacked ?? null;
    const numbers = plainNumbers(this.#part(location.offset, location.bytes));
    if (numbers !== null) this.#keep(numbers);
    this.#numbers.set(key, numbers);
    return numbers;
  }

  #read(numbers: Numbers, allocate: Allocate): Float64Array {
    const { rows } = this.#head;
    return numbers instanceof NumberRows
      ? numbers.slice(0, rows, allocate)
      : decodeUnpacked(numbers, rows, allocate);
  }

  #part(offset: number, length: number): Uint8Array {
    invariant(this.#body !== null, "all columns of a block without a body are at hand");
    return this.#body.subarray(offset, offset + length);
  }

  #keep<Kept extends { readonly bytes: number } | Uint8Array>(kept: Kept): Kept {
    this.bytes += kept instanceof Uint8Array ? kept.length : kept.bytes;
    return kept;
  }
}

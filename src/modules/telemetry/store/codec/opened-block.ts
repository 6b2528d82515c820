import { invariant } from "../../../../lib/invariant.ts";
import type { Column, Rows } from "../rows.ts";
import { numberTags } from "../rows.ts";
import type { BlockHead } from "./block-codec.ts";
import { ColumnPieces, type PieceKind, type Pieces, pieceRows } from "./block-pieces.ts";
import { decodeColumn, plainNumbers } from "./column-codec.ts";
import { ColumnSums, Stamps } from "./column-sums.ts";
import { type Allocate, decodeUnpacked, newNumbers, unpack } from "./number-codec.ts";
import { NumberRows } from "./number-rows.ts";
import { StateRuns } from "./state-runs.ts";

/** A number column as it was unpacked, and from its second reading on so that any rows of it can be read, if its form allows it. */
type Numbers = Uint8Array | NumberRows;

/**
 * A block whose checksum has been verified. What readers ask for again and again (time stamps and plain number columns) stays
 * unpacked: two bytes a value instead of the sixteen that decoded rows take.
 */
export class OpenedBlock {
  /** Memory held, about. */
  bytes: number;
  readonly #head: BlockHead;
  /** Null when nothing more is read from it. */
  #body: Uint8Array | null;
  #ts: Numbers | null = null;
  #stampIndex: Stamps | null = null;
  /** Key number → numbers; null for a column that is more than numbers. */
  readonly #numbers = new Map<number, Numbers | null>();
  /** Key number → its pieces. */
  readonly #pieces = new Map<number, ColumnPieces>();
  /** Key number → its sums. */
  readonly #sums = new Map<number, ColumnSums>();
  /** Key number → its runs; null where there are too many. */
  readonly #runs = new Map<number, StateRuns | null>();

  /** Throws when the body is damaged. */
  constructor(head: BlockHead, body: Uint8Array) {
    if (Bun.hash.crc32(body) !== head.bodyChecksum) throw new Error("the body's checksum does not match");
    this.#head = head;
    this.#body = body;
    this.bytes = body.length;
  }

  /** The asked columns, all without `keys`. */
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

  /** Returns a key in parts from its second reading on: building them for one does not pay. Null if it has none of the kind. */
  pieces(key: number, kind: PieceKind = "numbers"): Pieces | null {
    if (kind === "numbers") return this.#numberPieces(key);
    if (kind === "runs") return this.#stateRuns(key) ?? this.#numberPieces(key);
    return this.#numberPieces(key) ?? this.#stateRuns(key);
  }

  /** Returns the sums of a column of numbers. They cost no more than its first reading does. */
  sums(key: number): ColumnSums | null {
    const sums = this.#sums.get(key);
    if (sums !== undefined) return sums;
    this.#unpackStamps();
    this.#unpackNumbers(key);
    const access = this.#accessTo(key);
    if (access === null) return null;
    this.#stampIndex ??= new Stamps(access.ts, this.#head.rows);
    const created = this.#keep(new ColumnSums(this.#stampIndex, access.numbers));
    this.#sums.set(key, created);
    return created;
  }

  #stateRuns(key: number): StateRuns | null {
    const stateRuns = this.#runs.get(key);
    if (stateRuns !== undefined || !this.#numbers.has(key)) return stateRuns ?? null;
    const stamps = this.#stamps();
    if (stamps === null) return null;
    const { ts, columns } = this.rows(new Set([key]));
    const column = columns.get(key);
    const runs = column === undefined ? null : StateRuns.of(stamps, ts, column);
    this.#runs.set(key, runs);
    this.bytes += runs?.bytes ?? 0;
    return runs;
  }

  #numberPieces(key: number): ColumnPieces | null {
    const pieces = this.#pieces.get(key);
    if (pieces !== undefined) return pieces;
    const { rows } = this.#head;
    const access = rows > pieceRows ? this.#accessTo(key) : null;
    if (access === null) return null;
    const created = this.#keep(new ColumnPieces(access.ts, access.numbers, rows));
    this.#pieces.set(key, created);
    return created;
  }

  /** Returns the rows of a key that was read before; null where they can only be read as a whole. */
  #accessTo(key: number): { readonly ts: NumberRows; readonly numbers: NumberRows } | null {
    const column = this.#numbers.get(key) ?? null;
    const ts = column === null ? null : this.#stamps();
    if (column === null || ts === null) return null;
    const numbers = this.#toRows(column);
    if (numbers === null) return null;
    this.#numbers.set(key, numbers);
    this.#dropBody();
    return { ts, numbers };
  }

  #stamps(): NumberRows | null {
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

import type { Column, Rows } from "../rows.ts";
import { numberTags } from "../rows.ts";
import type { BlockHead } from "./block-codec.ts";
import { ColumnPieces, type PieceKind, type Pieces } from "./block-pieces.ts";
import { decodeColumn, plainNumbers } from "./column-codec.ts";
import { type Allocate, decodeUnpacked, newNumbers, unpack } from "./number-codec.ts";
import { StateRuns } from "./state-runs.ts";

/**
 * A block whose checksum has been verified. What readers ask for again and again (time stamps and plain number columns) stays
 * unpacked: a byte or two a value instead of the sixteen that decoded rows take.
 */
export class OpenedBlock {
  /** Memory held, about. */
  bytes: number;
  readonly #head: BlockHead;
  readonly #body: Uint8Array;
  #ts: Uint8Array | null = null;
  /** Key number → numbers as `decodeUnpacked` takes them; null for a column that is more than numbers. */
  readonly #plain = new Map<number, Uint8Array | null>();
  /** Key number → its pieces; null where there are none. */
  readonly #pieces = new Map<number, ColumnPieces | null>();
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
    const { rows, tsBytes } = this.#head;
    this.#ts ??= this.#keep(unpack(this.#body.subarray(0, tsBytes)));
    /** Key number → column. */
    const columns = new Map<number, Column>();
    const ts = decodeUnpacked(this.#ts, rows, allocate);
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

  #stateRuns(key: number): StateRuns | null {
    const stateRuns = this.#runs.get(key);
    if (stateRuns !== undefined || this.#ts === null || !this.#plain.has(key)) return stateRuns ?? null;
    const { ts, columns } = this.rows(new Set([key]));
    const column = columns.get(key);
    const runs = column === undefined ? null : StateRuns.of(this.#ts, ts, column);
    this.#runs.set(key, runs);
    this.bytes += runs?.bytes ?? 0;
    return runs;
  }

  #numberPieces(key: number): ColumnPieces | null {
    const columnPieces = this.#pieces.get(key);
    const plain = this.#plain.get(key);
    if (columnPieces !== undefined || this.#ts === null || plain === undefined) return columnPieces ?? null;
    const pieces = plain === null ? null : ColumnPieces.of(this.#ts, plain, this.#head.rows);
    this.#pieces.set(key, pieces);
    this.bytes += pieces?.bytes ?? 0;
    return pieces;
  }

  #column(key: number, allocate: Allocate): Column | null {
    const location = this.#head.columns.get(key);
    if (location === undefined) return null;
    const { rows } = this.#head;
    const bytes = this.#body.subarray(location.offset, location.offset + location.bytes);
    let plain = this.#plain.get(key);
    if (plain === undefined) {
      plain = plainNumbers(bytes);
      if (plain !== null) this.#keep(plain);
      this.#plain.set(key, plain);
    }
    if (plain === null) return decodeColumn(bytes, rows, allocate);
    return {
      tags: numberTags(rows),
      numbers: decodeUnpacked(plain, rows, allocate),
      texts: null,
      dense: true,
    };
  }

  #keep(bytes: Uint8Array): Uint8Array {
    this.bytes += bytes.length;
    return bytes;
  }
}

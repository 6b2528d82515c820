import { ByteReader } from "../../../../lib/byte-reader.ts";
import { type Before, readIntsInto } from "./int-stream.ts";
import { type Allocate, type Entry, entryOf } from "./number-codec.ts";

/** Rows that are decoded together when only a part of a block is wanted. */
export const pieceRows = 256;

interface Mark extends Before {
  /** Byte at which a piece begins. */
  readonly at: number;
}

/** An unpacked number column that can be read from every `pieceRows`-th row on. */
export class NumberPieces {
  readonly #bytes: Uint8Array;
  readonly #entry: Entry;
  readonly #count: number;
  /** Marks of the pieces, one for each piece of a decimal form. */
  readonly #marks: Mark[] = [];

  private constructor(bytes: Uint8Array, entry: Entry, count: number) {
    this.#bytes = bytes;
    this.#entry = entry;
    this.#count = count;
    if (entry.kind === "decimal") this.#mark(entry);
  }

  /** Returns `null` for a form that has no way in but its beginning. */
  static of(bytes: Uint8Array, count: number): NumberPieces | null {
    const entry = entryOf(bytes);
    return entry === null ? null : new NumberPieces(bytes, entry, count);
  }

  /** The rows of one piece; the last may be shorter. */
  read(piece: number, allocate: Allocate): Float64Array {
    const start = piece * pieceRows;
    const out = allocate(Math.min(pieceRows, this.#count - start));
    const entry = this.#entry;
    if (entry.kind === "regular") {
      for (let i = 0; i < out.length; i++) out[i] = entry.first + (start + i) * entry.step;
    } else {
      const before = this.#marks[piece]!;
      readIntsInto(new ByteReader(this.#bytes, before.at), out, { ...entry, before });
    }
    return out;
  }

  #mark(entry: Extract<Entry, { kind: "decimal" }>): void {
    const reader = new ByteReader(this.#bytes, entry.at);
    const rows = new Float64Array(pieceRows);
    let before: Before = { previous: 0, delta: 0 };
    for (let start = 0; start < this.#count; start += pieceRows) {
      this.#marks.push({ at: reader.position, ...before });
      const out = rows.subarray(0, Math.min(pieceRows, this.#count - start));
      before = readIntsInto(reader, out, { order: entry.order, divisor: 1, before });
    }
  }
}

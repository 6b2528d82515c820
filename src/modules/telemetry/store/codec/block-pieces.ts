import { type ColumnSummary, summarise } from "../blocks/column-summary.ts";
import { type Column, numberTags } from "../rows.ts";
import type { Allocate } from "./number-codec.ts";
import type { NumberRows } from "./number-rows.ts";

/** Rows per piece, the unit for decoding part of a block. */
export const PIECE_ROWS = 256;

/** Approximate memory of a piece's summary, in bytes. */
const PIECE_BYTES = 200;

/** Plain number column of a block in pieces, each with its summary. A chart decodes only the pieces that its interval bounds cut. */
export class ColumnPieces {
  readonly #ts: NumberRows;
  readonly #numbers: NumberRows;
  readonly #rows: number;
  readonly summaries: readonly ColumnSummary[];

  constructor(ts: NumberRows, numbers: NumberRows, rows: number) {
    this.#ts = ts;
    this.#numbers = numbers;
    this.#rows = rows;
    const newArray: Allocate = (count) => new Float64Array(count);
    this.summaries = Array.from({ length: Math.ceil(rows / PIECE_ROWS) }, (_, piece) => {
      const part = this.read(piece, newArray);
      return summarise(part.ts, part.column);
    });
  }

  get count(): number {
    return this.summaries.length;
  }

  /** Approximate memory, in bytes. */
  get bytes(): number {
    return this.summaries.length * PIECE_BYTES;
  }

  summaryOf(piece: number): ColumnSummary {
    return this.summaries[piece]!;
  }

  read(piece: number, allocate: Allocate): { ts: Float64Array; column: Column } {
    const start = piece * PIECE_ROWS;
    const stop = Math.min(this.#rows, start + PIECE_ROWS);
    const ts = this.#ts.slice(start, stop, allocate);
    const numbers = this.#numbers.slice(start, stop, allocate);
    return { ts, column: { tags: numberTags(ts.length), numbers, texts: null, dense: true } };
  }
}

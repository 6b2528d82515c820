import { type ColumnSummary, summarise } from "../column-summary.ts";
import { type Column, numberTags } from "../rows.ts";
import type { Allocate } from "./number-codec.ts";
import { NumberPieces, pieceRows } from "./number-pieces.ts";

/** Memory of a piece's summary and marks, about. */
const pieceBytes = 200;

/** Parts of a column in time order, each with its summary, that can be read one by one. */
export interface Pieces {
  readonly count: number;
  /** Memory held, about. */
  readonly bytes: number;
  summaryOf(piece: number): ColumnSummary;
  read(piece: number, allocate: Allocate): { ts: Float64Array; column: Column };
}

/**
 * How a column is wanted in parts: plain numbers in pieces of the same size, of which sums come out the same; runs of one value each; or
 * the first of them that the column has.
 */
export type PieceKind = "numbers" | "runs" | "any";

/** A plain number column of a block in pieces, each with its summary: what a chart cuts through is decoded no further than that. */
export class ColumnPieces implements Pieces {
  readonly #ts: NumberPieces;
  readonly #numbers: NumberPieces;
  readonly summaries: readonly ColumnSummary[];

  private constructor(ts: NumberPieces, numbers: NumberPieces, rows: number) {
    this.#ts = ts;
    this.#numbers = numbers;
    const newArray: Allocate = (count) => new Float64Array(count);
    this.summaries = Array.from({ length: Math.ceil(rows / pieceRows) }, (_, piece) => {
      const part = this.read(piece, newArray);
      return summarise(part.ts, part.column);
    });
  }

  /** Returns `null` if a form of either cannot be read in pieces, or there is only one. */
  static of(ts: Uint8Array, numbers: Uint8Array, rows: number): ColumnPieces | null {
    if (rows <= pieceRows) return null;
    const stamps = NumberPieces.of(ts, rows);
    const values = NumberPieces.of(numbers, rows);
    return stamps === null || values === null ? null : new ColumnPieces(stamps, values, rows);
  }

  get count(): number {
    return this.summaries.length;
  }

  get bytes(): number {
    return this.summaries.length * pieceBytes;
  }

  summaryOf(piece: number): ColumnSummary {
    return this.summaries[piece]!;
  }

  read(piece: number, allocate: Allocate): { ts: Float64Array; column: Column } {
    const ts = this.#ts.read(piece, allocate);
    const numbers = this.#numbers.read(piece, allocate);
    return { ts, column: { tags: numberTags(ts.length), numbers, texts: null, dense: true } };
  }
}

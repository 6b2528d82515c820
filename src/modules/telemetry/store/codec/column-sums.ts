import { newNumbers } from "./number-codec.ts";
import type { NumberRows } from "./number-rows.ts";
import type { Stamps } from "./stamps.ts";

/** Rows per stored sum. All sums are computed from sums of this many rows, so that they are equal to the last bit however a block is read. */
export const SUM_ROWS = 64;

/** Approximate memory of the objects, in bytes. */
const OBJECT_BYTES = 300;
/** Memory of all sums of a part, in bytes. */
const PART_BYTES = 32;

/** Chooses between two numbers; `none` is the result without numbers. */
interface Extreme {
  readonly none: number;
  pick(extreme: number, value: number): number;
}

const smallest: Extreme = { none: Number.POSITIVE_INFINITY, pick: Math.min };
const largest: Extreme = { none: Number.NEGATIVE_INFINITY, pick: Math.max };

/** Sums and extremes per part of a number column, and the rows that they summarize. */
export class ColumnSums {
  readonly stamps: Stamps;
  /** Memory in bytes, without timestamps and numbers. */
  readonly bytes: number;
  readonly #numbers: NumberRows;
  /** Sum per part, computed on first use. */
  #sums: Float64Array | null = null;
  /** Sum of the numbers per part that are followed by a smaller number, computed on first use; empty if there are none. */
  #drops: Float64Array | null = null;
  /** Minimum and maximum per part, computed on first use. */
  #extremes: { readonly min: Float64Array; readonly max: Float64Array } | null = null;

  constructor(stamps: Stamps, numbers: NumberRows) {
    this.stamps = stamps;
    this.#numbers = numbers;
    this.bytes = OBJECT_BYTES + Math.ceil(stamps.rows / SUM_ROWS) * PART_BYTES;
  }

  at(row: number): number {
    return this.#numbers.at(row);
  }

  #ofParts(resultOf: (start: number, stop: number) => number): Float64Array {
    const { rows } = this.stamps;
    const values = new Float64Array(Math.ceil(rows / SUM_ROWS));
    for (let part = 0; part < values.length; part++)
      values[part] = resultOf(part * SUM_ROWS, Math.min(part * SUM_ROWS + SUM_ROWS, rows));
    return values;
  }

  /** Returns `sum` plus the rows `[start, stop)`, added part by part. */
  addTo(sum: number, start: number, stop: number): number {
    this.#sums ??= this.#ofParts((from, to) => this.#numbers.sum(from, to));
    let total = sum;
    for (let row = start; row < stop; ) {
      const part = (row / SUM_ROWS) | 0;
      const end = Math.min(stop, part * SUM_ROWS + SUM_ROWS);
      total += this.#isWhole(row, end) ? this.#sums[part]! : this.#numbers.sum(row, end);
      row = end;
    }
    return total;
  }

  /** Returns the sum of the numbers in the rows `[start, stop)` that are followed by a smaller number. */
  drops(start: number, stop: number): number {
    this.#drops ??= this.#dropParts();
    const drops = this.#drops;
    if (drops.length === 0) return 0;
    let total = 0;
    for (let row = start; row < stop - 1; ) {
      const part = (row / SUM_ROWS) | 0;
      const end = Math.min(stop - 1, part * SUM_ROWS + SUM_ROWS);
      total += this.#isWhole(row, end) ? drops[part]! : this.#dropsOf(row, end).sum;
      row = end;
    }
    return total;
  }

  #dropParts(): Float64Array {
    let count = 0;
    const sums = this.#ofParts((start, stop) => {
      const drops = this.#dropsOf(start, stop);
      count += drops.count;
      return drops.sum;
    });
    return count === 0 ? new Float64Array(0) : sums;
  }

  /**
   * Returns number and sum of the values in the rows `[start, stop)` that are larger than the next value; the last row of a block has no next row.
   */
  #dropsOf(start: number, stop: number): { readonly count: number; readonly sum: number } {
    const values = this.#numbers.slice(start, Math.min(stop + 1, this.stamps.rows), newNumbers);
    let count = 0;
    let sum = 0;
    for (let row = 1; row < values.length; row++) {
      if (values[row]! >= values[row - 1]!) continue;
      count++;
      sum += values[row - 1]!;
    }
    return { count, sum };
  }

  min(start: number, stop: number): number {
    return this.#extremeOf(this.#parts().min, smallest, { start, stop });
  }

  max(start: number, stop: number): number {
    return this.#extremeOf(this.#parts().max, largest, { start, stop });
  }

  #parts(): { readonly min: Float64Array; readonly max: Float64Array } {
    this.#extremes ??= {
      min: this.#ofParts((start, stop) => this.#extreme(smallest, start, stop)),
      max: this.#ofParts((start, stop) => this.#extreme(largest, start, stop)),
    };
    return this.#extremes;
  }

  #extremeOf(parts: Float64Array, of: Extreme, { start, stop }: { start: number; stop: number }): number {
    let extreme = of.none;
    for (let row = start; row < stop; ) {
      const part = (row / SUM_ROWS) | 0;
      const end = Math.min(stop, part * SUM_ROWS + SUM_ROWS);
      extreme = of.pick(extreme, this.#isWhole(row, end) ? parts[part]! : this.#extreme(of, row, end));
      row = end;
    }
    return extreme;
  }

  #extreme({ pick, none }: Extreme, start: number, stop: number): number {
    const values = this.#numbers.slice(start, stop, newNumbers);
    let extreme = none;
    for (let row = 0; row < values.length; row++) extreme = pick(extreme, values[row]!);
    return extreme;
  }

  /** Returns whether the rows are a whole part. The last part of a block may be shorter. */
  #isWhole(start: number, stop: number): boolean {
    return start % SUM_ROWS === 0 && (stop - start === SUM_ROWS || stop === this.stamps.rows);
  }
}

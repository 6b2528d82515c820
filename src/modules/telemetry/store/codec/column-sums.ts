import { newNumbers } from "./number-codec.ts";
import type { NumberRows } from "./number-rows.ts";

/** Rows of which a sum is kept. All sums are made of sums of so many rows: then they are the same to the last bit, however a block is read. */
export const sumRows = 64;

/** Memory of the objects, about. */
const OBJECT_BYTES = 300;

/** Up to this step a division tells rows apart exactly. */
const STEP_MAX = 2 ** 40;

/** The time stamps of a block, to find rows by time. */
export class Stamps {
  readonly rows: number;
  readonly #stamps: NumberRows;
  /** ms from one row to the next; 0 where it is not always the same. */
  readonly #step: number;
  readonly #first: number;
  readonly #one = new Float64Array(1);

  constructor(stamps: NumberRows, rows: number) {
    this.rows = rows;
    this.#stamps = stamps;
    this.#step = stamps.step > 0 && stamps.step < STEP_MAX ? stamps.step : 0;
    stamps.read(0, this.#one);
    this.#first = this.#one[0]!;
  }

  at(row: number): number {
    if (this.#step > 0) return this.#first + row * this.#step;
    this.#stamps.read(row, this.#one);
    return this.#one[0]!;
  }

  /** Returns how many rows lie before a time. */
  rowsBefore(time: number): number {
    if (this.#step > 0) {
      const before = Math.ceil((time - this.#first) / this.#step);
      return Math.max(0, Math.min(before, this.rows));
    }
    let low = 0;
    let high = this.rows;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Which of two numbers counts, and what it is of no numbers. */
interface Extreme {
  readonly none: number;
  pick(extreme: number, value: number): number;
}

const smallest: Extreme = { none: Number.POSITIVE_INFINITY, pick: Math.min };
const largest: Extreme = { none: Number.NEGATIVE_INFINITY, pick: Math.max };

/** What each part of a number column adds up to, and the rows behind it. */
export class ColumnSums {
  readonly stamps: Stamps;
  /** Memory held, without the time stamps and the numbers. */
  readonly bytes: number;
  readonly #numbers: NumberRows;
  readonly #sums: Float64Array;
  /** Smallest and largest number of each part, once one is asked for. */
  #extremes: { readonly min: Float64Array; readonly max: Float64Array } | null = null;

  constructor(stamps: Stamps, numbers: NumberRows) {
    this.stamps = stamps;
    this.#numbers = numbers;
    this.#sums = this.#ofParts((start, stop) => numbers.sum(start, stop));
    this.bytes = OBJECT_BYTES + this.#sums.byteLength * 3;
  }

  #ofParts(resultOf: (start: number, stop: number) => number): Float64Array {
    const { rows } = this.stamps;
    const values = new Float64Array(Math.ceil(rows / sumRows));
    for (let part = 0; part < values.length; part++)
      values[part] = resultOf(part * sumRows, Math.min(part * sumRows + sumRows, rows));
    return values;
  }

  /** Returns a sum with the rows `[start, stop)` added to it, part by part. */
  addTo(sum: number, start: number, stop: number): number {
    let total = sum;
    for (let row = start; row < stop; ) {
      const part = (row / sumRows) | 0;
      const end = Math.min(stop, part * sumRows + sumRows);
      total += this.#isWhole(row, end) ? this.#sums[part]! : this.#numbers.sum(row, end);
      row = end;
    }
    return total;
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
      const part = (row / sumRows) | 0;
      const end = Math.min(stop, part * sumRows + sumRows);
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

  /** The last part of a block may be short. */
  #isWhole(start: number, stop: number): boolean {
    return start % sumRows === 0 && (stop - start === sumRows || stop === this.stamps.rows);
  }
}

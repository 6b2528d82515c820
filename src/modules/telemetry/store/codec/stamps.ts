import type { NumberRows } from "./number-rows.ts";

/** Largest step at which a division tells rows apart exactly. */
const STEP_MAX = 2 ** 40;

/** The time stamps of a block, to find rows by time. */
export class Stamps {
  readonly rows: number;
  readonly #stamps: NumberRows;
  /** ms from one row to the next; 0 where it is not always the same. */
  readonly #step: number;
  readonly #first: number;

  constructor(stamps: NumberRows, rows: number) {
    this.rows = rows;
    this.#stamps = stamps;
    this.#step = stamps.step > 0 && stamps.step < STEP_MAX ? stamps.step : 0;
    this.#first = stamps.at(0);
  }

  at(row: number): number {
    return this.#stamps.at(row);
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

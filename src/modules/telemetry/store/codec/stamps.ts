import { lowerBound } from "../rows.ts";
import { PART_ROWS } from "./number-parts.ts";
import type { NumberRows } from "./number-rows.ts";

/** Memory of the object, about. */
const OBJECT_BYTES = 100;

/** Largest step at which a division tells rows apart exactly. */
const STEP_MAX = 2 ** 40;

/** The time stamps of a block, to find rows by time. */
export class Stamps {
  readonly rows: number;
  readonly #stamps: NumberRows;
  /** ms from one row to the next; 0 where it is not always the same. */
  readonly #step: number;
  readonly #first: number;
  /** The first time stamp of each part; empty where the step tells all. */
  readonly #starts: Float64Array;

  constructor(stamps: NumberRows, rows: number) {
    this.rows = rows;
    this.#stamps = stamps;
    this.#step = stamps.step > 0 && stamps.step < STEP_MAX ? stamps.step : 0;
    this.#first = stamps.at(0);
    this.#starts = new Float64Array(this.#step > 0 ? 0 : Math.ceil(rows / PART_ROWS));
    for (let part = 0; part < this.#starts.length; part++) this.#starts[part] = stamps.at(part * PART_ROWS);
  }

  /** Memory held, without the rows themselves. */
  get bytes(): number {
    return OBJECT_BYTES + this.#starts.byteLength;
  }

  at(row: number): number {
    return this.#stamps.at(row);
  }

  /** Returns the number of rows before a time. */
  rowsBefore(time: number): number {
    if (this.#step > 0) {
      const before = Math.ceil((time - this.#first) / this.#step);
      return Math.max(0, Math.min(before, this.rows));
    }
    const part = lowerBound(this.#starts, time) - 1;
    if (part < 0) return 0;
    let low = part * PART_ROWS + 1;
    let high = Math.min(this.rows, low + PART_ROWS - 1);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

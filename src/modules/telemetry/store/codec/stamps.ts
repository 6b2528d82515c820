import { lowerBound } from "../rows.ts";
import { PART_ROWS } from "./number-parts.ts";
import type { NumberRows } from "./number-rows.ts";

/** Approximate memory of the object, in bytes. */
const OBJECT_BYTES = 100;

/** Largest step for which a division finds rows exactly. */
const STEP_MAX = 2 ** 40;

/** Timestamps of a block, for finding rows by time. */
export class Stamps {
  readonly rows: number;
  readonly #stamps: NumberRows;
  /** Constant step between rows in ms; 0 if it varies. */
  readonly #step: number;
  readonly #first: number;
  /** First timestamp of each part; empty if the step is constant. */
  readonly #starts: Float64Array;

  constructor(stamps: NumberRows, rows: number) {
    this.rows = rows;
    this.#stamps = stamps;
    this.#step = stamps.step > 0 && stamps.step < STEP_MAX ? stamps.step : 0;
    this.#first = stamps.at(0);
    this.#starts = new Float64Array(this.#step > 0 ? 0 : Math.ceil(rows / PART_ROWS));
    for (let part = 0; part < this.#starts.length; part++) this.#starts[part] = stamps.at(part * PART_ROWS);
  }

  /** Memory in bytes, without the rows. */
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

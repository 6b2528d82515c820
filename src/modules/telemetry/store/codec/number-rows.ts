import { type Allocate, type Entry, entryOf } from "./number-codec.ts";
import { NumberParts } from "./number-parts.ts";

/** Approximate memory of the objects, in bytes. */
const OBJECT_BYTES = 200;

/** Rows of a full block. */
const SCRATCH_ROWS = 8_192;
/** Integers of the column being unpacked; allocating an array per column would cost as much as unpacking. */
const scratch = new Float64Array(SCRATCH_ROWS);

/** Number column with random access to rows: one or two bytes per value for most sensors. */
export class NumberRows {
  /** Approximate memory, in bytes. */
  readonly bytes: number;
  /** Constant step between rows; 0 if the step varies or all rows are equal. */
  readonly step: number;
  readonly #first: number;
  /** Null if the step determines all rows. */
  readonly #numbers: NumberParts | Float64Array | null;

  private constructor(entry: Entry, count: number) {
    const isRegular = entry.kind === "regular";
    this.step = isRegular ? entry.step : 0;
    this.#first = isRegular ? entry.first : 0;
    this.#numbers = isRegular ? null : numbersOf(entry, count);
    this.bytes = OBJECT_BYTES + bytesOf(this.#numbers);
  }

  /** `column`: unpacked number column. Returns `null` for a form that can only be read as a whole. */
  static of(column: Uint8Array, count: number): NumberRows | null {
    const entry = entryOf(column);
    return entry === null ? null : new NumberRows(entry, count);
  }

  at(row: number): number {
    const numbers = this.#numbers;
    if (numbers !== null) return numbers instanceof NumberParts ? numbers.at(row) : numbers[row]!;
    // Adding 0 would make 0 of -0.
    return this.step === 0 ? this.#first : this.#first + row * this.step;
  }

  /** Returns the rows `[start, stop)`. */
  slice(start: number, stop: number, allocate: Allocate): Float64Array {
    const out = allocate(stop - start);
    this.read(start, out);
    return out;
  }

  /** Fills `out` with the rows from `start` on. */
  read(start: number, out: Float64Array): void {
    const numbers = this.#numbers;
    if (numbers === null) this.#readRegular(start, out);
    else if (numbers instanceof NumberParts) numbers.read(start, out, out.length);
    else out.set(numbers.subarray(start, start + out.length));
  }

  /** Returns the sum of the rows `[start, stop)`, added one by one. */
  sum(start: number, stop: number): number {
    const numbers = this.#numbers;
    if (numbers instanceof NumberParts) return numbers.sum(start, stop);
    let sum = 0;
    for (let row = start; row < stop; row++) sum += numbers === null ? this.at(row) : numbers[row]!;
    return sum;
  }

  #readRegular(start: number, out: Float64Array): void {
    const first = this.#first;
    const { step } = this;
    // Adding 0 would make 0 of -0.
    if (step === 0) out.fill(first);
    else for (let i = 0; i < out.length; i++) out[i] = first + (start + i) * step;
  }
}

function numbersOf(entry: Exclude<Entry, { kind: "regular" }>, count: number): NumberParts | Float64Array {
  if (entry.kind === "plain") {
    const values = new Float64Array(count);
    entry.fill(values);
    return values;
  }
  const { fill, divisor } = entry;
  const ints = count > SCRATCH_ROWS ? new Float64Array(count) : scratch.subarray(0, count);
  fill(ints);
  return NumberParts.of(ints, divisor) ?? ints.map((int) => int / divisor);
}

const bytesOf = (numbers: NumberParts | Float64Array | null): number =>
  numbers instanceof NumberParts ? numbers.bytes : (numbers?.byteLength ?? 0);

import { type Allocate, type Entry, entryOf, newNumbers } from "./number-codec.ts";

/** Offsets of whole numbers from the smallest, in the narrowest array that holds them. */
type Offsets = Uint16Array | Uint32Array | Float64Array;

/** A number column of which any rows can be read: two bytes a value for nearly all sensors. */
export class NumberRows {
  /** Memory held, about. */
  readonly bytes: number;
  /** The step from one row to the next; 0 where it is not always the same, or where all rows are. */
  readonly step: number;
  readonly #first: number;
  readonly #divisor: number;
  /** Null where the step tells all. */
  readonly #offsets: Offsets | null;

  private constructor(entry: Entry, count: number) {
    const isRegular = entry.kind === "regular";
    const { base, offsets } = isRegular ? { base: entry.first, offsets: null } : offsetsOf(entry, count);
    this.step = isRegular ? entry.step : 0;
    this.#first = base;
    this.#divisor = isRegular ? 1 : entry.divisor;
    this.#offsets = offsets;
    this.bytes = OBJECT_BYTES + (offsets?.byteLength ?? 0);
  }

  /** `column`: an unpacked number column. Returns `null` for a form that can only be read as a whole. */
  static of(column: Uint8Array, count: number): NumberRows | null {
    const entry = entryOf(column);
    return entry === null ? null : new NumberRows(entry, count);
  }

  at(row: number): number {
    const offsets = this.#offsets;
    if (offsets !== null) return (this.#first + offsets[row]!) / this.#divisor;
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
    const offsets = this.#offsets;
    const first = this.#first;
    const place = { start, first, divisor: this.#divisor };
    // A loop for each kind of array: one for all would take several times as long.
    if (offsets === null) this.#readRegular(start, out);
    else if (offsets instanceof Uint16Array) readShort(offsets, place, out);
    else if (offsets instanceof Uint32Array) readLong(offsets, place, out);
    else for (let i = 0; i < out.length; i++) out[i] = (first + offsets[start + i]!) / this.#divisor;
  }

  /** Returns the sum of the rows `[start, stop)`, added one by one. */
  sum(start: number, stop: number): number {
    const offsets = this.#offsets;
    const place = { start, first: this.#first, divisor: this.#divisor };
    if (offsets instanceof Uint16Array) return sumShort(offsets, place, stop);
    if (offsets instanceof Uint32Array) return sumLong(offsets, place, stop);
    let sum = 0;
    for (const value of this.slice(start, stop, newNumbers)) sum += value;
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

/** Memory of the objects, about. */
const OBJECT_BYTES = 200;

interface Place {
  readonly start: number;
  readonly first: number;
  readonly divisor: number;
}

function readShort(offsets: Uint16Array, { start, first, divisor }: Place, out: Float64Array): void {
  for (let i = 0; i < out.length; i++) out[i] = (first + offsets[start + i]!) / divisor;
}

function readLong(offsets: Uint32Array, { start, first, divisor }: Place, out: Float64Array): void {
  for (let i = 0; i < out.length; i++) out[i] = (first + offsets[start + i]!) / divisor;
}

function sumShort(offsets: Uint16Array, { start, first, divisor }: Place, stop: number): number {
  let sum = 0;
  for (let row = start; row < stop; row++) sum += (first + offsets[row]!) / divisor;
  return sum;
}

function sumLong(offsets: Uint32Array, { start, first, divisor }: Place, stop: number): number {
  let sum = 0;
  for (let row = start; row < stop; row++) sum += (first + offsets[row]!) / divisor;
  return sum;
}

function offsetsOf(
  { fill }: Extract<Entry, { kind: "decimal" }>,
  count: number,
): { base: number; offsets: Offsets } {
  const ints = new Float64Array(count);
  fill(ints);
  let base = ints[0]!;
  let most = base;
  for (let i = 0; i < count; i++) {
    const int = ints[i]!;
    if (int < base) base = int;
    else if (int > most) most = int;
  }
  for (let i = 0; i < count; i++) ints[i] = ints[i]! - base;
  const range = most - base;
  if (range >= 2 ** 32) return { base, offsets: ints };
  return { base, offsets: range < 2 ** 16 ? new Uint16Array(ints) : new Uint32Array(ints) };
}

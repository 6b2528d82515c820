/**
 * Integers as offsets from a separate line for every few rows: one byte per number for most sensors, two for timestamps of devices that do not keep
 * time.
 */

/** Rows that share a line. */
export const PART_ROWS = 64;

/** Approximate memory of the objects, in bytes. */
const OBJECT_BYTES = 300;

/** Offsets in the narrowest sufficient array. */
type Offsets = Uint8Array | Uint16Array | Uint32Array;

/** Line `base + floor(row × step)` of each part, counted from its first row, and the largest offset from a line. */
interface Lines {
  readonly bases: Float64Array;
  /** Null if all lines are level. */
  readonly steps: Float64Array | null;
  readonly offsetMax: number;
}

/** Rows `[row, end)` of one part, written to the output from `to` on. */
interface Span {
  readonly row: number;
  readonly end: number;
  readonly base: number;
  readonly divisor: number;
  readonly to: number;
}

/** Numbers of a part being summed. */
const scratch = new Float64Array(PART_ROWS);

/** Numbers that become integers when multiplied by a divisor. */
export class NumberParts {
  readonly #bases: Float64Array;
  readonly #steps: Float64Array | null;
  readonly #offsets: Offsets;
  readonly #divisor: number;

  private constructor({ bases, steps }: Lines, offsets: Offsets, divisor: number) {
    this.#bases = bases;
    this.#steps = steps;
    this.#offsets = offsets;
    this.#divisor = divisor;
  }

  /** Returns `null` if the integers (of less than 2^50) are too far apart. Otherwise `ints` is overwritten. */
  static of(ints: Float64Array, divisor: number): NumberParts | null {
    const level = levelLines(ints);
    // Sloping lines take longer to add up, so they are used only where they save at least two bytes a number.
    const sloping = widthOf(level) <= 2 ? level : slopingLines(ints);
    const lines = widthOf(sloping) < widthOf(level) ? sloping : level;
    const width = widthOf(lines);
    if (width > 4) return null;
    subtractLines(ints, lines);
    return new NumberParts(lines, offsetsOf(ints, width), divisor);
  }

  /** Approximate memory, in bytes. */
  get bytes(): number {
    return OBJECT_BYTES + this.#offsets.byteLength + this.#bases.byteLength + (this.#steps?.byteLength ?? 0);
  }

  at(row: number): number {
    const part = (row / PART_ROWS) | 0;
    const rise = this.#steps === null ? 0 : Math.floor(this.#steps[part]! * (row - part * PART_ROWS));
    return (this.#bases[part]! + rise + this.#offsets[row]!) / this.#divisor;
  }

  /** Fills the beginning of `out` with `count` numbers from `start` on. */
  read(start: number, out: Float64Array, count: number): void {
    const end = start + count;
    for (let row = start; row < end; ) {
      const stop = Math.min(end, partEnd(row));
      if (this.#steps === null) this.#readLevel(this.#spanOf({ row, end: stop, to: row - start }), out);
      else this.#readSloping(this.#steps, { row, end: stop, base: 0, divisor: 1, to: row - start }, out);
      row = stop;
    }
  }

  /** Returns the sum of the rows `[start, end)`, added one by one. */
  sum(start: number, end: number): number {
    let sum = 0;
    for (let row = start; row < end; ) {
      const stop = Math.min(end, partEnd(row));
      if (this.#steps === null) sum = this.#addLevel(this.#spanOf({ row, end: stop, to: 0 }), sum);
      else {
        this.read(row, scratch, stop - row);
        for (let i = 0; i < stop - row; i++) sum += scratch[i]!;
      }
      row = stop;
    }
    return sum;
  }

  #spanOf({ row, end, to }: { row: number; end: number; to: number }): Span {
    return { row, end, base: this.#bases[(row / PART_ROWS) | 0]!, divisor: this.#divisor, to };
  }

  // A loop for each kind of array: one for all would take several times as long.

  #readLevel(span: Span, out: Float64Array): void {
    const offsets = this.#offsets;
    if (offsets instanceof Uint8Array) readBytes(offsets, span, out);
    else if (offsets instanceof Uint16Array) readShort(offsets, span, out);
    else readLong(offsets, span, out);
  }

  #addLevel(span: Span, sum: number): number {
    const offsets = this.#offsets;
    if (offsets instanceof Uint8Array) return addBytes(offsets, span, sum);
    return offsets instanceof Uint16Array ? addShort(offsets, span, sum) : addLong(offsets, span, sum);
  }

  #readSloping(steps: Float64Array, span: Span, out: Float64Array): void {
    this.#readLevel(span, out);
    const part = (span.row / PART_ROWS) | 0;
    const base = this.#bases[part]!;
    const step = steps[part]!;
    const index = span.row - part * PART_ROWS;
    const divisor = this.#divisor;
    for (let i = 0; i < span.end - span.row; i++) {
      const line = base + Math.floor(step * (index + i));
      out[span.to + i] = (line + out[span.to + i]!) / divisor;
    }
  }
}

/** Returns the row after the part that contains a row. */
const partEnd = (row: number): number => (((row / PART_ROWS) | 0) + 1) * PART_ROWS;

/** Returns the bytes per offset. */
function widthOf({ offsetMax }: Lines): number {
  if (offsetMax < 2 ** 8) return 1;
  if (offsetMax < 2 ** 16) return 2;
  return offsetMax < 2 ** 32 ? 4 : 8;
}

function offsetsOf(rests: Float64Array, width: number): Offsets {
  if (width === 1) return new Uint8Array(rests);
  return width === 2 ? new Uint16Array(rests) : new Uint32Array(rests);
}

function levelLines(ints: Float64Array): Lines {
  const bases = new Float64Array(Math.ceil(ints.length / PART_ROWS));
  let offsetMax = 0;
  for (let part = 0; part < bases.length; part++) {
    const first = part * PART_ROWS;
    const end = Math.min(ints.length, first + PART_ROWS);
    let least = ints[first]!;
    let most = least;
    for (let row = first + 1; row < end; row++) {
      const int = ints[row]!;
      if (int < least) least = int;
      if (int > most) most = int;
    }
    bases[part] = least;
    if (most - least > offsetMax) offsetMax = most - least;
  }
  return { bases, steps: null, offsetMax };
}

/** Returns lines from the first to the last number of each part. */
function slopingLines(ints: Float64Array): Lines {
  const bases = new Float64Array(Math.ceil(ints.length / PART_ROWS));
  const steps = new Float64Array(bases.length);
  let offsetMax = 0;
  for (let part = 0; part < bases.length; part++) {
    const first = part * PART_ROWS;
    const end = Math.min(ints.length, first + PART_ROWS);
    const step = end - first === 1 ? 0 : (ints[end - 1]! - ints[first]!) / (end - first - 1);
    let least = ints[first]!;
    let most = least;
    for (let row = first; row < end; row++) {
      const rest = ints[row]! - Math.floor(step * (row - first));
      if (rest < least) least = rest;
      if (rest > most) most = rest;
    }
    bases[part] = least;
    steps[part] = step;
    if (most - least > offsetMax) offsetMax = most - least;
  }
  return { bases, steps, offsetMax };
}

/** Replaces the numbers by their distances from the lines. */
function subtractLines(ints: Float64Array, { bases, steps }: Lines): void {
  for (let part = 0; part < bases.length; part++) {
    const first = part * PART_ROWS;
    const end = Math.min(ints.length, first + PART_ROWS);
    const base = bases[part]!;
    if (steps === null) for (let row = first; row < end; row++) ints[row] = ints[row]! - base;
    else {
      const step = steps[part]!;
      for (let row = first; row < end; row++)
        ints[row] = ints[row]! - (base + Math.floor(step * (row - first)));
    }
  }
}

function readBytes(offsets: Uint8Array, { row, end, base, divisor, to }: Span, out: Float64Array): void {
  const count = end - row;
  for (let i = 0; i < count; i++) out[to + i] = (base + offsets[row + i]!) / divisor;
}

function addBytes(offsets: Uint8Array, { row, end, base, divisor }: Span, before: number): number {
  let sum = before;
  for (let i = row; i < end; i++) sum += (base + offsets[i]!) / divisor;
  return sum;
}

function readShort(offsets: Uint16Array, { row, end, base, divisor, to }: Span, out: Float64Array): void {
  const count = end - row;
  for (let i = 0; i < count; i++) out[to + i] = (base + offsets[row + i]!) / divisor;
}

function addShort(offsets: Uint16Array, { row, end, base, divisor }: Span, before: number): number {
  let sum = before;
  for (let i = row; i < end; i++) sum += (base + offsets[i]!) / divisor;
  return sum;
}

function readLong(offsets: Uint32Array, { row, end, base, divisor, to }: Span, out: Float64Array): void {
  const count = end - row;
  for (let i = 0; i < count; i++) out[to + i] = (base + offsets[row + i]!) / divisor;
}

function addLong(offsets: Uint32Array, { row, end, base, divisor }: Span, before: number): number {
  let sum = before;
  for (let i = row; i < end; i++) sum += (base + offsets[i]!) / divisor;
  return sum;
}

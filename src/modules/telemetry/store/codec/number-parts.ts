/**
 * Whole numbers as offsets from a line of their own for every few rows: one byte a number for most sensors, and two for the time stamps of
 * devices that do not keep time.
 */

/** Rows that share a line. */
export const partRows = 64;

/** Memory of the objects, about. */
const OBJECT_BYTES = 300;

/** Offsets in the narrowest array that holds them. */
type Offsets = Uint8Array | Uint16Array | Uint32Array;

/** The line `base + floor(row × step)` of each part, counted from its first row, and the largest offset from one. */
interface Lines {
  readonly bases: Float64Array;
  /** Null where all are level. */
  readonly steps: Float64Array | null;
  readonly offsetMax: number;
}

/** The rows `[row, end)`, all of one part. */
interface Span {
  readonly row: number;
  readonly end: number;
  /** First row of the part. */
  readonly first: number;
  readonly base: number;
  readonly step: number;
  readonly divisor: number;
  /** Index in the output of its first row. */
  readonly to: number;
}

/** Numbers that are whole when they are multiplied by a divisor. */
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

  /** Returns `null` if the whole numbers, of less than 2^50, lie too far apart; else they are used up. */
  static of(ints: Float64Array, divisor: number): NumberParts | null {
    const level = levelLines(ints);
    const sloping = level.offsetMax < 2 ** 8 ? level : slopingLines(ints);
    const lines = widthOf(sloping) < widthOf(level) ? sloping : level;
    const width = widthOf(lines);
    if (width > 4) return null;
    subtractLines(ints, lines);
    return new NumberParts(lines, offsetsOf(ints, width), divisor);
  }

  /** Memory held, about. */
  get bytes(): number {
    return OBJECT_BYTES + this.#offsets.byteLength + this.#bases.byteLength + (this.#steps?.byteLength ?? 0);
  }

  at(row: number): number {
    const { base, step, first } = this.#spanOf({ start: row, row, end: row + 1 });
    return (lineAt(base, step, row - first) + this.#offsets[row]!) / this.#divisor;
  }

  /** Fills the beginning of `out` with `count` numbers from `start` on. */
  read(start: number, out: Float64Array, count: number): void {
    const offsets = this.#offsets;
    const end = start + count;
    for (let row = start; row < end; ) {
      const span = this.#spanOf({ start, row, end });
      // A loop for each kind of array: one for all would take several times as long.
      if (offsets instanceof Uint8Array) readBytes(offsets, span, out);
      else if (offsets instanceof Uint16Array) readShort(offsets, span, out);
      else readLong(offsets, span, out);
      row = span.end;
    }
  }

  /** Returns the sum of the rows `[start, end)`, added one by one. */
  sum(start: number, end: number): number {
    const offsets = this.#offsets;
    let sum = 0;
    for (let row = start; row < end; ) {
      const span = this.#spanOf({ start, row, end });
      if (offsets instanceof Uint8Array) sum = addBytes(offsets, span, sum);
      else if (offsets instanceof Uint16Array) sum = addShort(offsets, span, sum);
      else sum = addLong(offsets, span, sum);
      row = span.end;
    }
    return sum;
  }

  #spanOf({ start, row, end }: { start: number; row: number; end: number }): Span {
    const part = (row / partRows) | 0;
    const first = part * partRows;
    return {
      row,
      end: Math.min(end, first + partRows),
      first,
      base: this.#bases[part]!,
      step: this.#steps === null ? 0 : this.#steps[part]!,
      divisor: this.#divisor,
      to: row - start,
    };
  }
}

const lineAt = (base: number, step: number, index: number): number => base + Math.floor(step * index);

/** Bytes of an offset. */
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
  const bases = new Float64Array(Math.ceil(ints.length / partRows));
  let offsetMax = 0;
  for (let part = 0; part < bases.length; part++) {
    const first = part * partRows;
    const end = Math.min(ints.length, first + partRows);
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

/** Lines from the first number of each part to its last one. */
function slopingLines(ints: Float64Array): Lines {
  const bases = new Float64Array(Math.ceil(ints.length / partRows));
  const steps = new Float64Array(bases.length);
  let offsetMax = 0;
  for (let part = 0; part < bases.length; part++) {
    const first = part * partRows;
    const end = Math.min(ints.length, first + partRows);
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

/** Leaves the distances from the lines. */
function subtractLines(ints: Float64Array, { bases, steps }: Lines): void {
  for (let part = 0; part < bases.length; part++) {
    const first = part * partRows;
    const end = Math.min(ints.length, first + partRows);
    const base = bases[part]!;
    const step = steps === null ? 0 : steps[part]!;
    for (let row = first; row < end; row++) ints[row] = ints[row]! - lineAt(base, step, row - first);
  }
}

function readBytes(offsets: Uint8Array, span: Span, out: Float64Array): void {
  const { row: start, end, first, base, step, divisor, to } = span;
  for (let row = start; row < end; row++)
    out[to + row - start] = (lineAt(base, step, row - first) + offsets[row]!) / divisor;
}

function addBytes(offsets: Uint8Array, span: Span, before: number): number {
  const { row: start, end, first, base, step, divisor } = span;
  let sum = before;
  for (let row = start; row < end; row++) sum += (lineAt(base, step, row - first) + offsets[row]!) / divisor;
  return sum;
}

function readShort(offsets: Uint16Array, span: Span, out: Float64Array): void {
  const { row: start, end, first, base, step, divisor, to } = span;
  for (let row = start; row < end; row++)
    out[to + row - start] = (lineAt(base, step, row - first) + offsets[row]!) / divisor;
}

function addShort(offsets: Uint16Array, span: Span, before: number): number {
  const { row: start, end, first, base, step, divisor } = span;
  let sum = before;
  for (let row = start; row < end; row++) sum += (lineAt(base, step, row - first) + offsets[row]!) / divisor;
  return sum;
}

function readLong(offsets: Uint32Array, span: Span, out: Float64Array): void {
  const { row: start, end, first, base, step, divisor, to } = span;
  for (let row = start; row < end; row++)
    out[to + row - start] = (lineAt(base, step, row - first) + offsets[row]!) / divisor;
}

function addLong(offsets: Uint32Array, span: Span, before: number): number {
  const { row: start, end, first, base, step, divisor } = span;
  let sum = before;
  for (let row = start; row < end; row++) sum += (lineAt(base, step, row - first) + offsets[row]!) / divisor;
  return sum;
}

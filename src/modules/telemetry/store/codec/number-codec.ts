import { ByteReader } from "../../../../lib/data/byte-reader.ts";
import { ByteWriter } from "../../../../lib/data/byte-writer.ts";
import { bitDeltas, joinDeltaPlanes, joinPlanes, splitPlanes } from "./byte-planes.ts";
import { candidateScales, type DecimalForm, powersOfTen, stepPlaces, toDecimal } from "./decimal.ts";
import { type GridForm, type GridSegment, lineAt, toGrid } from "./grid.ts";
import {
  ALL_ORDERS,
  cheapestOrder,
  integrate,
  type Order,
  readInts,
  readIntsInto,
  subtractNeighbours,
  writeInts,
} from "./int-stream.ts";
import { type Effort, pack, prefixed, unpack } from "./packing.ts";
import { readSplit, splitInts, writeSplit } from "./split-ints.ts";

const MODE_CONSTANT = 0;
/** Decimal-scaled integers. */
const MODE_DECIMAL = 1;
/** Sorted distinct values, and a rank per row; for recurring averages such as 31.1333333333333. */
const MODE_RANK = 2;
/** The eight bytes of the doubles, in one plane each. */
const MODE_PLANES = 3;
/** Planes of the differences of neighboring doubles' bits. */
const MODE_DELTA_PLANES = 4;

/** A first value and a constant step: timestamps of a device that keeps time. */
const MODE_REGULAR = 5;

/** Decimal or rank mode with split integers. */
const MODE_SPLIT = 6;
const MODE_SPLIT_RANK = 7;
/** Decimal-scaled integers close to the lines of grids. */
const MODE_GRID = 8;

/** Set if the values are stored as differences of neighbors. */
const DIFFERENCES_FLAG = 0x04;
const PLACES_FLAG = 0x10;
const EXCEPTIONS_FLAG = 0x20;
const ORDER_MASK = 0x03;

/** Bytes per value below which a decimal form is accepted without trying other forms, if effort is `fast`. */
const DECIMAL_BYTES_GOOD = 2.5;
/** Max. size of an order's form, relative to the smallest; larger forms are not packed for comparison. */
const ORDER_BYTES_MAX = 1.5;
/** Allocator for decoded numbers; a reader that uses them immediately may return the same arrays again. */
export type Allocate = (count: number) => Float64Array;
export const newNumbers: Allocate = (count) => new Float64Array(count);

/** Packs one form of a column. */
type Form = (effort: Effort) => Uint8Array;

/** Returns the shortest form that the effort finds. The encoding is lossless for every double. */
export function encodeNumbers(values: Float64Array, effort: Effort): Uint8Array {
  if (isConstant(values)) return constant(values[0] ?? 0);
  if (isRegular(values)) return regular(values[0]!, values[1]! - values[0]!);
  let best: { form: Form; packed: Uint8Array } | null = null;
  for (const form of forms(values, effort)) {
    const packed = form("fast");
    if (best === null || packed.length < best.packed.length) best = { form, packed };
  }
  if (best === null) return constant(values[0] ?? 0);
  if (effort === "fast") return best.packed;
  const tight = best.form(effort);
  return tight.length < best.packed.length ? tight : best.packed;
}

/** Yields forms worth comparing: all that can be shortest if thorough, otherwise those that are found quickly. */
function* forms(values: Float64Array, effort: Effort): Generator<Form> {
  let shortest = Number.POSITIVE_INFINITY;
  for (const scale of candidateScales(values)) {
    const decimal = toDecimal(values, scale);
    if (decimal === null) continue;
    const cheapest = cheapestOrder(decimal.ints);
    const orders = effort === "fast" ? [cheapest] : ALL_ORDERS;
    const ofOrders = orders.map((order) => decimalForm(values, decimal, order));
    shortest = Math.min(shortest, shortestOf(ofOrders));
    yield* packings(ofOrders);
    if (effort === "thorough") yield* splitForms(decimal, cheapest);
  }
  if (effort === "fast" && shortest < values.length * DECIMAL_BYTES_GOOD) return;
  yield* rankForms(values, effort);
  if (shortest < values.length * (effort === "fast" ? 6 : DECIMAL_BYTES_GOOD)) return;
  yield packing(planes(values, MODE_PLANES));
  if (effort === "thorough") yield packing(planes(values, MODE_DELTA_PLANES));
}

const shortestOf = (forms: readonly Uint8Array[]): number => Math.min(...forms.map(({ length }) => length));

/** Yields the forms that may be shortest when packed. */
function* packings(forms: readonly Uint8Array[]): Generator<Form> {
  const most = shortestOf(forms) * ORDER_BYTES_MAX;
  for (const form of forms) if (form.length <= most) yield packing(form);
}

const packing =
  (bytes: Uint8Array): Form =>
  (effort) =>
    pack(bytes, effort);

/** Yields forms of decimals that are packed in parts. */
function* splitForms({ scale, ints, places, exceptions }: DecimalForm, order: Order): Generator<Form> {
  if (places !== null || exceptions.length > 0) return;
  const split = splitInts(ints, order);
  yield (effort) => {
    const writer = splitWriter(MODE_SPLIT, order, split.bytes.length);
    writer.u8(scale);
    writeSplit(writer, split, effort);
    return prefixed(0, writer.bytes());
  };
  const grid = toGrid(ints);
  if (grid !== null) yield gridForm(grid, { scale, flags: 0 });
  const differences = grid === null && order > 0 ? toGrid(subtractNeighbours(ints, 1)) : null;
  if (differences !== null) yield gridForm(differences, { scale, flags: DIFFERENCES_FLAG });
}

function splitWriter(mode: number, flags: number, rows: number): ByteWriter {
  const writer = new ByteWriter(rows + 64);
  writer.u8(mode);
  writer.u8(flags);
  return writer;
}

function gridForm(
  { segments, lines, rests }: GridForm,
  { scale, flags }: { readonly scale: number; readonly flags: number },
): Form {
  const order = cheapestOrder(lines);
  const split = [splitInts(lines, order), splitInts(rests, 0)];
  return (effort) => {
    const writer = splitWriter(MODE_GRID, order | flags, lines.length);
    writer.u8(scale);
    writer.varint(segments.length);
    for (const { rows, base, step } of segments) {
      writer.varint(rows);
      writer.f64(base);
      writer.f64(step);
    }
    for (const ints of split) writeSplit(writer, ints, effort);
    return prefixed(0, writer.bytes());
  };
}

export function decodeNumbers(
  bytes: Uint8Array,
  count: number,
  allocate: Allocate = newNumbers,
): Float64Array {
  return decodeUnpacked(unpack(bytes), count, allocate);
}

export function decodeUnpacked(bytes: Uint8Array, count: number, allocate: Allocate): Float64Array {
  const reader = new ByteReader(bytes);
  const mode = reader.u8();
  if (mode === MODE_CONSTANT) return allocate(count).fill(reader.f64());
  if (mode === MODE_REGULAR) return readRegular(reader, allocate(count));
  if (mode === MODE_DECIMAL) return readDecimal(reader, allocate(count));
  if (mode === MODE_SPLIT) return readSplitDecimal(reader, allocate(count));
  if (mode === MODE_GRID) return readGrid(reader, allocate(count));
  if (mode === MODE_RANK || mode === MODE_SPLIT_RANK) return readRank(reader, allocate(count), mode);
  if (mode === MODE_PLANES || mode === MODE_DELTA_PLANES) return readPlanes(reader, allocate(count), mode);
  throw new RangeError(`unknown number mode ${mode}`);
}

/** Rule by which the values of a form follow from integers. */
export type Entry =
  | { readonly kind: "regular"; readonly first: number; readonly step: number }
  | { readonly kind: "decimal"; readonly divisor: number; readonly fill: (ints: Float64Array) => void }
  /** Values unpacked as doubles. */
  | { readonly kind: "plain"; readonly fill: (values: Float64Array) => void };

/** Returns `null` for a form that can only be read as a whole. */
export function entryOf(bytes: Uint8Array): Entry | null {
  const reader = new ByteReader(bytes);
  const mode = reader.u8();
  if (mode === MODE_CONSTANT) return { kind: "regular", first: reader.f64(), step: 0 };
  if (mode === MODE_REGULAR) return { kind: "regular", first: reader.f64(), step: reader.f64() };
  if (mode === MODE_PLANES || mode === MODE_DELTA_PLANES)
    return { kind: "plain", fill: (values) => readPlanes(reader, values, mode) };
  if (mode !== MODE_DECIMAL && mode !== MODE_SPLIT && mode !== MODE_GRID) return null;
  const flags = reader.u8();
  if (mode === MODE_DECIMAL && (flags & ~ORDER_MASK) !== 0) return null;
  const divisor = powersOfTen[reader.u8()]!;
  const order = orderOf(flags);
  if (mode === MODE_DECIMAL)
    return { kind: "decimal", divisor, fill: (ints) => readIntsInto(reader, ints, { order, divisor: 1 }) };
  if (mode === MODE_SPLIT)
    return { kind: "decimal", divisor, fill: (ints) => readSplit(reader, ints, { order, divisor: 1 }) };
  return { kind: "decimal", divisor, fill: (ints) => readGridInts(reader, ints, flags) };
}

/** Returns the written order; the mask's value 3 is never written. */
const orderOf = (flags: number): Order => (flags & ORDER_MASK) as Order;

function isConstant(values: Float64Array): boolean {
  const first = values[0]!;
  for (let i = 1; i < values.length; i++) if (!Object.is(values[i], first)) return false;
  return true;
}

function constant(value: number): Uint8Array {
  const writer = new ByteWriter(16);
  writer.u8(MODE_CONSTANT);
  writer.f64(value);
  return prefixed(0, writer.bytes());
}

function isRegular(values: Float64Array): boolean {
  if (values.length < 3) return false;
  const first = values[0]!;
  const step = values[1]! - first;
  for (let i = 0; i < values.length; i++) if (!Object.is(first + i * step, values[i])) return false;
  return true;
}

function regular(first: number, step: number): Uint8Array {
  const writer = new ByteWriter(24);
  writer.u8(MODE_REGULAR);
  writer.f64(first);
  writer.f64(step);
  return prefixed(0, writer.bytes());
}

function readRegular(reader: ByteReader, values: Float64Array): Float64Array {
  const first = reader.f64();
  const step = reader.f64();
  for (let i = 0; i < values.length; i++) values[i] = first + i * step;
  return values;
}

function decimalForm(values: Float64Array, form: DecimalForm, order: Order): Uint8Array {
  const writer = new ByteWriter(values.length * 3 + 64);
  writer.u8(MODE_DECIMAL);
  writeDecimal(writer, values, form, order);
  return writer.bytes();
}

function writeDecimal(writer: ByteWriter, values: Float64Array, form: DecimalForm, order: Order): void {
  const { places, exceptions } = form;
  writer.u8(order | (places === null ? 0 : PLACES_FLAG) | (exceptions.length === 0 ? 0 : EXCEPTIONS_FLAG));
  writer.u8(form.scale);
  if (exceptions.length > 0) {
    writer.varint(exceptions.length);
    let previous = 0;
    for (const index of exceptions) {
      writer.varint(index - previous);
      writer.f64(values[index]!);
      previous = index;
    }
  }
  writeInts(writer, form.ints, order);
  if (places !== null) writeInts(writer, places, 0);
}

function readDecimal(reader: ByteReader, values: Float64Array): Float64Array {
  const flags = reader.u8();
  const power = powersOfTen[reader.u8()]!;
  const exceptions: Array<[number, number]> = [];
  if ((flags & EXCEPTIONS_FLAG) !== 0) {
    let index = 0;
    for (let left = reader.varint(); left > 0; left--) {
      index += reader.varint();
      exceptions.push([index, reader.f64()]);
    }
  }
  readIntsInto(reader, values, { order: orderOf(flags), divisor: power });
  if ((flags & PLACES_FLAG) !== 0) {
    const places = readInts(reader, values.length, 0);
    for (let i = 0; i < values.length; i++)
      if (places[i] !== 0) values[i] = stepPlaces(values[i]!, places[i]!);
  }
  for (const [index, value] of exceptions) values[index] = value;
  return values;
}

function readSplitDecimal(reader: ByteReader, values: Float64Array): Float64Array {
  const order = orderOf(reader.u8());
  readSplit(reader, values, { order, divisor: powersOfTen[reader.u8()]! });
  return values;
}

function readGrid(reader: ByteReader, values: Float64Array): Float64Array {
  const flags = reader.u8();
  const power = powersOfTen[reader.u8()]!;
  readGridInts(reader, values, flags);
  for (let i = 0; i < values.length; i++) values[i] = values[i]! / power;
  return values;
}

/** Distances from grid lines during decoding, for a full block. */
const gridRests = new Float64Array(8_192);

function readGridInts(reader: ByteReader, ints: Float64Array, flags: number): void {
  const segments: GridSegment[] = [];
  for (let left = reader.varint(); left > 0; left--)
    segments.push({ rows: reader.varint(), base: reader.f64(), step: reader.f64() });
  readSplit(reader, ints, { order: orderOf(flags), divisor: 1 });
  const rests =
    ints.length > gridRests.length ? new Float64Array(ints.length) : gridRests.subarray(0, ints.length);
  readSplit(reader, rests, { order: 0, divisor: 1 });
  let row = 0;
  for (const segment of segments)
    for (const stop = Math.min(ints.length, row + segment.rows); row < stop; row++)
      ints[row] = lineAt(segment, ints[row]!) + rests[row]!;
  if ((flags & DIFFERENCES_FLAG) !== 0) integrate(ints, 1, 1);
}

/** Yields forms with a dictionary; none if most values are distinct, because the dictionary would be larger than the saving. */
function* rankForms(values: Float64Array, effort: Effort): Generator<Form> {
  const distinct = distinctSorted(values);
  if (distinct === null) return;
  /** Value → rank. */
  const ranks = new Map<number, number>();
  for (let rank = 0; rank < distinct.length; rank++) ranks.set(distinct[rank]!, rank);
  const ints = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) ints[i] = ranks.get(values[i]!)!;
  const dictionary = encodeNumbers(distinct, effort);
  const cheapest = cheapestOrder(ints);
  const orders = effort === "fast" ? [cheapest] : ALL_ORDERS;
  const ofOrders = orders.map((order) => {
    const writer = new ByteWriter(values.length * 2 + dictionary.length + 16);
    writer.u8(MODE_RANK);
    writer.u8(order);
    writer.varint(distinct.length);
    writer.block(dictionary);
    writeInts(writer, ints, order);
    return writer.bytes();
  });
  yield* packings(ofOrders);
  if (effort === "fast") return;
  const split = splitInts(ints, cheapest);
  yield (level) => {
    const writer = splitWriter(MODE_SPLIT_RANK, cheapest, values.length + dictionary.length);
    writer.varint(distinct.length);
    writer.block(dictionary);
    writeSplit(writer, split, level);
    return prefixed(0, writer.bytes());
  };
}

function distinctSorted(values: Float64Array): Float64Array | null {
  const most = values.length / 2;
  const distinct = new Set<number>();
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    // A Set treats -0 as 0, and NaN has no order.
    if (Object.is(value, -0) || Number.isNaN(value)) return null;
    distinct.add(value);
    if (distinct.size > most) return null;
  }
  return Float64Array.from(distinct).sort();
}

function readRank(reader: ByteReader, values: Float64Array, mode: number): Float64Array {
  const order = orderOf(reader.u8());
  const distinct = decodeNumbersWithCount(reader);
  if (mode === MODE_RANK) readIntsInto(reader, values, { order, divisor: 1 });
  else readSplit(reader, values, { order, divisor: 1 });
  for (let i = 0; i < values.length; i++) values[i] = distinct[values[i]!]!;
  return values;
}

function decodeNumbersWithCount(reader: ByteReader): Float64Array {
  const count = reader.varint();
  return decodeNumbers(reader.block(), count);
}

function planes(values: Float64Array, mode: typeof MODE_PLANES | typeof MODE_DELTA_PLANES): Uint8Array {
  const bytes = new Uint8Array(1 + values.length * 8);
  bytes[0] = mode;
  splitPlanes(mode === MODE_PLANES ? values : bitDeltas(values), bytes.subarray(1));
  return bytes;
}

function readPlanes(reader: ByteReader, values: Float64Array, mode: number): Float64Array {
  const from = reader.raw(values.length * 8);
  if (mode === MODE_PLANES) joinPlanes(from, values);
  else joinDeltaPlanes(from, values);
  return values;
}

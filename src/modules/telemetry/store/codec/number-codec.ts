import { ByteReader } from "../../../../lib/byte-reader.ts";
import { ByteWriter } from "../../../../lib/byte-writer.ts";
import { bitDeltas, joinDeltaPlanes, joinPlanes, splitPlanes } from "./byte-planes.ts";
import { candidateScales, type DecimalForm, powersOfTen, stepPlaces, toDecimal } from "./decimal.ts";
import { allOrders, cheapestOrder, type Order, readInts, readIntsInto, writeInts } from "./int-stream.ts";

/** Describes how hard to look for the smallest form: while sealing time matters, when merging for good space does. */
export type Effort = "fast" | "thorough";

const MODE_CONSTANT = 0;
/** Decimal-scaled whole numbers. */
const MODE_DECIMAL = 1;
/** Distinct values, sorted, and for each row its rank: for averages such as 31.1333333333333 that come back often. */
const MODE_RANK = 2;
/** The eight bytes of the doubles, each in a plane of its own. */
const MODE_PLANES = 3;
/** Planes of the differences of neighbouring doubles' bits. */
const MODE_DELTA_PLANES = 4;

/** A first value and the step to each next one: time stamps of a device that keeps time. */
const MODE_REGULAR = 5;

const PLACES_FLAG = 0x10;
const EXCEPTIONS_FLAG = 0x20;
const ORDER_MASK = 0x03;

/** Decimal forms below this many bytes a value are good enough not to try others in a hurry. */
const decimalBytesGood = 2.5;
const levelFast = 3;
const levelThorough = 12;
/** Setting the thorough level up costs more time than it saves bytes on less than this. */
const thoroughBytesMin = 1_024;
/** zstd's own frame takes some 20 bytes; below these sizes little or nothing is gained. */
const packBytesMin = { fast: 96, thorough: 24 };

/** Describes where a decoder's numbers go; a reader that is done with them at once hands out the same arrays again. */
export type Allocate = (count: number) => Float64Array;
export const newNumbers: Allocate = (count) => new Float64Array(count);

/** A zstd frame, or the bytes as they are when that is not smaller; the first byte says which. */
export function pack(bytes: Uint8Array, effort: Effort): Uint8Array {
  if (bytes.length >= packBytesMin[effort]) {
    const frame = Bun.zstdCompressSync(bytes, { level: levelFor(bytes.length, effort) });
    if (frame.length < bytes.length) return prefixed(1, frame);
  }
  return prefixed(0, bytes);
}

const levelFor = (bytes: number, effort: Effort): number =>
  effort === "fast" || bytes < thoroughBytesMin ? levelFast : levelThorough;

function prefixed(first: number, bytes: Uint8Array): Uint8Array {
  const result = new Uint8Array(bytes.length + 1);
  result[0] = first;
  result.set(bytes, 1);
  return result;
}

export function unpack(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 1 ? Bun.zstdDecompressSync(bytes.subarray(1)) : bytes.subarray(1);
}

/** The shortest form of the values that the effort finds; every bit of every double comes back. */
export function encodeNumbers(values: Float64Array, effort: Effort): Uint8Array {
  if (isConstant(values)) return constant(values[0] ?? 0);
  if (isRegular(values)) return regular(values[0]!, values[1]! - values[0]!);
  let best: { form: Uint8Array; packed: Uint8Array } | null = null;
  for (const form of forms(values, effort)) {
    const packed = pack(form, "fast");
    if (best === null || packed.length < best.packed.length) best = { form: form.slice(), packed };
  }
  if (best === null) return constant(values[0] ?? 0);
  if (effort === "fast") return best.packed;
  const tight = pack(best.form, effort);
  return tight.length < best.packed.length ? tight : best.packed;
}

/** Forms worth comparing: all when thorough; else those that can win, the decimal ones being the cheapest to find. */
function* forms(values: Float64Array, effort: Effort): Generator<Uint8Array> {
  let shortest = Number.POSITIVE_INFINITY;
  for (const scale of candidateScales(values)) {
    const decimal = toDecimal(values, scale);
    if (decimal === null) continue;
    const orders = effort === "fast" ? [cheapestOrder(decimal.ints)] : allOrders;
    for (const order of orders) {
      const form = decimalForm(values, decimal, order);
      shortest = Math.min(shortest, form.length);
      yield form;
    }
  }
  if (effort === "fast" && shortest < values.length * decimalBytesGood) return;
  yield* rankForms(values, effort);
  if (effort === "fast" && shortest < values.length * 6) return;
  yield planes(values, MODE_PLANES);
  if (effort === "thorough") yield planes(values, MODE_DELTA_PLANES);
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
  if (mode === MODE_RANK) return readRank(reader, count);
  if (mode === MODE_PLANES || mode === MODE_DELTA_PLANES) return readPlanes(reader, allocate(count), mode);
  throw new RangeError(`unknown number mode ${mode}`);
}

/** Describes where the values of a form begin and how they follow from one another. */
export type Entry =
  | { readonly kind: "regular"; readonly first: number; readonly step: number }
  | { readonly kind: "decimal"; readonly order: Order; readonly divisor: number; readonly at: number };

/** Returns `null` for a form that can only be read as a whole. */
export function entryOf(bytes: Uint8Array): Entry | null {
  const reader = new ByteReader(bytes);
  const mode = reader.u8();
  if (mode === MODE_CONSTANT) return { kind: "regular", first: reader.f64(), step: 0 };
  if (mode === MODE_REGULAR) return { kind: "regular", first: reader.f64(), step: reader.f64() };
  if (mode !== MODE_DECIMAL) return null;
  const flags = reader.u8();
  if ((flags & ~ORDER_MASK) !== 0) return null;
  const divisor = powersOfTen[reader.u8()]!;
  // The mask leaves an order that was written; 3 never is.
  return { kind: "decimal", order: (flags & ORDER_MASK) as Order, divisor, at: reader.position };
}

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
  // The mask leaves an order that was written; 3 never is.
  readIntsInto(reader, values, { order: (flags & ORDER_MASK) as Order, divisor: power });
  if ((flags & PLACES_FLAG) !== 0) {
    const places = readInts(reader, values.length, 0);
    for (let i = 0; i < values.length; i++)
      if (places[i] !== 0) values[i] = stepPlaces(values[i]!, places[i]!);
  }
  for (const [index, value] of exceptions) values[index] = value;
  return values;
}

/** Yields forms with a dictionary; none when most values are distinct, because the dictionary is larger than what it saves. */
function* rankForms(values: Float64Array, effort: Effort): Generator<Uint8Array> {
  const distinct = distinctSorted(values);
  if (distinct === null) return;
  /** Value → rank. */
  const ranks = new Map<number, number>();
  for (let rank = 0; rank < distinct.length; rank++) ranks.set(distinct[rank]!, rank);
  const ints = Float64Array.from(values, (value) => ranks.get(value)!);
  const dictionary = encodeNumbers(distinct, effort);
  for (const order of effort === "fast" ? [cheapestOrder(ints)] : allOrders) {
    const writer = new ByteWriter(values.length * 2 + dictionary.length + 16);
    writer.u8(MODE_RANK);
    writer.u8(order);
    writer.varint(distinct.length);
    writer.block(dictionary);
    writeInts(writer, ints, order);
    yield writer.bytes();
  }
}

function distinctSorted(values: Float64Array): Float64Array | null {
  const most = values.length / 2;
  const distinct = new Set<number>();
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    // A Set takes -0 for 0, and NaN sorts nowhere.
    if (Object.is(value, -0) || Number.isNaN(value)) return null;
    distinct.add(value);
    if (distinct.size > most) return null;
  }
  return Float64Array.from(distinct).sort();
}

function readRank(reader: ByteReader, count: number): Float64Array {
  const order = (reader.u8() & ORDER_MASK) as Order;
  const distinct = decodeNumbersWithCount(reader);
  const ranks = readInts(reader, count, order);
  for (let i = 0; i < count; i++) ranks[i] = distinct[ranks[i]!]!;
  return ranks;
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

import type { ByteReader } from "../../../../lib/data/byte-reader.ts";
import type { ByteWriter } from "../../../../lib/data/byte-writer.ts";

/** Number of delta passes over the integers before they are written. */
export type Order = 0 | 1 | 2;

export const ALL_ORDERS: readonly Order[] = [0, 1, 2];

/** Returns the order with the shortest differences, by the sum of their bits. */
export function cheapestOrder(ints: Float64Array): Order {
  let plain = 0;
  let first = 0;
  let second = 0;
  let previous = 0;
  let delta = 0;
  for (let i = 0; i < ints.length; i++) {
    const int = ints[i]!;
    const nextDelta = int - previous;
    plain += bitsOf(int);
    first += bitsOf(nextDelta);
    second += bitsOf(nextDelta - delta);
    previous = int;
    delta = nextDelta;
  }
  if (plain <= first && plain <= second) return 0;
  return first <= second ? 1 : 2;
}

const bitsOf = (int: number): number => {
  const magnitude = Math.abs(int);
  return magnitude < 0x8000_0000 ? 32 - Math.clz32(magnitude) : Math.log2(magnitude) + 1;
};

/** Inverts `integrate`. */
export function subtractNeighbours(ints: Float64Array, order: Order): Float64Array {
  const differences = ints.slice();
  for (let times = 0; times < order; times++)
    for (let i = differences.length - 1; i > 0; i--) differences[i] = differences[i]! - differences[i - 1]!;
  return differences;
}

/** Writes integers of at most 2^50 in magnitude. */
export function writeInts(writer: ByteWriter, ints: Float64Array, order: Order): void {
  let previous = 0;
  let delta = 0;
  for (let i = 0; i < ints.length; i++) {
    const int = ints[i]!;
    const nextDelta = int - previous;
    if (order === 0) writer.zigzag(int);
    else if (order === 1) writer.zigzag(nextDelta);
    else writer.zigzag(nextDelta - delta);
    previous = int;
    delta = nextDelta;
  }
}

export function readInts(reader: ByteReader, count: number, order: Order): Float64Array {
  const ints = new Float64Array(count);
  readIntsInto(reader, ints, { order, divisor: 1 });
  return ints;
}

/** Fills `out` with the written integers, each divided by `divisor`. */
export function readIntsInto(
  reader: ByteReader,
  out: Float64Array,
  { order, divisor }: { readonly order: Order; readonly divisor: number },
): void {
  reader.zigzags(out);
  integrate(out, order, divisor);
}

/** Restores numbers from their differences in `out`, each divided by `divisor`. */
export function integrate(out: Float64Array, order: Order, divisor: number): void {
  let previous = 0;
  let delta = 0;
  if (order === 0) for (let i = 0; i < out.length; i++) out[i] = out[i]! / divisor;
  else if (order === 1) {
    for (let i = 0; i < out.length; i++) {
      previous += out[i]!;
      out[i] = previous / divisor;
    }
  } else {
    for (let i = 0; i < out.length; i++) {
      delta += out[i]!;
      previous += delta;
      out[i] = previous / divisor;
    }
  }
}

/** Writes the lengths of alternating runs of false and true, false first. */
export function writeRuns(writer: ByteWriter, flags: Uint8Array): void {
  const runs: number[] = [];
  let current = 0;
  let length = 0;
  for (const flag of flags) {
    if (flag === current) length++;
    else {
      runs.push(length);
      current = flag;
      length = 1;
    }
  }
  runs.push(length);
  writer.varint(runs.length);
  for (const run of runs) writer.varint(run);
}

export function readRuns(reader: ByteReader, count: number): Uint8Array {
  const flags = new Uint8Array(count);
  const runs = reader.varint();
  let offset = 0;
  for (let run = 0; run < runs; run++) {
    const end = offset + reader.varint();
    if (end > count) throw new RangeError("runs beyond the end");
    if (run % 2 === 1) flags.fill(1, offset, end);
    offset = end;
  }
  return flags;
}

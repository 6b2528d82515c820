/**
 * Integers split into one byte each, which zstd packs by frequency, and the low bits of large integers, which are noise and stored separately
 * without packing. In a stream of 7-bit groups, both would share a frequency table.
 */
import type { ByteReader } from "../../../../lib/data/byte-reader.ts";
import type { ByteWriter } from "../../../../lib/data/byte-writer.ts";
import { integrate, type Order, subtractNeighbours } from "./int-stream.ts";
import { type Effort, pack, unpack } from "./packing.ts";

/** Zigzag numbers below this are stored as one byte; for larger numbers, the byte contains the highest three bits and their position. */
const DIRECT_MAX = 32;
const DIRECT_BITS = 5;
const HIGH_BITS = 2;
/** Bits per write. */
const CHUNK_BITS = 16;

export interface SplitInts {
  readonly bytes: Uint8Array;
  readonly low: Uint8Array;
}

/** Splits integers of at most 2^50 in magnitude, or their differences. */
export function splitInts(ints: Float64Array, order: Order): SplitInts {
  const differences = subtractNeighbours(ints, order);
  const bytes = new Uint8Array(ints.length);
  const low = new BitWriter(ints.length);
  for (let i = 0; i < differences.length; i++) {
    const int = differences[i]!;
    const zigzag = int < 0 ? -2 * int - 1 : 2 * int;
    if (zigzag < DIRECT_MAX) bytes[i] = zigzag;
    else {
      const bits = bitsOf(zigzag) - 1 - HIGH_BITS;
      const high = Math.floor(zigzag / 2 ** bits);
      bytes[i] =
        DIRECT_MAX + ((bits + HIGH_BITS - DIRECT_BITS) << HIGH_BITS) + (high & ((1 << HIGH_BITS) - 1));
      low.write(zigzag - high * 2 ** bits, bits);
    }
  }
  return { bytes, low: low.bytes() };
}

export function writeSplit(writer: ByteWriter, { bytes, low }: SplitInts, effort: Effort): void {
  writer.block(pack(bytes, effort));
  writer.block(low);
}

/** Fills `out` with the written integers, each divided by `divisor`. */
export function readSplit(
  reader: ByteReader,
  out: Float64Array,
  { order, divisor }: { readonly order: Order; readonly divisor: number },
): void {
  const bytes = unpack(reader.block());
  const low = new BitReader(reader.block());
  if (bytes.length !== out.length) throw new RangeError("not as many numbers as rows");
  for (let i = 0; i < bytes.length; ) {
    i = low.shortZigzags(bytes, out, i);
    if (i === bytes.length) break;
    const bits = lowBitsOf(bytes[i]!);
    const zigzag = highOf(bytes[i]!) * 2 ** bits + low.read(bits);
    out[i++] = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
  }
  integrate(out, order, divisor);
}

/** Returns the number of low bits that follow a byte. */
const lowBitsOf = (byte: number): number => ((byte - DIRECT_MAX) >> HIGH_BITS) + DIRECT_BITS - HIGH_BITS;
const highOf = (byte: number): number => (1 << HIGH_BITS) | (byte & ((1 << HIGH_BITS) - 1));

const bitsOf = (zigzag: number): number =>
  zigzag < 0x8000_0000 ? 32 - Math.clz32(zigzag) : 63 - Math.clz32(Math.floor(zigzag / 2 ** 31));

/** Writes numbers of any bit length, low bits first. */
class BitWriter {
  #bytes: Uint8Array;
  #length = 0;
  #pending = 0;
  #pendingBits = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity + 8);
  }

  write(value: number, bits: number): void {
    let rest = value;
    let left = bits;
    for (; left > CHUNK_BITS; left -= CHUNK_BITS) {
      this.#put(rest % 2 ** CHUNK_BITS, CHUNK_BITS);
      rest = Math.floor(rest / 2 ** CHUNK_BITS);
    }
    this.#put(rest, left);
  }

  #put(value: number, bits: number): void {
    if (this.#length + 4 > this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#pending |= value << this.#pendingBits;
    this.#pendingBits += bits;
    for (; this.#pendingBits >= 8; this.#pendingBits -= 8) {
      this.#bytes[this.#length++] = this.#pending;
      this.#pending >>>= 8;
    }
  }

  bytes(): Uint8Array {
    if (this.#pendingBits > 0) this.#put(0, 8 - this.#pendingBits);
    return this.#bytes.subarray(0, this.#length);
  }
}

/** Reads numbers of any bit length; returns zeros beyond the end. */
class BitReader {
  readonly #bytes: Uint8Array;
  #offset = 0;
  #pending = 0;
  #pendingBits = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Fills `out` from `start` on; the inner loop of most decodes. Returns the index of the first number with more low bits than it supports. */
  shortZigzags(bytes: Uint8Array, out: Float64Array, start: number): number {
    const low = this.#bytes;
    const { length } = bytes;
    let offset = this.#offset;
    let pending = this.#pending;
    let pendingBits = this.#pendingBits;
    let i = start;
    for (; i < length; i++) {
      const byte = bytes[i]!;
      let zigzag = byte;
      if (byte >= DIRECT_MAX) {
        const bits = lowBitsOf(byte);
        if (bits > CHUNK_BITS) break;
        for (; pendingBits < bits; pendingBits += 8)
          pending |= (offset < low.length ? low[offset++]! : 0) << pendingBits;
        zigzag = (highOf(byte) << bits) | (pending & ((1 << bits) - 1));
        pending >>>= bits;
        pendingBits -= bits;
      }
      out[i] = (zigzag >>> 1) ^ -(zigzag & 1);
    }
    this.#offset = offset;
    this.#pending = pending;
    this.#pendingBits = pendingBits;
    return i;
  }

  read(bits: number): number {
    if (bits <= CHUNK_BITS) return this.#take(bits);
    const low = this.#take(CHUNK_BITS);
    return low + this.read(bits - CHUNK_BITS) * 2 ** CHUNK_BITS;
  }

  #take(bits: number): number {
    while (this.#pendingBits < bits) {
      this.#pending |= (this.#bytes[this.#offset++] ?? 0) << this.#pendingBits;
      this.#pendingBits += 8;
    }
    const value = this.#pending & ((1 << bits) - 1);
    this.#pending >>>= bits;
    this.#pendingBits -= bits;
    return value;
  }
}

/** Reads data of `ByteWriter`. Throws a RangeError beyond the end. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #offset = 0;

  constructor(bytes: Uint8Array, offset = 0) {
    this.#offset = offset;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get position(): number {
    return this.#offset;
  }

  get remaining(): number {
    return this.#bytes.length - this.#offset;
  }

  u8(): number {
    const value = this.#bytes[this.#offset];
    if (value === undefined) throw new RangeError("read beyond the end");
    this.#offset++;
    return value;
  }

  u32(): number {
    const value = this.#view.getUint32(this.#offset, true);
    this.#offset += 4;
    return value;
  }

  u32At(position: number): number {
    return this.#view.getUint32(position, true);
  }

  f64(): number {
    const value = this.#view.getFloat64(this.#offset, true);
    this.#offset += 8;
    return value;
  }

  varint(): number {
    let byte = this.u8();
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let factor = 128;
    do {
      byte = this.u8();
      value += (byte & 0x7f) * factor;
      factor *= 128;
    } while (byte >= 0x80);
    return value;
  }

  zigzag(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Fills `out` with zigzag numbers. Inner loop of every decode, optimized for numbers of one and two bytes. */
  zigzags(out: Float64Array): void {
    const { length } = out;
    for (let i = 0; i < length; ) {
      i = this.#shortZigzags(out, i);
      if (i < length) out[i++] = this.zigzag();
    }
    if (this.#offset > this.#bytes.length) throw new RangeError("read beyond the end");
  }

  /** Returns the index of the first number with more than two bytes. */
  #shortZigzags(out: Float64Array, start: number): number {
    const bytes = this.#bytes;
    const { length } = out;
    let offset = this.#offset;
    let i = start;
    for (; i < length; i++) {
      const first = bytes[offset]!;
      if (first < 0x80) {
        offset++;
        out[i] = (first >>> 1) ^ -(first & 1);
        continue;
      }
      const second = bytes[offset + 1]!;
      if (second >= 0x80) break;
      offset += 2;
      const bits = (first & 0x7f) | (second << 7);
      out[i] = (bits >>> 1) ^ -(bits & 1);
    }
    this.#offset = offset;
    return i;
  }

  raw(length: number): Uint8Array {
    if (length > this.remaining) throw new RangeError("read beyond the end");
    this.#offset += length;
    return this.#bytes.subarray(this.#offset - length, this.#offset);
  }

  block(): Uint8Array {
    return this.raw(this.varint());
  }
}

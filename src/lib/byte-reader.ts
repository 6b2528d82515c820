/** Reads what `ByteWriter` wrote. Throws a RangeError beyond the end. */
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

  /** Fills `out` with zigzag numbers; the inner loop of every decode. */
  zigzags(out: Float64Array): void {
    const bytes = this.#bytes;
    let offset = this.#offset;
    for (let i = 0; i < out.length; i++) {
      const first = bytes[offset++]!;
      if (first < 0x80) {
        out[i] = (first >>> 1) ^ -(first & 1);
        continue;
      }
      let byte = bytes[offset++]!;
      let bits = (first & 0x7f) | ((byte & 0x7f) << 7);
      // Up to 28 bits stay in an integer register; longer ones take the general way.
      for (let shift = 14; byte >= 0x80 && shift < 28; shift += 7) {
        byte = bytes[offset++]!;
        bits |= (byte & 0x7f) << shift;
      }
      if (byte < 0x80) {
        out[i] = (bits >>> 1) ^ -(bits & 1);
        continue;
      }
      this.#offset = offset - 4;
      out[i] = this.zigzag();
      offset = this.#offset;
    }
    if (offset > bytes.length) throw new RangeError("read beyond the end");
    this.#offset = offset;
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

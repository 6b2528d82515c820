/** Reads what `ByteWriter` wrote. Throws a RangeError beyond the end. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array, at = 0) {
    this.#at = at;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get position(): number {
    return this.#at;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new RangeError("read beyond the end");
    this.#at++;
    return value;
  }

  u32(): number {
    const value = this.#view.getUint32(this.#at, true);
    this.#at += 4;
    return value;
  }

  u32At(position: number): number {
    return this.#view.getUint32(position, true);
  }

  f64(): number {
    const value = this.#view.getFloat64(this.#at, true);
    this.#at += 8;
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
    let at = this.#at;
    for (let i = 0; i < out.length; i++) {
      const first = bytes[at++]!;
      if (first < 0x80) {
        out[i] = (first >>> 1) ^ -(first & 1);
        continue;
      }
      let byte = bytes[at++]!;
      let bits = (first & 0x7f) | ((byte & 0x7f) << 7);
      // Up to 28 bits stay in an integer register; longer ones take the general way.
      for (let shift = 14; byte >= 0x80 && shift < 28; shift += 7) {
        byte = bytes[at++]!;
        bits |= (byte & 0x7f) << shift;
      }
      if (byte < 0x80) {
        out[i] = (bits >>> 1) ^ -(bits & 1);
        continue;
      }
      this.#at = at - 4;
      out[i] = this.zigzag();
      at = this.#at;
    }
    if (at > bytes.length) throw new RangeError("read beyond the end");
    this.#at = at;
  }

  raw(length: number): Uint8Array {
    if (length > this.remaining) throw new RangeError("read beyond the end");
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  block(): Uint8Array {
    return this.raw(this.varint());
  }
}

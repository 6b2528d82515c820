/** Appends numbers in compact form to a buffer that grows. */
export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #offset = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#offset;
  }

  /** Returns the written bytes, as a view that is valid until the next write. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#offset);
  }

  /** Removes all bytes after the given length. */
  truncate(length = 0): void {
    this.#offset = length;
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#offset++] = value;
  }

  u32(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#offset, value, true);
    this.#offset += 4;
  }

  f64(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#offset, value, true);
    this.#offset += 8;
  }

  /** Writes a whole number from 0 to 2^53: 7 bits per byte, low bits first. */
  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 0x7fff_ffff) {
      this.#bytes[this.#offset++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    while (rest > 0x7f) {
      this.#bytes[this.#offset++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#offset++] = rest;
  }

  /** Writes a whole number of at most 2^52 in magnitude. Small numbers of either sign are short. */
  zigzag(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#offset);
    this.#offset += bytes.length;
  }

  /** Writes the length, then the bytes. */
  block(bytes: Uint8Array): void {
    this.varint(bytes.length);
    this.raw(bytes);
  }

  #reserve(bytes: number): void {
    const needed = this.#offset + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#offset));
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

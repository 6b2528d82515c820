import { malformed } from "./reason.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Reads a packet body strictly: checks every field against the end, and every string against the UTF-8 rules of MQTT. */
export class PacketCursor {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #position: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#position = start;
    this.#end = end;
  }

  get done(): boolean {
    return this.#position === this.#end;
  }

  u8(): number {
    if (this.#position >= this.#end) throw malformed("packet ends early");
    return this.#bytes[this.#position++]!;
  }

  /** Offset of the next byte. */
  get position(): number {
    return this.#position;
  }

  /** Returns the bytes from an offset to the current position. */
  since(position: number): Uint8Array {
    return this.#bytes.subarray(position, this.#position);
  }

  /** Skips the next byte if it has this value. */
  skip(byte: number): boolean {
    const isNext = this.#position < this.#end && this.#bytes[this.#position] === byte;
    if (isNext) this.#position++;
    return isNext;
  }

  u16(): number {
    return (this.u8() << 8) | this.u8();
  }

  u32(): number {
    return this.u16() * 65536 + this.u16();
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.u8();
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw malformed("variable byte integer has more than four bytes");
  }

  packetId(): number {
    const id = this.u16();
    if (id === 0) throw malformed("packet identifier is zero");
    return id;
  }

  take(length: number): Uint8Array {
    if (this.#position + length > this.#end) throw malformed("packet ends early");
    this.#position += length;
    return this.#bytes.subarray(this.#position - length, this.#position);
  }

  binary(): Uint8Array {
    return this.take(this.u16());
  }

  /** Reads a text of a client without control characters, which MQTT lets a server refuse (1.5.4), like Mosquitto. */
  clientText(): string {
    const text = this.text();
    if (CONTROL.test(text)) throw malformed("string holds a control character");
    return text;
  }

  /** Reads well-formed UTF-8 without surrogates and U+0000 (MQTT 5, 1.5.4). */
  text(): string {
    const bytes = this.binary();
    let text: string;
    try {
      text = utf8.decode(bytes);
    } catch {
      throw malformed("string is not valid UTF-8");
    }
    if (text.includes("\0")) throw malformed("string holds U+0000");
    return text;
  }

  rest(): Uint8Array {
    return this.take(this.#end - this.#position);
  }

  /** Returns a cursor over the next `length` bytes. */
  section(length: number): PacketCursor {
    const start = this.#position;
    this.take(length);
    return new PacketCursor(this.#bytes, start, this.#position);
  }

  end(): void {
    if (!this.done) throw malformed("packet has bytes left over");
  }
}

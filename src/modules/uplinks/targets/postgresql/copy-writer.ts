const encoder = new TextEncoder();

const CAPACITY_FIRST = 64 * 1024;
/** Spare bytes of the next buffer beyond the last content. */
const SPARE_BYTES = 64 * 1024;
const NOTHING = new Uint8Array(0);
/** `PGCOPY\n\xff\r\n\0`, flags and the length of an extension, both 0. */
const HEADER = Uint8Array.of(
  0x50,
  0x47,
  0x43,
  0x4f,
  0x50,
  0x59,
  0x0a,
  0xff,
  0x0d,
  0x0a,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
);
const TRAILER = -1;
const NULL = -1;
/** PostgreSQL's time origin, the year 2000. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const JSONB_VERSION = 1;
const TWO_POW_32 = 2 ** 32;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** Replaces U+0000, which PostgreSQL cannot store. */
export const withoutNul = (text: string): string =>
  text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text;

/** Replaces the escapes of U+0000 and lone surrogates in JSON, which PostgreSQL cannot store. */
export const storableJson = (json: string): string =>
  json.includes("\\u")
    ? json.replace(
        /(\\\\)|\\u(?:0000|d[89a-f][\da-f]{2})/gi,
        (_, backslash?: string) => backslash ?? "\uFFFD",
      )
    : json;

export const isUuid = (text: string): boolean => UUID.test(text);

/** Writes rows in the binary format of COPY: a count of fields, then length and bytes of each, in network byte order. */
export class CopyWriter {
  #bytes = new Uint8Array(CAPACITY_FIRST);
  #view = new DataView(this.#bytes.buffer);
  #offset = 0;
  /** Capacity of the next buffer, about the size of the last content. */
  #capacity = CAPACITY_FIRST;

  constructor() {
    this.begin();
  }

  /** Starts another stream. */
  begin(): void {
    this.#offset = 0;
    this.raw(HEADER);
  }

  /** Ends the stream and returns it; the caller may keep it. */
  end(): Uint8Array<ArrayBuffer> {
    this.row(TRAILER);
    const stream = this.#bytes.subarray(0, this.#offset);
    this.#bytes = NOTHING;
    this.#capacity = Math.max(CAPACITY_FIRST, stream.length + SPARE_BYTES);
    this.#offset = 0;
    return stream;
  }

  row(fields: number): void {
    this.#reserve(2);
    this.#view.setInt16(this.#offset, fields);
    this.#offset += 2;
  }

  null(): void {
    this.#reserve(4);
    this.#view.setInt32(this.#offset, NULL);
    this.#offset += 4;
  }

  boolean(value: boolean): void {
    this.#length(1);
    this.#bytes[this.#offset++] = value ? 1 : 0;
  }

  number(value: number): void {
    this.#length(8);
    this.#view.setFloat64(this.#offset, value);
    this.#offset += 8;
  }

  /** Writes epoch ms as a `timestamptz`. */
  time(epochMs: number): void {
    this.#length(8);
    const microseconds = (epochMs - EPOCH_MS) * 1_000;
    const high = Math.floor(microseconds / TWO_POW_32);
    this.#view.setInt32(this.#offset, high);
    this.#view.setUint32(this.#offset + 4, microseconds - high * TWO_POW_32);
    this.#offset += 8;
  }

  uuid(text: string): void {
    this.#length(16);
    const digits = text.replaceAll("-", "");
    for (let index = 0; index < 16; index++)
      this.#bytes[this.#offset++] = Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16);
  }

  text(text: string): void {
    this.#text(withoutNul(text), 0);
  }

  /** Writes JSON text as a `jsonb`. */
  json(json: string): void {
    this.#text(storableJson(json), 1);
  }

  /** Writes fields encoded elsewhere. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#offset);
    this.#offset += bytes.length;
  }

  /** Returns the bytes written by the callback, without header and trailer, for use by `raw`. */
  static fields(write: (writer: CopyWriter) => void): Uint8Array {
    const writer = new CopyWriter();
    write(writer);
    return writer.#bytes.slice(HEADER.length, writer.#offset);
  }

  #text(text: string, versionBytes: 0 | 1): void {
    this.#reserve(4 + versionBytes + text.length * 3);
    const start = this.#offset + 4 + versionBytes;
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(start));
    this.#view.setInt32(this.#offset, versionBytes + written);
    if (versionBytes === 1) this.#bytes[start - 1] = JSONB_VERSION;
    this.#offset = start + written;
  }

  #length(bytes: number): void {
    this.#reserve(4 + bytes);
    this.#view.setInt32(this.#offset, bytes);
    this.#offset += 4;
  }

  #reserve(bytes: number): void {
    const needed = this.#offset + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2, this.#capacity));
    larger.set(this.#bytes.subarray(0, this.#offset));
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

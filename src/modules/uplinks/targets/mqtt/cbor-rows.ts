import type { TextWriter } from "../../../../lib/data/text-writer.ts";
import { TAG_ABSENT, TAG_FALSE, TAG_NUMBER, TAG_STRING, TAG_TRUE } from "../../../../lib/data/value-kind.ts";
import type { RowsRecord, UplinkColumn } from "../../target.types.ts";
import type { RowSource } from "../row-packing.ts";

const utf8 = new TextEncoder();
const MAJOR = { unsigned: 0, negative: 1, text: 3, array: 4, map: 5 } as const;
const FALSE = 0xf4;
const TRUE = 0xf5;
const NULL = 0xf6;
const DOUBLE = 0xfb;
const OPEN_MAP = 0xbf;
const BREAK = 0xff;
const OPEN_ARRAY = new Uint8Array([0x9f]);
const CLOSE_ARRAY = new Uint8Array([BREAK]);
const NOTHING = new Uint8Array(0);

const scratch = new DataView(new ArrayBuffer(9));
const scratchBytes = new Uint8Array(scratch.buffer);

/** Writes type and length of an item, in the shortest form (RFC 8949, 3). */
function writeHead(writer: TextWriter, major: number, value: number): void {
  const type = major << 5;
  if (value < 24) writer.byte(type | value);
  else if (value < 0x100) {
    writer.byte(type | 24);
    writer.byte(value);
  } else if (value < 0x1_0000) {
    writer.byte(type | 25);
    writer.byte(value >> 8);
    writer.byte(value & 255);
  } else {
    scratch.setUint8(0, type | 26);
    scratch.setUint32(1, value);
    writer.raw(scratchBytes.subarray(0, 5));
  }
}

/** Writes a number. Larger integers are written as doubles, because decoders do not read 64-bit integers as numbers. */
function writeNumber(writer: TextWriter, value: number): void {
  const magnitude = value < 0 ? -1 - value : value;
  if (Number.isInteger(value) && magnitude < 2 ** 32 && !Object.is(value, -0)) {
    writeHead(writer, value < 0 ? MAJOR.negative : MAJOR.unsigned, magnitude);
    return;
  }
  scratch.setUint8(0, DOUBLE);
  scratch.setFloat64(1, value);
  writer.raw(scratchBytes);
}

function writeText(writer: TextWriter, text: string): void {
  const bytes = utf8.encode(text);
  writeHead(writer, MAJOR.text, bytes.length);
  writer.raw(bytes);
}

/** Writes any JSON value. */
export function writeCbor(writer: TextWriter, value: unknown): void {
  if (typeof value === "number") writeNumber(writer, value);
  else if (typeof value === "string") writeText(writer, value);
  else if (typeof value === "boolean") writer.byte(value ? TRUE : FALSE);
  else if (Array.isArray(value)) {
    writeHead(writer, MAJOR.array, value.length);
    for (const item of value) writeCbor(writer, item);
  } else if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    writeHead(writer, MAJOR.map, entries.length);
    for (const [name, item] of entries) {
      writeText(writer, name);
      writeCbor(writer, item);
    }
  } else writer.byte(NULL);
}

/** Head of a map of two entries, and the string `ts`. */
const TS = Uint8Array.from([0xa2, 0x62, ...utf8.encode("ts")]);
const VALUES = Uint8Array.from([0x66, ...utf8.encode("values")]);

/**
 * Rows as `{ts, values}` in CBOR. Maps and arrays have indefinite length, because their sizes are not known in advance. Numbers keep all of their
 * bits.
 */
export class CborRows implements RowSource {
  readonly rowCount: number;
  readonly columnCount: number;
  readonly head: Uint8Array;
  readonly separator = NOTHING;
  readonly tail: Uint8Array;
  readonly #writer: TextWriter;
  readonly #record: RowsRecord;
  readonly #keys: readonly Uint8Array[];

  /** @param isArray true for messages with an array of rows, false for a single row */
  constructor(writer: TextWriter, record: RowsRecord, isArray: boolean) {
    this.#writer = writer;
    this.#record = record;
    this.rowCount = record.ts.length;
    this.columnCount = record.columns.length;
    this.head = isArray ? OPEN_ARRAY : NOTHING;
    this.tail = isArray ? CLOSE_ARRAY : NOTHING;
    this.#keys = record.columns.map(({ key }) => {
      const start = writer.length;
      writeText(writer, key);
      const bytes = writer.bytes().slice(start);
      writer.truncate(start);
      return bytes;
    });
  }

  write(row: number, from: number, bytesMax: number): number {
    const writer = this.#writer;
    const { columns, ts } = this.#record;
    const start = writer.length;
    let position = from;
    let keys = 0;
    for (; position < columns.length; position++) {
      const column = columns[position];
      const key = this.#keys[position];
      if (column === undefined || key === undefined || column.tags[row] === TAG_ABSENT) continue;
      const before = writer.length;
      if (keys === 0) this.#open(ts[row] ?? 0);
      writer.raw(key);
      this.#value(column, row);
      if (keys > 0 && writer.length - start >= bytesMax) {
        writer.truncate(before);
        break;
      }
      keys++;
    }
    if (keys > 0) writer.byte(BREAK);
    return position;
  }

  #open(ts: number): void {
    const writer = this.#writer;
    writer.raw(TS);
    writeNumber(writer, ts);
    writer.raw(VALUES);
    writer.byte(OPEN_MAP);
  }

  #value({ tags, numbers, texts }: UplinkColumn, row: number): void {
    const writer = this.#writer;
    const tag = tags[row];
    const text = texts?.[row] ?? "";
    if (tag === TAG_NUMBER) writeNumber(writer, numbers[row] ?? 0);
    else if (tag === TAG_TRUE) writer.byte(TRUE);
    else if (tag === TAG_FALSE) writer.byte(FALSE);
    else if (tag === TAG_STRING) writeText(writer, text);
    else writeCbor(writer, JSON.parse(text));
  }
}

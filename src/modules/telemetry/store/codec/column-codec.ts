import { ByteReader } from "../../../../lib/data/byte-reader.ts";
import { ByteWriter } from "../../../../lib/data/byte-writer.ts";
import { TAG_ABSENT, TAG_NUMBER, TAG_STRING } from "../../../../lib/data/value-kind.ts";
import { type Column, newColumn, numberTags } from "../rows.ts";
import { readInts, readRuns, writeInts, writeRuns } from "./int-stream.ts";
import { type Allocate, decodeNumbers, encodeNumbers, newNumbers } from "./number-codec.ts";
import { type Effort, pack, unpack } from "./packing.ts";

const PRESENCE_FLAG = 1;
const NUMBERS_FLAG = 2;
const OTHERS_FLAG = 4;
/** String that UTF-8 cannot represent (lone surrogates), stored as a JSON literal; only used on disk. */
const TAG_STRING_ESCAPED = 6;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Encodes a column: numbers by the number codec, other values by a dictionary, absent rows and mixed kinds as runs. */
export function encodeColumn(column: Column, effort: Effort): Uint8Array {
  const { tags } = column;
  const absent = count(tags, TAG_ABSENT);
  const present = absent === 0 ? tags : tags.filter((tag) => tag !== TAG_ABSENT);
  const numeric = count(present, TAG_NUMBER);
  const others = present.length - numeric;
  const writer = new ByteWriter();
  writer.u8(
    (present.length < tags.length ? PRESENCE_FLAG : 0) |
      (numeric > 0 ? NUMBERS_FLAG : 0) |
      (others > 0 ? OTHERS_FLAG : 0),
  );
  if (present.length < tags.length)
    writer.block(
      packedRuns(
        tags.map((tag) => (tag === TAG_ABSENT ? 0 : 1)),
        effort,
      ),
    );
  if (numeric > 0 && others > 0) {
    writer.block(
      packedRuns(
        present.map((tag) => (tag === TAG_NUMBER ? 1 : 0)),
        effort,
      ),
    );
  }
  if (numeric > 0) writer.block(encodeNumbers(pickNumbers(column, numeric), effort));
  if (others > 0) writer.block(encodeOthers(column, others, effort));
  return writer.bytes().slice();
}

/** Returns the unpacked numbers of a column with a number in every row; null for any other column. */
export function plainNumbers(bytes: Uint8Array): Uint8Array | null {
  const reader = new ByteReader(bytes);
  return reader.u8() === NUMBERS_FLAG ? unpack(reader.block()) : null;
}

export function decodeColumn(bytes: Uint8Array, rows: number, allocate: Allocate = newNumbers): Column {
  const reader = new ByteReader(bytes);
  const flags = reader.u8();
  const presence =
    (flags & PRESENCE_FLAG) !== 0 ? readRuns(new ByteReader(unpack(reader.block())), rows) : null;
  const present = presence === null ? rows : count(presence, 1);
  const mixed = (flags & NUMBERS_FLAG) !== 0 && (flags & OTHERS_FLAG) !== 0;
  const isNumber = mixed ? readRuns(new ByteReader(unpack(reader.block())), present) : null;
  const numeric = isNumber === null ? ((flags & NUMBERS_FLAG) !== 0 ? present : 0) : count(isNumber, 1);
  const numbers = (flags & NUMBERS_FLAG) !== 0 ? decodeNumbers(reader.block(), numeric, allocate) : null;
  if (numbers !== null && presence === null && isNumber === null) {
    return { tags: numberTags(rows), numbers, texts: null, dense: true };
  }
  const column = newColumn(rows);
  const others = (flags & OTHERS_FLAG) !== 0 ? decodeOthers(reader.block(), present - numeric) : null;
  scatter(column, { presence, isNumber, numbers, others });
  return column;
}

interface Decoded {
  readonly presence: Uint8Array | null;
  readonly isNumber: Uint8Array | null;
  readonly numbers: Float64Array | null;
  readonly others: Others | null;
}

/** Non-numeric values, in row order. */
interface Others {
  readonly tags: Uint8Array;
  readonly texts: (string | undefined)[];
}

function scatter(column: Column, { presence, isNumber, numbers, others }: Decoded): void {
  let seen = 0;
  let number = 0;
  let other = 0;
  if (others !== null) column.texts = new Array<string | undefined>(column.tags.length);
  for (let row = 0; row < column.tags.length; row++) {
    if (presence !== null && presence[row] === 0) continue;
    const fromNumbers = isNumber === null ? numbers !== null : isNumber[seen] === 1;
    seen++;
    if (fromNumbers) {
      column.tags[row] = TAG_NUMBER;
      column.numbers[row] = numbers![number++]!;
    } else {
      column.tags[row] = others!.tags[other]!;
      column.texts![row] = others!.texts[other++];
    }
  }
}

const count = (flags: Uint8Array, value: number): number => {
  let hits = 0;
  for (let i = 0; i < flags.length; i++) if (flags[i] === value) hits++;
  return hits;
};

function packedRuns(flags: Uint8Array, effort: Effort): Uint8Array {
  const writer = new ByteWriter();
  writeRuns(writer, flags);
  return pack(writer.bytes(), effort);
}

function pickNumbers(column: Column, numeric: number): Float64Array {
  if (numeric === column.tags.length) return column.numbers;
  const numbers = new Float64Array(numeric);
  let offset = 0;
  for (let row = 0; row < column.tags.length; row++) {
    if (column.tags[row] === TAG_NUMBER) numbers[offset++] = column.numbers[row]!;
  }
  return numbers;
}

function encodeOthers(column: Column, others: number, effort: Effort): Uint8Array {
  /** Tag and text → index in the dictionary. */
  const indexes = new Map<string, number>();
  const entries = new ByteWriter();
  const picks = new Float64Array(others);
  let offset = 0;
  for (let row = 0; row < column.tags.length; row++) {
    const tag = column.tags[row]!;
    if (tag === TAG_ABSENT || tag === TAG_NUMBER) continue;
    const text = column.texts?.[row] ?? "";
    const identity = `${tag}${text}`;
    let index = indexes.get(identity);
    if (index === undefined) {
      index = indexes.size;
      indexes.set(identity, index);
      writeEntry(entries, tag, text);
    }
    picks[offset++] = index;
  }
  const writer = new ByteWriter(entries.length + others + 16);
  writer.varint(indexes.size);
  writer.raw(entries.bytes());
  writeInts(writer, picks, 0);
  return pack(writer.bytes(), effort);
}

function writeEntry(writer: ByteWriter, tag: number, text: string): void {
  const escaped = tag === TAG_STRING && !text.isWellFormed();
  writer.u8(escaped ? TAG_STRING_ESCAPED : tag);
  if (tag >= TAG_STRING) writer.block(encoder.encode(escaped ? JSON.stringify(text) : text));
}

function decodeOthers(bytes: Uint8Array, others: number): Others {
  const reader = new ByteReader(unpack(bytes));
  const size = reader.varint();
  const entryTags: number[] = [];
  const entryTexts: (string | undefined)[] = [];
  for (let i = 0; i < size; i++) {
    const tag = reader.u8();
    entryTags.push(tag === TAG_STRING_ESCAPED ? TAG_STRING : tag);
    const text = tag >= TAG_STRING ? decoder.decode(reader.block()) : undefined;
    entryTexts.push(tag === TAG_STRING_ESCAPED && text !== undefined ? JSON.parse(text) : text);
  }
  const picks = readInts(reader, others, 0);
  return {
    tags: Uint8Array.from(picks, (index) => entryTags[index]!),
    texts: Array.from(picks, (index) => entryTexts[index]),
  };
}

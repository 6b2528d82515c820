/**
 * Group packed by columns: the devices, patterns and timestamps of its records, then the values of each key, encoded like number columns of a
 * block. Contains the patterns' columns, so that it can be unpacked without the dictionaries.
 */
import { ByteReader } from "../../../../lib/data/byte-reader.ts";
import { ByteWriter } from "../../../../lib/data/byte-writer.ts";
import { KIND_BOOLEAN } from "../../../../lib/data/value-kind.ts";
import { decodeNumbers, encodeNumbers } from "../codec/number-codec.ts";
import { pack, unpack } from "../codec/packing.ts";
import { HEADER_READINGS, HEADER_RECORD_END, HEADER_WORDS, RECORD_HEAD_WORDS } from "./group-format.ts";
import { FORM_COLUMNS, FORM_RAW, FORM_ZSTD } from "./hot-log.ts";

type ColumnsOf = (pattern: number) => readonly number[] | undefined;

const WORD_BYTES = 8;
/** Max. words of a group; protects memory from a damaged header. */
const WORDS_MAX = 2 ** 27;
/** Min. values per key; with fewer, a column costs about as much as it saves. */
const KEY_VALUES_MIN = 4;

/** Values of one key and kind in the order of the records. Texts have two streams: offsets and lengths. */
interface Stream {
  readonly numbers: Float64Array;
  readonly lengths: Float64Array;
  count: number;
}

/** Records of a group, as words. */
interface Records {
  readonly f64: Float64Array;
  readonly u32: Uint32Array;
  readonly count: number;
  /** Position after the last word of the records. */
  readonly end: number;
}

const isText = (code: number): boolean => (code & 3) > KIND_BOOLEAN;

function recordsOf(group: Uint8Array): Records {
  const f64 = new Float64Array(Math.ceil(group.byteLength / WORD_BYTES)); // aligned, as the bytes of a row need not be
  const u32 = new Uint32Array(f64.buffer);
  new Uint8Array(f64.buffer).set(group);
  return { f64, u32, count: u32[HEADER_READINGS]!, end: u32[HEADER_RECORD_END]! };
}

/** Returns `null` if a group has too few values per key, or an unknown pattern. */
function packColumns(group: Uint8Array, columnsOf: ColumnsOf): Uint8Array | null {
  const records = recordsOf(group);
  const { f64, u32, count } = records;
  const [devices, patterns, stamps] = [count, count, count].map((length) => new Float64Array(length));
  /** Pattern → its columns. */
  const used = new Map<number, readonly number[]>();
  const streams = new Map<number, Stream>();
  let word = HEADER_WORDS;
  for (let record = 0; record < count; record++) {
    const pattern = u32[word * 2 + 1]!;
    const columns = used.get(pattern) ?? columnsOf(pattern);
    if (columns === undefined) return null;
    used.set(pattern, columns);
    devices![record] = u32[word * 2]!;
    patterns![record] = pattern;
    stamps![record] = f64[word + 1]!;
    word += RECORD_HEAD_WORDS;
    for (const code of columns) addValue(streams, { code, word: word++, records });
  }
  if (word !== records.end || streams.size * KEY_VALUES_MIN > records.end) return null;
  const writer = new ByteWriter(group.byteLength >> 2);
  writer.raw(group.subarray(0, HEADER_WORDS * WORD_BYTES));
  writer.varint(used.size);
  for (const [pattern, columns] of used) {
    writer.varint(pattern);
    writer.varint(columns.length);
    for (const code of columns) writer.varint(code);
  }
  for (const column of [devices!, patterns!, stamps!]) writer.block(encodeNumbers(column, "fast"));
  for (const [code, { numbers, lengths, count: length }] of streams) {
    writer.block(encodeNumbers(numbers.subarray(0, length), "fast"));
    if (isText(code)) writer.block(encodeNumbers(lengths.subarray(0, length), "fast"));
  }
  writer.raw(pack(group.subarray(records.end * WORD_BYTES), "fast"));
  return writer.bytes();
}

function addValue(
  streams: Map<number, Stream>,
  { code, word, records }: { code: number; word: number; records: Records },
): void {
  const stream = streams.get(code) ?? newStream(records.count, code);
  streams.set(code, stream);
  const index = stream.count++;
  if (isText(code)) {
    stream.numbers[index] = records.u32[word * 2]!;
    stream.lengths[index] = records.u32[word * 2 + 1]!;
  } else stream.numbers[index] = records.f64[word]!;
}

const newStream = (records: number, code: number): Stream => ({
  numbers: new Float64Array(records),
  lengths: new Float64Array(isText(code) ? records : 0),
  count: 0,
});

/** @throws Error if the data is damaged */
function unpackColumns(data: Uint8Array): Uint8Array {
  const reader = new ByteReader(data);
  const header = reader.raw(HEADER_WORDS * WORD_BYTES);
  const { count, end } = recordsOf(header);
  if (count > end || end > WORDS_MAX) throw new RangeError("the header of the group is damaged");
  /** Pattern → its columns. */
  const used = new Map<number, number[]>();
  for (let left = reader.varint(); left > 0; left--) {
    const pattern = reader.varint();
    used.set(
      pattern,
      Array.from({ length: reader.varint() }, () => reader.varint()),
    );
  }
  const [devices, patterns, stamps] = [count, count, count].map((length) =>
    decodeNumbers(reader.block(), length),
  );
  const streams = readStreams(reader, used, patterns!);
  const side = unpack(reader.raw(reader.remaining));
  const group = new Uint8Array(Math.ceil((end * WORD_BYTES + side.byteLength) / WORD_BYTES) * WORD_BYTES);
  group.set(header);
  group.set(side, end * WORD_BYTES);
  const f64 = new Float64Array(group.buffer);
  const u32 = new Uint32Array(group.buffer);
  let word = HEADER_WORDS;
  for (let record = 0; record < count; record++) {
    u32[word * 2] = devices![record]!;
    u32[word * 2 + 1] = patterns![record]!;
    f64[word + 1] = stamps![record]!;
    word += RECORD_HEAD_WORDS;
    for (const code of used.get(patterns![record]!)!) {
      const stream = streams.get(code)!;
      const index = stream.count++;
      if (isText(code)) {
        u32[word * 2] = stream.numbers[index]!;
        u32[word * 2 + 1] = stream.lengths[index]!;
      } else f64[word] = stream.numbers[index]!;
      word++;
    }
  }
  return group.subarray(0, end * WORD_BYTES + side.byteLength);
}

/** Reads the values of all keys, in the order in which they first occur in the records. */
function readStreams(
  reader: ByteReader,
  used: ReadonlyMap<number, readonly number[]>,
  patterns: Float64Array,
): Map<number, Stream> {
  /** Column → number of its values. */
  const counts = new Map<number, number>();
  for (const pattern of patterns)
    for (const code of used.get(pattern)!) counts.set(code, (counts.get(code) ?? 0) + 1);
  const streams = new Map<number, Stream>();
  for (const [code, count] of counts) {
    const numbers = decodeNumbers(reader.block(), count);
    const lengths = isText(code) ? decodeNumbers(reader.block(), count) : numbers;
    streams.set(code, { numbers, lengths, count: 0 });
  }
  return streams;
}

/** Min. bytes for compression; smaller groups hardly shrink. */
const COMPRESS_BYTES_MIN = 512;
/** Max. share of the original size at which packing pays for unpacking. */
const WORTHWHILE_SHARE = 0.9;
const FAST_LEVEL = 1;

export interface PackedGroup {
  readonly form: number;
  readonly data: Uint8Array;
}

/**
 * Packs a group. `densely` packs by columns, which takes half the space or less but several times the time; used when commits are few and each wears
 * the disk.
 */
export function packGroup(
  group: Uint8Array,
  densely: boolean,
  columnsOf: (pattern: number) => readonly number[] | undefined,
): PackedGroup {
  if (group.byteLength < COMPRESS_BYTES_MIN) return { form: FORM_RAW, data: group };
  const bytesMax = group.byteLength * WORTHWHILE_SHARE;
  const columns = densely ? packColumns(group, columnsOf) : null;
  // Values that would not be restored bit for bit are not packed this way.
  if (
    columns !== null &&
    columns.byteLength < bytesMax &&
    Buffer.compare(unpackColumns(columns), group) === 0
  )
    return { form: FORM_COLUMNS, data: columns };
  const data = Bun.zstdCompressSync(group, { level: FAST_LEVEL });
  return data.byteLength < bytesMax ? { form: FORM_ZSTD, data } : { form: FORM_RAW, data: group };
}

/** @throws Error if the data is damaged or the form is not that of a group */
export function unpackGroup(form: number, data: Uint8Array): Uint8Array {
  switch (form) {
    case FORM_RAW:
      return data;
    case FORM_ZSTD:
      return Bun.zstdDecompressSync(data);
    case FORM_COLUMNS:
      return unpackColumns(data);
    default:
      throw new Error(`its form ${form} is not known`);
  }
}

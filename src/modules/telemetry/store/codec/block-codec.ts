/**
 * A block: the points of one family of one device, in two parts. The head names the columns and summarises each; the
 * body holds the time stamps and the columns one after the other, so that a reader decodes only what it needs.
 */
import { ByteReader } from "../../../../lib/byte-reader.ts";
import { ByteWriter } from "../../../../lib/byte-writer.ts";
import { type ColumnSummary, summarise } from "../column-summary.ts";
import type { Rows } from "../rows.ts";
import { encodeColumn } from "./column-codec.ts";
import { encodeNumbers } from "./number-codec.ts";
import type { Effort } from "./packing.ts";
import { readSummary, writeSummary } from "./summary-codec.ts";

export const BLOCK_VERSION = 1;

export interface EncodedBlock {
  readonly minTs: number;
  readonly maxTs: number;
  readonly rows: number;
  readonly points: number;
  readonly head: Uint8Array;
  readonly body: Uint8Array;
}

export interface HeadColumn {
  readonly key: number;
  /** Position of the column in the body. */
  readonly offset: number;
  readonly bytes: number;
  readonly summary: ColumnSummary;
}

export interface BlockHead {
  readonly rows: number;
  readonly effort: Effort;
  readonly tsBytes: number;
  readonly bodyChecksum: number;
  /** Key number → column. */
  readonly columns: ReadonlyMap<number, HeadColumn>;
}

/** The rows must not be empty. Yields between columns, each of which takes milliseconds when thorough. */
export function* encodeBlock(rows: Rows, effort: Effort): Generator<void, EncodedBlock> {
  const ts = encodeNumbers(rows.ts, effort);
  const body = new ByteWriter(rows.ts.length * 4 + 64);
  body.raw(ts);
  const columns: HeadColumn[] = [];
  for (const [key, column] of rows.columns) {
    const bytes = encodeColumn(column, effort);
    columns.push({ key, offset: body.length, bytes: bytes.length, summary: summarise(rows.ts, column) });
    body.raw(bytes);
    yield;
  }
  const bytes = body.bytes().slice();
  return {
    minTs: rows.ts[0]!,
    maxTs: rows.ts[rows.ts.length - 1]!,
    rows: rows.ts.length,
    points: columns.reduce((sum, { summary }) => sum + summary.count, 0),
    head: encodeHead(rows.ts.length, { effort, tsBytes: ts.length, body: bytes, columns }),
    body: bytes,
  };
}

function encodeHead(
  rows: number,
  of: { effort: Effort; tsBytes: number; body: Uint8Array; columns: readonly HeadColumn[] },
): Uint8Array {
  const writer = new ByteWriter(32 + of.columns.length * 88);
  writer.u8(BLOCK_VERSION);
  writer.u8(of.effort === "thorough" ? 1 : 0);
  writer.varint(rows);
  writer.varint(of.tsBytes);
  writer.u32(Bun.hash.crc32(of.body));
  writer.varint(of.columns.length);
  for (const { key, bytes, summary } of of.columns) {
    writer.varint(key);
    writer.varint(bytes);
    writeSummary(writer, summary);
  }
  writer.u32(Bun.hash.crc32(writer.bytes()));
  return writer.bytes().slice();
}

/** Throws when the bytes are not a head that was written. */
export function decodeHead(bytes: Uint8Array): BlockHead {
  const content = bytes.subarray(0, bytes.length - 4);
  const reader = new ByteReader(bytes);
  if (reader.u32At(content.length) !== Bun.hash.crc32(content)) {
    throw new Error("the head's checksum does not match");
  }
  const version = reader.u8();
  if (version !== BLOCK_VERSION) throw new Error(`unknown block version ${version}`);
  const effort = reader.u8() === 1 ? "thorough" : "fast";
  const rows = reader.varint();
  const tsBytes = reader.varint();
  const bodyChecksum = reader.u32();
  /** Key number → column. */
  const columns = new Map<number, HeadColumn>();
  let offset = tsBytes;
  for (let left = reader.varint(); left > 0; left--) {
    const key = reader.varint();
    const size = reader.varint();
    columns.set(key, { key, offset, bytes: size, summary: readSummary(reader) });
    offset += size;
  }
  return { rows, effort, tsBytes, bodyChecksum, columns };
}

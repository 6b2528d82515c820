/**
 * Block: the points of one family of a device, in two parts. The head names and summarizes the columns; the body contains the timestamps followed
 * by the columns, so that readers decode only the columns they need.
 */

import { ByteReader } from "../../../../lib/data/byte-reader.ts";
import { ByteWriter } from "../../../../lib/data/byte-writer.ts";
import { TAG_NUMBER, TAG_STRING } from "../../../../lib/data/value-kind.ts";
import { type ColumnSummary, emptySummary, summarise } from "../blocks/column-summary.ts";
import { numberState, type StateTable, type StateValue, sharedState } from "../query/state-table.ts";
import type { Rows } from "../rows.ts";
import { encodeColumn } from "./column-codec.ts";
import { encodeNumbers } from "./number-codec.ts";
import type { Effort } from "./packing.ts";

/** All values are numbers. */
const FLAG_NUMERIC = 1;
const FLAG_DROPS = 2;
const FLAG_STATES = 4;
/** All values are the same number, bit for bit. It is written once, and the derived state table is omitted. */
const FLAG_CONSTANT = 8;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const isConstant = ({ count, numeric, first, last, min, max }: ColumnSummary): boolean =>
  count > 0 && numeric === count && [last, min, max].every((value) => Object.is(value, first));

function writeSummary(writer: ByteWriter, summary: ColumnSummary): void {
  const { count, numeric, drops, states } = summary;
  const constant = isConstant(summary);
  const table = constant ? null : states;
  writer.u8(
    (numeric === count ? FLAG_NUMERIC : 0) +
      (drops === 0 ? 0 : FLAG_DROPS) +
      (table === null ? 0 : FLAG_STATES) +
      (constant ? FLAG_CONSTANT : 0),
  );
  writer.varint(count);
  if (numeric !== count) writer.varint(numeric);
  writer.f64(summary.firstTs);
  writer.f64(summary.lastTs);
  if (numeric > 0) writeNumbers(writer, summary, constant);
  if (drops !== 0) writer.f64(drops);
  if (table !== null) writeStates(writer, table);
}

function writeNumbers(writer: ByteWriter, summary: ColumnSummary, constant: boolean): void {
  writer.f64(summary.sum);
  writer.f64(summary.first);
  if (constant) return;
  for (const value of [summary.last, summary.min, summary.max, summary.minTs, summary.maxTs])
    writer.f64(value);
}

function writeStates(writer: ByteWriter, { values, durations, last }: StateTable): void {
  writer.u8(values.length);
  writer.u8(last);
  for (const [index, { tag, number, text }] of values.entries()) {
    writer.u8(tag);
    if (tag === TAG_NUMBER) writer.f64(number);
    if (tag === TAG_STRING) writer.block(encoder.encode(text));
    writer.varint(durations[index]!);
  }
}

function readSummary(reader: ByteReader): ColumnSummary {
  const flags = reader.u8();
  const summary = emptySummary();
  summary.count = reader.varint();
  summary.numeric = (flags & FLAG_NUMERIC) === 0 ? reader.varint() : summary.count;
  summary.firstTs = reader.f64();
  summary.lastTs = reader.f64();
  const constant = (flags & FLAG_CONSTANT) !== 0;
  if (summary.numeric > 0) readNumbers(reader, summary, constant);
  else summary.min = summary.max = 0;
  if ((flags & FLAG_DROPS) !== 0) summary.drops = reader.f64();
  if ((flags & FLAG_STATES) !== 0) summary.states = readStates(reader);
  if (constant) summary.states = constantStates(summary);
  return summary;
}

function readNumbers(reader: ByteReader, summary: ColumnSummary, constant: boolean): void {
  summary.sum = reader.f64();
  summary.first = reader.f64();
  if (constant) {
    summary.last = summary.min = summary.max = summary.first;
    summary.minTs = summary.maxTs = summary.firstTs;
    return;
  }
  summary.last = reader.f64();
  summary.min = reader.f64();
  summary.max = reader.f64();
  summary.minTs = reader.f64();
  summary.maxTs = reader.f64();
}

const constantStates = ({ first, firstTs, lastTs }: ColumnSummary): StateTable => ({
  values: [sharedState(numberState(first))],
  durations: [lastTs - firstTs],
  last: 0,
});

function readStates(reader: ByteReader): StateTable {
  const values: StateValue[] = [];
  const durations: number[] = [];
  const count = reader.u8();
  const last = reader.u8();
  for (let left = count; left > 0; left--) {
    const tag = reader.u8();
    const number = tag === TAG_NUMBER ? reader.f64() : 0;
    const text = tag === TAG_STRING ? decoder.decode(reader.block()) : undefined;
    values.push(sharedState({ tag, number, text }));
    durations.push(reader.varint());
  }
  return { values, durations, last };
}

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

/** Encodes non-empty rows. Yields between columns, because encoding one thoroughly takes milliseconds. */
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

/** @throws Error if the bytes are not a valid head */
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

import type { ByteReader } from "../../../../lib/byte-reader.ts";
import type { ByteWriter } from "../../../../lib/byte-writer.ts";
import { TAG_NUMBER, TAG_STRING } from "../../../../lib/value-kind.ts";
import { type ColumnSummary, emptySummary } from "../column-summary.ts";
import { numberState, type StateTable, type StateValue, sharedState } from "../state-table.ts";

/** All values are numbers. */
const FLAG_NUMERIC = 1;
const FLAG_DROPS = 2;
const FLAG_STATES = 4;
/** All values are the same number, bit for bit: it is written once, without the table that follows from it. */
const FLAG_CONSTANT = 8;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const isConstant = ({ count, numeric, first, last, min, max }: ColumnSummary): boolean =>
  count > 0 && numeric === count && [last, min, max].every((value) => Object.is(value, first));

export function writeSummary(writer: ByteWriter, summary: ColumnSummary): void {
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

export function readSummary(reader: ByteReader): ColumnSummary {
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

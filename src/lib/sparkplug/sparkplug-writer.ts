import type { ByteWriter } from "../data/byte-writer.ts";

/** Data types of metrics (Sparkplug B 3.0, 6.4.16) for stored values. */
export const DataType = { int64: 4, double: 10, boolean: 11, string: 12 } as const;
export type DataTypeCode = (typeof DataType)[keyof typeof DataType];

const TIMESTAMP = 0x08;
const METRIC = 0x12;
const SEQ = 0x18;
const METRIC_NAME = 0x0a;
const METRIC_TIMESTAMP = 0x18;
const METRIC_DATA_TYPE = 0x20;
const METRIC_IS_HISTORICAL = 0x28;
const METRIC_IS_NULL = 0x38;
const LONG_VALUE = 0x58;
const DOUBLE_VALUE = 0x69;
const BOOLEAN_VALUE = 0x70;
const STRING_VALUE = 0x7a;

const utf8 = new TextEncoder();

export interface Metric {
  /** In UTF-8. */
  readonly name: Uint8Array;
  /** Epoch ms. */
  readonly ts: number;
  /** 0 for the type in the birth. */
  readonly dataType: DataTypeCode | 0;
  readonly isHistorical: boolean;
  /** Null for no value. A bigint is a 64-bit integer. */
  readonly value: number | bigint | boolean | string | null;
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

/** Returns the number of bytes of the value with its field. */
function valueBytes(value: Metric["value"], text: Uint8Array | undefined): number {
  if (typeof value === "number") return 9;
  if (typeof value === "bigint") return 1 + varintBytes(Number(value));
  return text === undefined ? 2 : 1 + varintBytes(text.length) + text.length;
}

function writeValue(writer: ByteWriter, value: Metric["value"], text: Uint8Array | undefined): void {
  if (typeof value === "number") {
    writer.u8(DOUBLE_VALUE);
    writer.f64(value);
  } else if (text !== undefined) {
    writer.u8(STRING_VALUE);
    writer.block(text);
  } else if (typeof value === "boolean") {
    writer.u8(BOOLEAN_VALUE);
    writer.u8(value ? 1 : 0);
  } else if (typeof value === "bigint") {
    writer.u8(LONG_VALUE);
    writer.varint(Number(value));
  } else {
    writer.u8(METRIC_IS_NULL);
    writer.u8(1);
  }
}

/** Appends a metric to a payload. Times before 1970 become 1970. */
export function writeMetric(writer: ByteWriter, { name, ts, dataType, isHistorical, value }: Metric): void {
  const timestamp = Math.max(0, Math.floor(ts));
  const text = typeof value === "string" ? utf8.encode(value) : undefined;
  const length =
    1 +
    varintBytes(name.length) +
    name.length +
    1 +
    varintBytes(timestamp) +
    (dataType === 0 ? 0 : 2) +
    (isHistorical ? 2 : 0) +
    valueBytes(value, text);
  writer.u8(METRIC);
  writer.varint(length);
  writer.u8(METRIC_NAME);
  writer.block(name);
  writer.u8(METRIC_TIMESTAMP);
  writer.varint(timestamp);
  if (dataType !== 0) {
    writer.u8(METRIC_DATA_TYPE);
    writer.u8(dataType);
  }
  if (isHistorical) {
    writer.u8(METRIC_IS_HISTORICAL);
    writer.u8(1);
  }
  writeValue(writer, value, text);
}

/** Begins a payload, which its metrics follow. */
export function writeTimestamp(writer: ByteWriter, now: number): void {
  writer.u8(TIMESTAMP);
  writer.varint(now);
}

/** Ends a payload with its sequence number for the edge node, 0 to 255. */
export function writeSequence(writer: ByteWriter, seq: number): void {
  writer.u8(SEQ);
  writer.varint(seq);
}

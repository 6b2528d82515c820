import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/**
 * Sparkplug B payloads (Eclipse Tahu's `sparkplug_b.proto`), as far as they carry measurements: what a field means depends on a
 * data type that only births must state, so values stay raw until that is known.
 */

const METRICS_MAX = 20_000;
const DEPTH_MAX = 8;

export interface RawDataSet {
  readonly columns: string[];
  readonly types: number[];
  readonly rows: (RawValue | undefined)[][];
}

/** Value in its field of the oneof; integers are unsigned, whatever their type. */
export type RawValue = number | bigint | boolean | string | Uint8Array | RawDataSet | RawTemplate;

export interface RawTemplate {
  readonly isDefinition: boolean;
  readonly metrics: RawMetric[];
}

export interface RawMetric {
  name?: string;
  /** An unsigned integer of 64 bits, in digits. */
  alias?: string;
  timestamp?: number;
  dataType?: number;
  isTransient?: boolean;
  isNull?: boolean;
  value?: RawValue;
}

export interface RawPayload {
  timestamp?: number;
  seq?: number;
  /** Marker of compressed metrics, in `body`. */
  uuid?: string;
  readonly metrics: RawMetric[];
}

/** Calls `read` for each field; what it does not take (false) is passed over. */
function eachField(bytes: Uint8Array, read: (field: number, reader: BinaryReader) => boolean): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    const position = reader.pos;
    if (read(field, reader)) continue;
    reader.pos = position;
    reader.skip(wireType, field);
  }
}

const big = (reader: BinaryReader): bigint => BigInt(reader.uint64());

/** The fields of a oneof of values, from the first one's number on. */
function scalar(offset: number, reader: BinaryReader): RawValue | undefined {
  switch (offset) {
    case 0:
      return reader.uint32();
    case 1:
      return big(reader);
    case 2:
      return reader.float();
    case 3:
      return reader.double();
    case 4:
      return reader.bool();
    case 5:
      return reader.string();
    default:
      return undefined;
  }
}

function readRow(bytes: Uint8Array): (RawValue | undefined)[] {
  const row: (RawValue | undefined)[] = [];
  eachField(bytes, (field, reader) => {
    if (field !== 1) return false;
    let value: RawValue | undefined;
    eachField(reader.bytes(), (inner, content) => {
      const found = scalar(inner - 1, content);
      if (found === undefined) return false;
      value = found;
      return true;
    });
    row.push(value);
    return true;
  });
  return row;
}

/** Repeated integers come one by one or packed. */
function readTypes(types: number[], wireType: WireType, reader: BinaryReader): void {
  if (wireType !== WireType.LengthDelimited) {
    types.push(reader.uint32());
    return;
  }
  const packed = new BinaryReader(reader.bytes());
  while (packed.pos < packed.len) types.push(packed.uint32());
}

function readDataSet(bytes: Uint8Array): RawDataSet {
  const set: RawDataSet = { columns: [], types: [], rows: [] };
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 2) set.columns.push(reader.string());
    else if (field === 3) readTypes(set.types, wireType, reader);
    else if (field === 4) set.rows.push(readRow(reader.bytes()));
    else reader.skip(wireType, field);
  }
  return set;
}

function readTemplate(bytes: Uint8Array, depth: number): RawTemplate {
  const metrics: RawMetric[] = [];
  let isDefinition = false;
  eachField(bytes, (field, reader) => {
    if (field === 2) metrics.push(readMetric(reader.bytes(), depth + 1));
    else if (field === 5) isDefinition = reader.bool();
    else return false;
    return true;
  });
  return { isDefinition, metrics };
}

function metricValue(field: number, reader: BinaryReader, depth: number): RawValue | undefined {
  if (field === 16) return reader.bytes();
  if (field === 17) return readDataSet(reader.bytes());
  if (field === 18) return readTemplate(reader.bytes(), depth);
  return field >= 10 ? scalar(field - 10, reader) : undefined;
}

/** Fields of a metric without its value, by field number. */
const metricFields: ReadonlyMap<number, (metric: RawMetric, reader: BinaryReader) => void> = new Map<
  number,
  (metric: RawMetric, reader: BinaryReader) => void
>([
  [1, (metric, reader) => (metric.name = reader.string())],
  [2, (metric, reader) => (metric.alias = String(big(reader)))],
  [3, (metric, reader) => (metric.timestamp = Number(big(reader)))],
  [4, (metric, reader) => (metric.dataType = reader.uint32())],
  [6, (metric, reader) => (metric.isTransient = reader.bool())],
  [7, (metric, reader) => (metric.isNull = reader.bool())],
]);

function readMetric(bytes: Uint8Array, depth: number): RawMetric {
  if (depth > DEPTH_MAX) throw new Error("the templates are nested too deeply");
  const metric: RawMetric = {};
  eachField(bytes, (field, reader) => {
    const set = metricFields.get(field);
    if (set) {
      set(metric, reader);
      return true;
    }
    const value = metricValue(field, reader, depth);
    if (value !== undefined) metric.value = value;
    return value !== undefined;
  });
  return metric;
}

/** @throws Error when the bytes are no such payload. */
export function readPayload(bytes: Uint8Array): RawPayload {
  const payload: RawPayload = { metrics: [] };
  eachField(bytes, (field, reader) => {
    if (field === 1) payload.timestamp = Number(big(reader));
    else if (field === 2) {
      if (payload.metrics.length >= METRICS_MAX) throw new Error("there are too many metrics");
      payload.metrics.push(readMetric(reader.bytes(), 0));
    } else if (field === 3) payload.seq = Number(big(reader));
    else if (field === 4) payload.uuid = reader.string();
    else return false;
    return true;
  });
  return payload;
}

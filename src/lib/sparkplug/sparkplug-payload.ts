import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { tooLarge } from "../core/domain-error.ts";

/**
 * Sparkplug B payloads (`sparkplug_b.proto` of Eclipse Tahu), as far as they carry measurements. The meaning of a field depends on a data type that
 * only births contain, so values stay raw until it is known.
 */

/** Max. metrics, columns, rows and values at any depth. Each takes at least two bytes, and up to 200 of memory. */
const PARTS_MAX = 20_000;
/** Max. fields. A metric has about five. */
const FIELDS_MAX = 200_000;
const DEPTH_MAX = 8;

/** Counts the parts of a payload. */
class Count {
  #fields = 0;
  #parts = 0;

  field(): void {
    if (++this.#fields > FIELDS_MAX) throw tooLarge("body.too_many_items", { max: FIELDS_MAX });
  }

  part(): void {
    if (++this.#parts > PARTS_MAX) throw tooLarge("body.too_many_items", { max: PARTS_MAX });
  }
}

export interface RawDataSet {
  readonly columns: string[];
  readonly types: number[];
  readonly rows: (RawValue | undefined)[][];
}

/** Value in its field of the oneof. Integers are unsigned, regardless of their type. */
export type RawValue = number | bigint | boolean | string | Uint8Array | RawDataSet | RawTemplate;

export interface RawTemplate {
  readonly isDefinition: boolean;
  readonly metrics: RawMetric[];
}

export interface RawMetric {
  name?: string;
  /** Unsigned 64-bit integer as digits. */
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

/** Calls `read` for each field. Skips fields for which it returns false. */
function eachField(
  bytes: Uint8Array,
  count: Count,
  read: (field: number, reader: BinaryReader, wireType: WireType) => boolean,
): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    count.field();
    const [field, wireType] = reader.tag();
    const position = reader.pos;
    if (read(field, reader, wireType)) continue;
    reader.pos = position;
    reader.skip(wireType, field);
  }
}

const big = (reader: BinaryReader): bigint => BigInt(reader.uint64());

/** Reads a field of a oneof of values, numbered from its first one. */
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

function readRow(bytes: Uint8Array, count: Count): (RawValue | undefined)[] {
  const row: (RawValue | undefined)[] = [];
  eachField(bytes, count, (field, reader) => {
    if (field !== 1) return false;
    let value: RawValue | undefined;
    count.part();
    eachField(reader.bytes(), count, (inner, content) => {
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

/** Reads repeated integers, which may be packed. */
function readTypes(
  types: number[],
  wireType: WireType,
  { reader, count }: { reader: BinaryReader; count: Count },
): void {
  if (wireType !== WireType.LengthDelimited) {
    types.push(reader.uint32());
    return;
  }
  const packed = new BinaryReader(reader.bytes());
  while (packed.pos < packed.len) {
    count.field();
    types.push(packed.uint32());
  }
}

function readDataSet(bytes: Uint8Array, count: Count): RawDataSet {
  const set: RawDataSet = { columns: [], types: [], rows: [] };
  eachField(bytes, count, (field, reader, wireType) => {
    if (field === 3) {
      readTypes(set.types, wireType, { reader, count });
      return true;
    }
    if (field !== 2 && field !== 4) return false;
    count.part();
    if (field === 2) set.columns.push(reader.string());
    else set.rows.push(readRow(reader.bytes(), count));
    return true;
  });
  return set;
}

/** Context of a metric: its depth, and the counts. */
interface Within {
  readonly depth: number;
  readonly count: Count;
}

function readTemplate(bytes: Uint8Array, { depth, count }: Within): RawTemplate {
  const metrics: RawMetric[] = [];
  let isDefinition = false;
  eachField(bytes, count, (field, reader) => {
    if (field === 2) metrics.push(readMetric(reader.bytes(), { depth: depth + 1, count }));
    else if (field === 5) isDefinition = reader.bool();
    else return false;
    return true;
  });
  return { isDefinition, metrics };
}

function metricValue(field: number, reader: BinaryReader, within: Within): RawValue | undefined {
  if (field === 16) return reader.bytes();
  if (field === 17) return readDataSet(reader.bytes(), within.count);
  if (field === 18) return readTemplate(reader.bytes(), within);
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

function readMetric(bytes: Uint8Array, within: Within): RawMetric {
  const { depth, count } = within;
  count.part();
  if (depth > DEPTH_MAX) throw new Error("the templates are nested too deeply");
  const metric: RawMetric = {};
  eachField(bytes, count, (field, reader) => {
    const set = metricFields.get(field);
    if (set) {
      set(metric, reader);
      return true;
    }
    const value = metricValue(field, reader, within);
    if (value !== undefined) metric.value = value;
    return value !== undefined;
  });
  return metric;
}

/** @throws DomainError `body.too_many_items`, or Error if the bytes are not such a payload */
export function readPayload(bytes: Uint8Array): RawPayload {
  const payload: RawPayload = { metrics: [] };
  const count = new Count();
  eachField(bytes, count, (field, reader) => {
    if (field === 1) payload.timestamp = Number(big(reader));
    else if (field === 2) payload.metrics.push(readMetric(reader.bytes(), { depth: 0, count }));
    else if (field === 3) payload.seq = Number(big(reader));
    else if (field === 4) payload.uuid = reader.string();
    else return false;
    return true;
  });
  return payload;
}

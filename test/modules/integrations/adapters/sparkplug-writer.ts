import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** Writes Sparkplug B payloads as an edge node does. */

type Value = (writer: BinaryWriter) => void;

export interface Metric {
  name?: string;
  alias?: number;
  timestamp?: number;
  type?: number;
  isNull?: boolean;
  isTransient?: boolean;
  value?: Value;
}

export const int =
  (value: number, field = 10): Value =>
  (writer) =>
    void writer.tag(field, WireType.Varint).uint32(value >>> 0);
export const long =
  (value: bigint, field = 11): Value =>
  (writer) =>
    void writer.tag(field, WireType.Varint).uint64(BigInt.asUintN(64, value));
export const float =
  (value: number, field = 12): Value =>
  (writer) =>
    void writer.tag(field, WireType.Bit32).float(value);
export const double =
  (value: number, field = 13): Value =>
  (writer) =>
    void writer.tag(field, WireType.Bit64).double(value);
export const bool =
  (value: boolean, field = 14): Value =>
  (writer) =>
    void writer.tag(field, WireType.Varint).bool(value);
export const text =
  (value: string, field = 15): Value =>
  (writer) =>
    void writer.tag(field, WireType.LengthDelimited).string(value);
export const bytes =
  (value: Uint8Array): Value =>
  (writer) =>
    void writer.tag(16, WireType.LengthDelimited).bytes(value);

export const dataSet =
  (columns: string[], types: number[], rows: Value[][]): Value =>
  (writer) => {
    writer.tag(17, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.Varint).uint64(columns.length);
    for (const column of columns) writer.tag(2, WireType.LengthDelimited).string(column);
    for (const type of types) writer.tag(3, WireType.Varint).uint32(type);
    for (const row of rows) {
      writer.tag(4, WireType.LengthDelimited).fork();
      for (const element of row) {
        writer.tag(1, WireType.LengthDelimited).fork();
        element(writer);
        writer.join();
      }
      writer.join();
    }
    writer.join();
  };

export const template =
  (metrics: Metric[], isDefinition = false): Value =>
  (writer) => {
    writer.tag(18, WireType.LengthDelimited).fork();
    for (const metric of metrics) writeMetric(writer, metric, 2);
    writer.tag(5, WireType.Varint).bool(isDefinition);
    writer.join();
  };

function writeMetric(writer: BinaryWriter, metric: Metric, field: number): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  if (metric.name !== undefined) writer.tag(1, WireType.LengthDelimited).string(metric.name);
  if (metric.alias !== undefined) writer.tag(2, WireType.Varint).uint64(metric.alias);
  if (metric.timestamp !== undefined) writer.tag(3, WireType.Varint).uint64(metric.timestamp);
  if (metric.type !== undefined) writer.tag(4, WireType.Varint).uint32(metric.type);
  if (metric.isTransient !== undefined) writer.tag(6, WireType.Varint).bool(metric.isTransient);
  if (metric.isNull !== undefined) writer.tag(7, WireType.Varint).bool(metric.isNull);
  metric.value?.(writer);
  writer.join();
}

export function payload(
  metrics: Metric[],
  rest: { seq?: number; timestamp?: number; uuid?: string } = {},
): Uint8Array {
  const writer = new BinaryWriter();
  if (rest.timestamp !== undefined) writer.tag(1, WireType.Varint).uint64(rest.timestamp);
  for (const metric of metrics) writeMetric(writer, metric, 2);
  if (rest.seq !== undefined) writer.tag(3, WireType.Varint).uint64(rest.seq);
  if (rest.uuid !== undefined) writer.tag(4, WireType.LengthDelimited).string(rest.uuid);
  return writer.finish();
}

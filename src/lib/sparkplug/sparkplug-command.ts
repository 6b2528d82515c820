import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { DataType } from "./sparkplug-writer.ts";

/** Data types of numeric metrics by code (Sparkplug B 3.0, 6.4.16). */
const integers: ReadonlyMap<number, { name: string; bits: 8 | 16 | 32 | 64; isSigned: boolean }> = new Map([
  [1, { name: "Int8", bits: 8, isSigned: true }],
  [2, { name: "Int16", bits: 16, isSigned: true }],
  [3, { name: "Int32", bits: 32, isSigned: true }],
  [4, { name: "Int64", bits: 64, isSigned: true }],
  [5, { name: "UInt8", bits: 8, isSigned: false }],
  [6, { name: "UInt16", bits: 16, isSigned: false }],
  [7, { name: "UInt32", bits: 32, isSigned: false }],
  [8, { name: "UInt64", bits: 64, isSigned: false }],
  [13, { name: "DateTime", bits: 64, isSigned: false }],
]);
const FLOAT = 9;
const texts: ReadonlyMap<number, string> = new Map([
  [DataType.string, "String"],
  [14, "Text"],
  [15, "UUID"],
]);

/** Data types that commands cannot carry. */
const OTHERS: ReadonlyMap<number, string> = new Map([
  [16, "DataSet"],
  [17, "Bytes"],
  [18, "File"],
  [19, "Template"],
]);

type PlainValue = number | boolean | string;

/** Value that does not fit the type of the metric in its birth. */
export class WrongMetricType extends Error {
  /** Name or code of the type. */
  readonly type: string;

  constructor(type: string) {
    super(`the metric is of type ${type}`);
    this.type = type;
  }
}

const Field = { int: 10, long: 11, float: 12, double: 13, boolean: 14, string: 15 } as const;

function writeInteger(writer: BinaryWriter, value: PlainValue, dataType: number): boolean {
  const type = integers.get(dataType);
  if (type === undefined) return false;
  const [low, high] = type.isSigned ? [-(2 ** (type.bits - 1)), 2 ** (type.bits - 1)] : [0, 2 ** type.bits];
  if (typeof value !== "number" || !Number.isInteger(value) || value < low || value >= high)
    throw new WrongMetricType(type.name);
  if (type.bits === 64)
    writer.tag(Field.long, WireType.Varint).uint64(BigInt.asUintN(64, BigInt(value)).toString());
  else writer.tag(Field.int, WireType.Varint).uint32(value >>> 0);
  return true;
}

function writeValue(writer: BinaryWriter, value: PlainValue, dataType: number): void {
  if (writeInteger(writer, value, dataType)) return;
  const ensure = (isRight: boolean, type: string) => {
    if (!isRight) throw new WrongMetricType(type);
  };
  const text = texts.get(dataType);
  if (dataType === FLOAT) ensure(typeof value === "number", "Float");
  else if (dataType === DataType.double) ensure(typeof value === "number", "Double");
  else if (dataType === DataType.boolean) ensure(typeof value === "boolean", "Boolean");
  else
    ensure(text !== undefined && typeof value === "string", text ?? OTHERS.get(dataType) ?? String(dataType));
  if (typeof value === "string") writer.tag(Field.string, WireType.LengthDelimited).string(value);
  else if (typeof value === "boolean") writer.tag(Field.boolean, WireType.Varint).bool(value);
  else if (dataType === FLOAT) writer.tag(Field.float, WireType.Bit32).float(value);
  else writer.tag(Field.double, WireType.Bit64).double(value);
}

const typeOfValue = (value: PlainValue): number =>
  typeof value === "number"
    ? DataType.double
    : typeof value === "boolean"
      ? DataType.boolean
      : DataType.string;

/**
 * Returns the payload of a command (NCMD, DCMD) that sets one metric in the type of its birth; without a birth, as a double, boolean or string.
 * `now` is in epoch ms.
 * @throws WrongMetricType
 */
export function commandPayload(
  now: number,
  { name, value, bornType }: { name: string; value: PlainValue; bornType?: number | undefined },
): Uint8Array {
  const dataType = bornType ?? typeOfValue(value);
  const timestamp = Math.max(0, Math.floor(now));
  const metric = new BinaryWriter();
  metric.tag(1, WireType.LengthDelimited).string(name);
  metric.tag(3, WireType.Varint).uint64(timestamp);
  metric.tag(4, WireType.Varint).uint32(dataType);
  writeValue(metric, value, dataType);
  const payload = new BinaryWriter();
  payload.tag(1, WireType.Varint).uint64(timestamp);
  payload.tag(2, WireType.LengthDelimited).bytes(metric.finish());
  return payload.finish();
}

/** Returns the payload that requests new births from an edge node. */
export const rebirthRequest = (now: number): Uint8Array =>
  commandPayload(now, { name: "Node Control/Rebirth", value: true });

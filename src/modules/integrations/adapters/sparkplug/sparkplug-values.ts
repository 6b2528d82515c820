/** Sparkplug values by data type, converted to JSON. Undefined for values that JSON cannot hold or that should not be stored. */
import { exactInteger } from "../../../../lib/json/exact-integer.ts";
import type { JsonObject, JsonValue } from "../../../../lib/json/json.ts";
import type { RawDataSet, RawTemplate, RawValue } from "../../../../lib/sparkplug/sparkplug-payload.ts";

/** Max. bytes of a value; longer values are files rather than readings. */
const BYTES_MAX = 4_096;
const ELEMENTS_MAX = 4_096;

/** Bits of integers by data type; negative for signed types. */
const INTEGER_BITS: ReadonlyMap<number, number> = new Map([
  [1, -8],
  [2, -16],
  [3, -32],
  [4, -64],
  [5, 8],
  [6, 16],
  [7, 32],
  [8, 64],
  [13, 64],
]);

/** Bytes per element and its little-endian reader, by data type. */
const arrays: ReadonlyMap<
  number,
  readonly [size: number, read: (view: DataView, position: number) => number | bigint]
> = new Map([
  [22, [1, (view, position) => view.getInt8(position)]],
  [23, [2, (view, position) => view.getInt16(position, true)]],
  [24, [4, (view, position) => view.getInt32(position, true)]],
  [25, [8, (view, position) => view.getBigInt64(position, true)]],
  [26, [1, (view, position) => view.getUint8(position)]],
  [27, [2, (view, position) => view.getUint16(position, true)]],
  [28, [4, (view, position) => view.getUint32(position, true)]],
  [29, [8, (view, position) => view.getBigUint64(position, true)]],
  [30, [4, (view, position) => ofFloat(view.getFloat32(position, true))]],
  [31, [8, (view, position) => view.getFloat64(position, true)]],
  [34, [8, (view, position) => view.getBigInt64(position, true)]],
]);
const BOOLEAN_ARRAY = 32;
const STRING_ARRAY = 33;
const FLOAT = 9;

/** Returns the shortest number that is equal in single precision: 21.3, not 21.299999237060547. */
export function ofFloat(value: number): number {
  if (!Number.isFinite(value)) return value;
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

/** Returns an integer, as a string of digits if a double cannot hold it. */
function ofInteger(raw: number | bigint | boolean, bits: number): number | string {
  const whole = typeof raw === "number" && !Number.isInteger(raw) ? Math.trunc(raw) : raw;
  if (typeof whole === "number" && !Number.isFinite(whole)) return whole;
  const value = BigInt(whole);
  return exactInteger(String(bits < 0 ? BigInt.asIntN(-bits, value) : BigInt.asUintN(bits, value)));
}

const finite = (values: readonly (number | bigint)[]): JsonValue =>
  values.map((value) =>
    typeof value === "bigint" ? exactInteger(String(value)) : Number.isFinite(value) ? value : null,
  );

/** Reads a count followed by one bit per boolean, highest bit first. */
function booleans(bytes: Uint8Array): JsonValue | undefined {
  if (bytes.byteLength < 4) return undefined;
  const count = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (count > ELEMENTS_MAX || bytes.byteLength < 4 + Math.ceil(count / 8)) return undefined;
  return Array.from({ length: count }, (_, index) => {
    const byte = bytes[4 + (index >> 3)] ?? 0;
    return (byte & (0x80 >> (index & 7))) !== 0;
  });
}

/** Reads zero-terminated strings. */
function texts(bytes: Uint8Array): JsonValue | undefined {
  const parts = Buffer.from(bytes).toString("utf8").split("\0");
  if (parts.at(-1) === "") parts.pop();
  return parts.length > ELEMENTS_MAX ? undefined : parts;
}

function ofBytes(bytes: Uint8Array, dataType: number | undefined): JsonValue | undefined {
  if (dataType === BOOLEAN_ARRAY) return booleans(bytes);
  if (dataType === STRING_ARRAY) return texts(bytes);
  const [size, read] = (dataType === undefined ? undefined : arrays.get(dataType)) ?? [];
  if (size === undefined || read === undefined)
    return bytes.byteLength > BYTES_MAX ? undefined : Buffer.from(bytes).toString("base64");
  const count = bytes.byteLength / size;
  if (!Number.isInteger(count) || count > ELEMENTS_MAX) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return finite(Array.from({ length: count }, (_, index) => read(view, index * size)));
}

/** Returns one object per row, keyed by column name. */
function ofDataSet({ columns, types, rows }: RawDataSet): JsonValue | undefined {
  if (rows.length * Math.max(columns.length, 1) > ELEMENTS_MAX) return undefined;
  return rows.map((row) => {
    const entries = columns.map((column, index): [string, JsonValue] => {
      const value = row[index];
      return [column, (value === undefined ? undefined : jsonOf(value, types[index])) ?? null];
    });
    return Object.fromEntries(entries);
  });
}

/** Returns the values of an instance by metric name; a definition has no values. */
function ofTemplate({ isDefinition, metrics }: RawTemplate): JsonValue | undefined {
  if (isDefinition) return undefined;
  const entries = metrics.flatMap(({ name, value, dataType, isNull }): [string, JsonValue][] => {
    const json = value === undefined || isNull ? undefined : jsonOf(value, dataType);
    return name === undefined || json === undefined ? [] : [[name, json]];
  });
  return Object.fromEntries(entries) as JsonObject; // as just made
}

function ofNumber(value: number | bigint | boolean, dataType: number | undefined): JsonValue | undefined {
  const bits = dataType === undefined ? undefined : INTEGER_BITS.get(dataType);
  if (bits !== undefined) return ofInteger(value, bits);
  if (typeof value === "boolean") return value;
  if (typeof value === "bigint" && dataType !== FLOAT) return exactInteger(String(value));
  const number = dataType === FLOAT ? ofFloat(Number(value)) : Number(value);
  return Number.isFinite(number) ? number : undefined;
}

export function jsonOf(value: RawValue, dataType: number | undefined): JsonValue | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "object") return ofNumber(value, dataType);
  if (value instanceof Uint8Array) return ofBytes(value, dataType);
  return "columns" in value ? ofDataSet(value) : ofTemplate(value);
}

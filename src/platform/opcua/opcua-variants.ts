import { DataType, type DataValue, Variant, VariantArrayType } from "node-opcua-client";
import { shortestFloat } from "../../lib/field/number-scaling.ts";
import { exactInteger } from "../../lib/json/exact-integer.ts";
import type { OpcUaFields, OpcUaRead, OpcUaScalar } from "./opcua.calls.ts";

/** Max. elements read from an array. */
export const ELEMENTS_MAX = 1_000;
/** Max. characters of a value. */
const TEXT_CHARACTERS_MAX = 10_000;

/** Plausible times. Others mean an unset clock or no time. */
const TIMES = { min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) };

const INTEGER_RANGES: Partial<Record<DataType, readonly [min: number, max: number]>> = {
  [DataType.SByte]: [-0x80, 0x7f],
  [DataType.Byte]: [0, 0xff],
  [DataType.Int16]: [-0x8000, 0x7fff],
  [DataType.UInt16]: [0, 0xffff],
  [DataType.Int32]: [-0x8000_0000, 0x7fff_ffff],
  [DataType.UInt32]: [0, 0xffff_ffff],
  [DataType.Int64]: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  [DataType.UInt64]: [0, Number.MAX_SAFE_INTEGER],
};

/** Converts a 64-bit integer from its upper and lower 32 bits. */
function wide(type: DataType, [high = 0, low = 0]: readonly number[]): OpcUaScalar {
  const bits = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
  const value = type === DataType.Int64 ? BigInt.asIntN(64, bits) : bits;
  return exactInteger(String(value));
}

function shortText(text: unknown): string | undefined {
  return typeof text === "string" && text.length <= TEXT_CHARACTERS_MAX ? text : undefined;
}

/** Returns a single value; undefined if it is not a number, string or boolean. */
function scalarOf(type: DataType, value: unknown): OpcUaScalar | undefined {
  switch (type) {
    case DataType.Boolean:
      return typeof value === "boolean" ? value : undefined;
    case DataType.Int64:
    case DataType.UInt64:
      return Array.isArray(value) || value instanceof Uint32Array ? wide(type, [...value]) : undefined;
    case DataType.Float:
      return typeof value === "number" && Number.isFinite(value) ? shortestFloat(value) : undefined;
    case DataType.String:
    case DataType.Guid:
    case DataType.XmlElement:
      return shortText(value);
    case DataType.DateTime:
      return value instanceof Date && Number.isFinite(value.getTime()) ? value.toISOString() : undefined;
    case DataType.LocalizedText:
      return shortText((value as { text?: unknown } | null)?.text);
    case DataType.QualifiedName:
      return shortText((value as { name?: unknown } | null)?.name);
    case DataType.NodeId:
    case DataType.ExpandedNodeId:
    case DataType.StatusCode:
      return shortText(String(value));
    default:
      return typeof value === "number" && Number.isFinite(value) ? value : undefined;
  }
}

const FIELDS_MAX = 200;
const FIELDS_DEPTH_MAX = 4;

/** Structure whose type the server has described. */
interface Structure extends Readonly<Record<string, unknown>> {
  readonly schema?: { readonly fields?: readonly { name: string; fieldType: string }[] | null };
}

/** Returns the data type of a field, whose type has the prefix of its dictionary. */
const typeOf = (fieldType: string): DataType | undefined =>
  Object.entries(DataType).find(
    ([name]) => name === fieldType.replace(/^(?:UA|ua:|opc:)/, ""),
  )?.[1] as DataType;

/** Returns the fields of a structure and of nested structures, without arrays. */
function fieldsIn(structure: Structure, depth = 0): [name: string, value: OpcUaScalar][] {
  const fields = structure.schema?.fields?.slice(0, FIELDS_MAX) ?? [];
  return fields.flatMap(({ name, fieldType }): [string, OpcUaScalar][] => {
    const type = typeOf(fieldType);
    const value = structure[name];
    if (type !== undefined && type !== DataType.ExtensionObject) {
      const scalar = scalarOf(type, value);
      return scalar === undefined ? [] : [[name, scalar]];
    }
    if (depth >= FIELDS_DEPTH_MAX || typeof value !== "object" || value === null) return [];
    return fieldsIn(value as Structure, depth + 1).map(([inner, scalar]) => [`${name}_${inner}`, scalar]);
  });
}

/** Returns the value of a variant; undefined unless it is a number, string, boolean, array or structure. */
export function valueIn({ dataType, arrayType, value }: Variant): OpcUaRead["value"] {
  if (arrayType === VariantArrayType.Scalar && dataType === DataType.ExtensionObject) {
    const fields = typeof value === "object" && value !== null ? fieldsIn(value).slice(0, FIELDS_MAX) : [];
    return fields.length > 0 ? (Object.fromEntries(fields) as OpcUaFields) : undefined;
  }
  if (arrayType === VariantArrayType.Scalar) return scalarOf(dataType, value);
  const length: unknown = value?.length;
  if (typeof length !== "number" || length > ELEMENTS_MAX) return undefined;
  const elements = Array.from(value as ArrayLike<unknown>, (element) => scalarOf(dataType, element));
  return elements.includes(undefined) ? undefined : (elements as OpcUaScalar[]);
}

function timeOf(...times: readonly (Date | null | undefined)[]): number | undefined {
  const set = times.map((time) => time?.getTime() ?? 0);
  return set.find((time) => time >= TIMES.min && time < TIMES.max);
}

/** Converts the response of a server for a variable to the form of the other thread. */
export function readOf({ statusCode, value, sourceTimestamp, serverTimestamp }: DataValue): OpcUaRead {
  const sampledAt = timeOf(sourceTimestamp, serverTimestamp);
  const read = value === undefined || value === null ? undefined : valueIn(value);
  return {
    status: statusCode.value,
    ...(read !== undefined && { value: read }),
    ...(sampledAt !== undefined && { sampledAt }),
  };
}

/** Value that does not fit the type of the variable. */
export class OpcUaTypeError extends Error {
  constructor(type: DataType) {
    super(`type:${DataType[type]}`);
  }
}

/** Converts a value to the type of the present value of a variable, or of an argument. @throws OpcUaTypeError */
export function variantOf(
  { dataType, arrayType }: Pick<Variant, "dataType" | "arrayType">,
  value: OpcUaScalar,
): Variant {
  const failure = new OpcUaTypeError(dataType);
  if (arrayType !== VariantArrayType.Scalar) throw failure;
  const range = INTEGER_RANGES[dataType];
  if (range !== undefined) {
    if (typeof value !== "number" || !Number.isInteger(value) || value < range[0] || value > range[1])
      throw failure;
    const isWide = dataType === DataType.Int64 || dataType === DataType.UInt64;
    const bits = BigInt.asUintN(64, BigInt(value));
    return new Variant({
      dataType,
      arrayType: VariantArrayType.Scalar,
      value: isWide ? [Number(bits >> 32n), Number(bits & 0xffff_ffffn)] : value,
    });
  }
  const isFitting =
    (dataType === DataType.Boolean && typeof value === "boolean") ||
    (dataType === DataType.Float &&
      Number.isFinite(Math.fround(Number(value))) &&
      typeof value === "number") ||
    (dataType === DataType.Double && typeof value === "number") ||
    (dataType === DataType.String && typeof value === "string");
  if (!isFitting) throw failure;
  return new Variant({ dataType, value });
}

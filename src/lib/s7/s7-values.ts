/** Values in the memory of a controller, as numbers, texts and booleans and back. */

import { detail } from "../core/domain-error.ts";
import { isScaled, type Scaling, scaled, shortestFloat, unscaled } from "../field/number-scaling.ts";
import { exactInteger } from "../json/exact-integer.ts";
import type { Text } from "../texts/text.ts";
import { elementOf, type S7Address, type S7Type } from "./s7-address.ts";

export type S7Value = number | string | boolean;

/** Returns the number of two BCD digits; NaN for other digits. */
const bcd = (byte: number): number =>
  byte >> 4 > 9 || (byte & 15) > 9 ? Number.NaN : (byte >> 4) * 10 + (byte & 15);

interface DateParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly ms: number;
}

/** Returns the time in ISO 8601; undefined for an invalid date. */
function isoOf({ year, month, day, hour, minute, second, ms }: DateParts): string | undefined {
  const time = Date.UTC(year, month - 1, day, hour, minute, second, ms);
  if (!Number.isFinite(time)) return undefined;
  const date = new Date(time);
  const isSame =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second;
  return isSame ? date.toISOString().slice(0, -1) : undefined;
}

/** Decodes eight bytes of BCD digits. The last digit is the day of the week. */
function dateAndTime(bytes: Buffer): string | undefined {
  const digits = (index: number) => bcd(bytes.readUInt8(index));
  const year = digits(0);
  const ms = digits(6) * 10 + bcd(bytes.readUInt8(7) >> 4);
  return isoOf({
    year: year >= 90 ? 1900 + year : 2000 + year,
    month: digits(1),
    day: digits(2),
    hour: digits(3),
    minute: digits(4),
    second: digits(5),
    ms,
  });
}

const longDateAndTime = (bytes: Buffer): string | undefined =>
  isoOf({
    year: bytes.readUInt16BE(0),
    month: bytes.readUInt8(2),
    day: bytes.readUInt8(3),
    hour: bytes.readUInt8(5),
    minute: bytes.readUInt8(6),
    second: bytes.readUInt8(7),
    ms: Math.floor(bytes.readUInt32BE(8) / 1_000_000),
  });

const inUtc = (time: string | undefined): string | undefined => time && `${time}Z`;

/** Returns the characters up to the first zero, without trailing spaces. */
function charactersOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes
    .subarray(0, end < 0 ? bytes.length : end)
    .toString("latin1")
    .trimEnd();
}

/** Decodes a STRING, which has its max. and its current length before its characters. The controller may announce more characters than exist. */
const stringOf = (bytes: Buffer): string =>
  bytes.subarray(2, 2 + Math.min(bytes.readUInt8(1), bytes.length - 2)).toString("latin1");

type NumberType = Exclude<S7Type, "BOOL" | "CHAR" | "STRING" | "DT" | "DTZ" | "DTL" | "DTLZ">;

const readers: Readonly<Record<NumberType, (bytes: Buffer) => number | bigint>> = {
  BYTE: (bytes) => bytes.readUInt8(),
  SINT: (bytes) => bytes.readInt8(),
  USINT: (bytes) => bytes.readUInt8(),
  WORD: (bytes) => bytes.readUInt16BE(),
  INT: (bytes) => bytes.readInt16BE(),
  UINT: (bytes) => bytes.readUInt16BE(),
  DWORD: (bytes) => bytes.readUInt32BE(),
  DINT: (bytes) => bytes.readInt32BE(),
  UDINT: (bytes) => bytes.readUInt32BE(),
  TIME: (bytes) => bytes.readInt32BE(),
  LWORD: (bytes) => bytes.readBigUInt64BE(),
  LINT: (bytes) => bytes.readBigInt64BE(),
  ULINT: (bytes) => bytes.readBigUInt64BE(),
  REAL: (bytes) => shortestFloat(bytes.readFloatBE()),
  LREAL: (bytes) => bytes.readDoubleBE(),
};
const isNumberType = (type: S7Type): type is NumberType => Object.hasOwn(readers, type);
export const isScalable = isNumberType;

function decodeNumber(type: NumberType, bytes: Buffer, scaling: Scaling): S7Value | undefined {
  const raw = readers[type](bytes);
  if (isScaled(scaling)) {
    const value = scaled(Number(raw), scaling);
    return Number.isFinite(value) ? value : undefined;
  }
  if (typeof raw === "bigint") return exactInteger(String(raw));
  return Number.isFinite(raw) ? raw : undefined;
}

function decodeElement(address: S7Address, bytes: Buffer, scaling: Scaling): S7Value | undefined {
  const { type } = address;
  if (isNumberType(type)) return decodeNumber(type, bytes, scaling);
  switch (type) {
    case "BOOL":
      return ((bytes.readUInt8() >> address.bit) & 1) === 1;
    case "CHAR":
      return charactersOf(bytes);
    case "STRING":
      return stringOf(bytes);
    case "DT":
      return dateAndTime(bytes);
    case "DTZ":
      return inUtc(dateAndTime(bytes));
    case "DTL":
      return longDateAndTime(bytes);
    case "DTLZ":
      return inUtc(longDateAndTime(bytes));
  }
}

/** Returns whether the elements of an array are separate values. Characters are one text. */
export const isArray = ({ type, count }: S7Address): boolean => count > 1 && type !== "CHAR";

/** Decodes the values of an address; undefined for an invalid number or time. */
export function decodeS7(
  address: S7Address,
  bytes: Uint8Array,
  scaling: Scaling = {},
): (S7Value | undefined)[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isArray(address)) return [decodeElement(address, all, scaling)];
  return Array.from({ length: address.count }, (_, index) => {
    const element = elementOf(address, index);
    return decodeElement(element, all.subarray(element.byte - address.byte), scaling);
  });
}

/** Value that the address cannot contain. */
export class S7ValueError extends Error {
  constructor(readonly reason: Text) {
    super(reason.code);
  }
}

const integers: Partial<Record<S7Type, readonly [bytes: number, isSigned: boolean]>> = {
  BYTE: [1, false],
  SINT: [1, true],
  USINT: [1, false],
  WORD: [2, false],
  INT: [2, true],
  UINT: [2, false],
  DWORD: [4, false],
  DINT: [4, true],
  UDINT: [4, false],
  TIME: [4, true],
  LWORD: [8, false],
  LINT: [8, true],
  ULINT: [8, false],
};

function encodeInteger(type: S7Type, [size, isSigned]: readonly [number, boolean], raw: number): Buffer {
  const values = 2 ** (size * 8);
  const [min, max] = isSigned ? [-values / 2, values / 2 - 1] : [0, values - 1];
  if (!Number.isSafeInteger(raw) || raw < min || raw > max)
    throw new S7ValueError(detail("s7_rule.out_of_range", { value: raw, type }));
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt.asIntN(64, BigInt(raw)));
  return bytes.subarray(8 - size);
}

function encodeNumber(type: S7Type, value: unknown, scaling: Scaling): Buffer {
  if (typeof value !== "number" || !Number.isFinite(value))
    throw new S7ValueError(detail("s7_rule.no_number"));
  const raw = isScaled(scaling) ? unscaled(value, scaling) : value;
  const integer = integers[type];
  if (integer !== undefined) return encodeInteger(type, integer, isScaled(scaling) ? Math.round(raw) : raw);
  const bytes = Buffer.alloc(type === "REAL" ? 4 : 8);
  if (type === "LREAL") bytes.writeDoubleBE(raw);
  else if (Number.isFinite(Math.fround(raw))) bytes.writeFloatBE(raw);
  else throw new S7ValueError(detail("s7_rule.out_of_range", { value: raw, type }));
  return bytes;
}

function charactersFrom(value: unknown, max: number): Buffer {
  if (typeof value !== "string") throw new S7ValueError(detail("s7_rule.no_text"));
  const bytes = Buffer.from(value, "latin1");
  if (bytes.toString("latin1") !== value) throw new S7ValueError(detail("s7_rule.latin_text"));
  if (bytes.length > max) throw new S7ValueError(detail("s7_rule.text_long", { count: bytes.length, max }));
  return bytes;
}

/** Bytes to write, and their offset from the start of the address. */
export interface S7Writing {
  readonly skip: number;
  readonly bytes: Uint8Array;
}

/** Returns whether values of the type can be written. */
export const isWritableType = (type: S7Type): boolean => !type.startsWith("DT");

/**
 * Encodes a value of one element, or of a bit. A STRING keeps its max. length, which only the controller knows.
 * @throws S7ValueError for a value of another type or out of range
 */
export function encodeS7(address: S7Address, value: unknown, scaling: Scaling = {}): S7Writing | boolean {
  const { type, length, count } = address;
  if (type === "BOOL") {
    if (typeof value !== "boolean" && value !== 0 && value !== 1)
      throw new S7ValueError(detail("s7_rule.no_boolean"));
    return value === true || value === 1;
  }
  if (type === "CHAR") {
    const bytes = Buffer.alloc(count, " ");
    charactersFrom(value, count).copy(bytes);
    return { skip: 0, bytes };
  }
  if (type === "STRING") {
    const characters = charactersFrom(value, length);
    return { skip: 1, bytes: Buffer.concat([Buffer.of(characters.length), characters]) };
  }
  return { skip: 0, bytes: encodeNumber(type, value, scaling) };
}

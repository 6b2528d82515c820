/** Values that devices keep in their registers, as numbers, texts and booleans and back. */

import { detail } from "../core/domain-error.ts";
import { isScaled, type Scaling, scaled, shortestFloat, unscaled } from "../field/number-scaling.ts";
import { exactInteger } from "../json/exact-integer.ts";
import type { Text } from "../texts/text.ts";
import { type ByteOrder, isBitArea, type RegisterArea, type RegisterType, sizeOf } from "./modbus-lists.ts";

/** Value in one or more registers of a device. */
export interface RegisterSpec extends Scaling {
  readonly area: RegisterArea;
  /** Address of the first register, from 0. */
  readonly address: number;
  readonly type: RegisterType;
  /** `ABCD` by default. */
  readonly order?: ByteOrder;
  /** Number of registers of a STRING. */
  readonly length?: number;
  /** First bit of a bit field (0 is the least significant one), for unsigned types. */
  readonly bit?: number;
  /** Number of bits of the field, 1 by default. A single bit is a boolean. */
  readonly bits?: number;
  /** Raw value that means "no value". */
  readonly absent?: number;
}

export type RegisterValue = number | string | boolean;

/** Converts words to bytes with the most significant byte first, and back: each order is its own inverse. */
function ordered(words: readonly number[], order: ByteOrder): Buffer {
  const isSwapped = order === "BADC" || order === "DCBA";
  const sorted = order === "CDAB" || order === "DCBA" ? words.toReversed() : words;
  const bytes = Buffer.alloc(words.length * 2);
  for (const [index, word] of sorted.entries())
    if (isSwapped) bytes.writeUInt16LE(word, index * 2);
    else bytes.writeUInt16BE(word, index * 2);
  return bytes;
}

const wordsOf = (bytes: Buffer): number[] =>
  Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readUInt16BE(index * 2));

function bcdOf(bytes: Buffer): number {
  const digits = bytes.toString("hex");
  return /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
}

function decodeText(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes
    .subarray(0, end < 0 ? bytes.length : end)
    .toString("latin1")
    .trimEnd();
}

function rawOf(type: Exclude<RegisterType, "STRING" | "BOOL">, bytes: Buffer): number {
  switch (type) {
    case "INT16":
      return bytes.readInt16BE();
    case "UINT16":
      return bytes.readUInt16BE();
    case "INT32":
      return bytes.readInt32BE();
    case "UINT32":
      return bytes.readUInt32BE();
    case "INT64":
      return Number(bytes.readBigInt64BE());
    case "UINT64":
      return Number(bytes.readBigUInt64BE());
    case "FLOAT32":
      return shortestFloat(bytes.readFloatBE());
    case "FLOAT64":
      return bytes.readDoubleBE();
    case "BCD16":
    case "BCD32":
      return bcdOf(bytes);
  }
}

const integerRanges: Partial<Record<RegisterType, readonly [min: number, max: number]>> = {
  INT16: [-0x8000, 0x7fff],
  UINT16: [0, 0xffff],
  INT32: [-0x8000_0000, 0x7fff_ffff],
  UINT32: [0, 0xffff_ffff],
  INT64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  UINT64: [0, Number.MAX_SAFE_INTEGER],
  BCD16: [0, 9_999],
  BCD32: [0, 99_999_999],
};

const WORD_64 = 2 ** 64;

/**
 * Converts a marker for "no value" to the type: manuals print it in two's complement (0x8000) or unsigned. Returns undefined for a number out of
 * range.
 */
export function absentValueOf(type: RegisterType, absent: number): number | undefined {
  const range = integerRanges[type];
  if (range === undefined) return absent;
  const isDecimal = type === "BCD16" || type === "BCD32";
  const values = isDecimal ? range[1] + 1 : 2 ** (sizeOf({ type }) * 16);
  // As a double, 0xffffffffffffffff is 2^64.
  const isLast = absent === WORD_64 && values === WORD_64;
  const least = isDecimal ? 0 : -values / 2;
  if (!Number.isInteger(absent) || absent < least || (absent >= values && !isLast)) return undefined;
  if (!type.startsWith("INT")) return absent < 0 ? absent + values : absent;
  if (isLast) return -1;
  return absent >= values / 2 ? absent - values : absent;
}

function exactRaw(type: RegisterType, bytes: Buffer): number | string | undefined {
  if (type === "INT64") return exactInteger(String(bytes.readBigInt64BE()));
  return type === "UINT64" ? exactInteger(String(bytes.readBigUInt64BE())) : undefined;
}

const isMarker = ({ type, absent }: RegisterSpec, raw: number): boolean =>
  absent !== undefined && raw === absentValueOf(type, absent);

/** Returns whether the words are the marker for "no value". */
export function isAbsent(spec: RegisterSpec, words: readonly number[]): boolean {
  const { type, order = "ABCD", absent } = spec;
  if (absent === undefined || type === "BOOL" || type === "STRING") return false;
  return isMarker(spec, rawOf(type, ordered(words, order)));
}

/**
 * Decodes the words of a register, or one bit. Returns undefined for the marker of "no value", for NaN, and for invalid BCD digits. A 64-bit integer
 * that a double cannot hold becomes the text of its digits, unless it is scaled.
 */
export function decodeRegister(spec: RegisterSpec, words: readonly number[]): RegisterValue | undefined {
  const { type, order = "ABCD", bit, bits = 1, scale = 1, offset = 0 } = spec;
  if (type === "BOOL") return words[0] !== 0;
  const bytes = ordered(words, order);
  if (type === "STRING") return decodeText(bytes);
  const raw = rawOf(type, bytes);
  if (!Number.isFinite(raw) || isMarker(spec, raw)) return undefined;
  if (bit !== undefined) {
    const field = Math.floor(raw / 2 ** bit) % 2 ** bits;
    if (bits === 1) return field === 1;
    return field * scale + offset;
  }
  return isScaled(spec) ? scaled(raw, spec) : (exactRaw(type, bytes) ?? raw);
}

/** Value that the register cannot contain. */
export class RegisterValueError extends Error {
  constructor(readonly reason: Text) {
    super(reason.code);
  }
}

function encodeNumber(type: RegisterType, raw: number): Buffer {
  const range = integerRanges[type];
  if (range !== undefined && (!Number.isInteger(raw) || raw < range[0] || raw > range[1]))
    throw new RegisterValueError(detail("modbus_rule.out_of_range", { value: raw, type }));
  const bytes = Buffer.alloc(sizeOf({ type }) * 2);
  switch (type) {
    case "FLOAT32":
      bytes.writeFloatBE(raw);
      break;
    case "FLOAT64":
      bytes.writeDoubleBE(raw);
      break;
    case "BCD16":
    case "BCD32":
      bytes.write(String(raw).padStart(bytes.length * 2, "0"), "hex");
      break;
    case "INT64":
    case "UINT64":
      bytes.writeBigInt64BE(BigInt(raw));
      break;
    default:
      if (raw < 0) bytes.writeIntBE(raw, 0, bytes.length);
      else bytes.writeUIntBE(raw, 0, bytes.length);
  }
  return bytes;
}

function encodeText(value: string, length: number): Buffer {
  const bytes = Buffer.alloc(length * 2);
  if (Buffer.from(value, "latin1").length > bytes.length)
    throw new RegisterValueError(detail("modbus_rule.text_long", { count: value.length, registers: length }));
  bytes.write(value, "latin1");
  return bytes;
}

/**
 * Encodes a value as words, or one bit. Bit fields cannot be written, because their other bits would have to be known.
 * @throws RegisterValueError for a value of another type or out of range
 */
export function encodeRegister(spec: RegisterSpec, value: unknown): number[] {
  const { area, type, order = "ABCD", length = 1, bit } = spec;
  if (bit !== undefined) throw new RegisterValueError(detail("modbus_rule.bit_written"));
  if (type === "BOOL" || isBitArea(area)) {
    if (typeof value !== "boolean" && value !== 0 && value !== 1)
      throw new RegisterValueError(detail("modbus_rule.no_boolean"));
    return [Number(value)];
  }
  if (type === "STRING") {
    if (typeof value !== "string") throw new RegisterValueError(detail("modbus_rule.no_text"));
    return wordsOf(ordered(wordsOf(encodeText(value, length)), order));
  }
  if (typeof value !== "number" || !Number.isFinite(value))
    throw new RegisterValueError(detail("modbus_rule.no_number"));
  const stored = isScaled(spec) ? unscaled(value, spec) : value;
  const raw = type === "FLOAT32" || type === "FLOAT64" ? stored : Math.round(stored);
  return wordsOf(ordered(wordsOf(encodeNumber(type, raw)), order));
}

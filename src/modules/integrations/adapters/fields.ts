import { nonBlank } from "../../../lib/core/defined.ts";
import { isJsonObject } from "../../../lib/json/json.ts";

/*
 * Reads fields of untrusted bodies. Each function returns undefined for a missing field or a field of another type.
 */

export type Fields = Readonly<Record<string, unknown>>;

/** Returns a plain object. CBOR also has byte strings and dates, which are objects too. */
export const objectOf = (value: unknown): Fields | undefined =>
  isJsonObject(value) && !ArrayBuffer.isView(value) && !(value instanceof Date) ? value : undefined;

export const objectsOf = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.map(objectOf).filter((item) => item !== undefined) : [];

/** Returns whether a field has a value; null, "", 0, false, [] and {} count as empty. */
export const hasValue = (value: unknown): boolean =>
  typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);

/** Returns the first name whose field has a value; if all are empty, as in an uplink without payload, the first name that is present. */
export const markIn = (body: Fields, names: readonly string[]): string | undefined =>
  names.find((name) => hasValue(body[name])) ??
  names.find((name) => body[name] !== undefined && body[name] !== null);

/** Returns a number, also if it is written as a string: JSON of protocol buffers writes 64-bit integers that way. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === "bigint") return Number(value);
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Returns a device name; some devices have numbers as names. */
export const nameOf = (value: unknown): string | undefined =>
  typeof value === "number" || typeof value === "bigint" ? String(value) : nonBlank(value)?.trim();

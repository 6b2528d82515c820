import { invalid, tooLarge } from "../core/domain-error.ts";
import { exactInteger } from "./exact-integer.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { JSON_DEPTH_MAX } from "./json-depth.ts";

/** Max. values within the objects and lists of a message, excluding names. Each takes up to 0.5 µs to process. */
export const NESTED_VALUES_MAX = 100_000;

/** Counts the values within the objects and lists of a message, before they are processed. */
export class NestedValues {
  #count = 0;

  /** Counts the values within a value. @throws DomainError `body.too_many_items` */
  add(value: unknown): void {
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
    const open: object[] = [value];
    for (let container = open.pop(); container !== undefined; container = open.pop()) {
      const values: readonly unknown[] = Array.isArray(container) ? container : Object.values(container);
      this.#count += values.length;
      if (this.#count > NESTED_VALUES_MAX) throw tooLarge("body.too_many_items", { max: NESTED_VALUES_MAX });
      for (const inner of values)
        if (typeof inner === "object" && inner !== null && !ArrayBuffer.isView(inner)) open.push(inner);
    }
  }
}

/**
 * Converts a decoded JSON or CBOR value to plain JSON: integers of 64 bits become numbers, or the text of their digits if a double cannot hold them
 * exactly; dates become ISO 8601. `area` is the prefix of error codes.
 * @throws DomainError of kind `invalid`: too deep, not finite, or of no JSON type
 */
export function toPlainJson(
  value: unknown,
  area: "telemetry" | "attribute" | "command",
  depth = 0,
): JsonValue {
  if (depth > JSON_DEPTH_MAX) throw invalid(`${area}.too_deep`);
  if (value === null || value === undefined) return null;
  if (typeof value !== "object") return toPlainScalar(value, area);
  if (Array.isArray(value)) return value.map((item) => toPlainJson(item, area, depth + 1));
  if (value instanceof Date && Number.isFinite(value.getTime())) return value.toISOString();
  if (value instanceof Date || ArrayBuffer.isView(value) || Symbol.iterator in value)
    throw invalid(`${area}.value_type`);
  const object: JsonObject = {};
  // A key like `__proto__` is only a key.
  for (const [key, inner] of Object.entries(value))
    Object.defineProperty(object, key, {
      value: toPlainJson(inner, area, depth + 1),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  return object;
}

function toPlainScalar(
  value: unknown,
  area: "telemetry" | "attribute" | "command",
): number | boolean | string {
  if (typeof value === "string" || typeof value === "boolean") return value;
  const number = typeof value === "bigint" ? exactInteger(String(value)) : value;
  if (typeof number === "string") return number;
  if (typeof number !== "number") throw invalid(`${area}.value_invalid`);
  if (!Number.isFinite(number)) throw invalid(`${area}.value_not_finite`);
  return number;
}

import { exactJson } from "../json/exact-json.ts";
import type { JsonObject, JsonValue } from "../json/json.ts";

/** Kinds of the columns of a pattern, by the type of the value slot in a staged record. */
export const KIND_NUMBER = 0;
export const KIND_BOOLEAN = 1;
export const KIND_STRING = 2;
export const KIND_JSON = 3;

/** Tags of decoded values; 0 means that the row has no value of the key. */
export const TAG_ABSENT = 0;
export const TAG_NUMBER = 1;
export const TAG_FALSE = 2;
export const TAG_TRUE = 3;
export const TAG_STRING = 4;
export const TAG_JSON = 5;

/** Returns the kind of a value; -1 for unsupported types (null, undefined, bigint, functions). */
export function kindOf(value: unknown): number {
  switch (typeof value) {
    case "number":
      return KIND_NUMBER;
    case "boolean":
      return KIND_BOOLEAN;
    case "string":
      return KIND_STRING;
    case "object":
      return value === null ? -1 : KIND_JSON;
    default:
      return -1;
  }
}

/** Returns the stored text of a string (itself) or a JSON value. */
export const valueText = (value: string | JsonValue, kind: number): string =>
  kind === KIND_STRING && typeof value === "string" ? value : exactJson(value);

type TagValue = number | boolean | string | JsonObject | JsonValue[];

/** Decodes a value from its tag, number and text. */
export function decodeValue(tag: number, number: number, text: string | undefined): TagValue {
  if (tag === TAG_NUMBER) return number;
  if (tag === TAG_FALSE) return false;
  if (tag === TAG_TRUE) return true;
  return tag === TAG_STRING ? (text ?? "") : JSON.parse(text ?? "null");
}

/** Values of properties as numbers, texts and booleans, and back. */

import { detail } from "../core/domain-error.ts";
import type { JsonValue } from "../json/json.ts";
import type { Text } from "../texts/text.ts";
import { type BacnetRef, isBinary, objectText } from "./bacnet-objects.ts";
import { type BacnetData, encodeData, objectOf, TAG } from "./bacnet-pdu.ts";

export type BacnetValue = number | string | boolean;

/** Value that the property cannot have. */
export class BacnetValueError extends Error {
  constructor(readonly reason: Text) {
    super(reason.code);
  }
}

/** Returns the value of a property; undefined for none, for NaN and for lists, because only their elements are values. */
export function bacnetValueOf(ref: BacnetRef, data: readonly BacnetData[]): BacnetValue | undefined {
  const [first] = data;
  if (first?.value === undefined || data.length !== 1) return undefined;
  const { tag, value } = first;
  if (isBinary(ref) && tag === TAG.enumerated) return value === 1;
  return tag === TAG.object && typeof value === "number" ? objectText(objectOf(value)) : value;
}

const UNSIGNED_MAX = 0xffff_ffff;
const REAL_MAX = 3.402_823_466_385_288_6e38;
const TEXT_CHARACTERS_MAX = 500;

/** Min. and max. number by kind. */
const ranges: Readonly<Record<number, readonly [min: number, max: number]>> = {
  [TAG.unsigned]: [0, UNSIGNED_MAX],
  [TAG.enumerated]: [0, UNSIGNED_MAX],
  [TAG.signed]: [-0x8000_0000, 0x7fff_ffff],
  [TAG.real]: [-REAL_MAX, REAL_MAX],
  [TAG.double]: [-Number.MAX_VALUE, Number.MAX_VALUE],
};

function encodeText(value: JsonValue): Buffer {
  if (typeof value !== "string") throw new BacnetValueError(detail("bacnet_rule.no_text"));
  if (value.length > TEXT_CHARACTERS_MAX)
    throw new BacnetValueError(detail("bacnet_rule.text_long", { max: TEXT_CHARACTERS_MAX }));
  return encodeData({ tag: TAG.text, value });
}

function encodeNumber(tag: number, value: JsonValue): Buffer {
  const range = ranges[tag];
  if (range === undefined) throw new BacnetValueError(detail("bacnet_rule.read_only"));
  if (typeof value !== "number") throw new BacnetValueError(detail("bacnet_rule.no_number"));
  const isWhole = tag !== TAG.real && tag !== TAG.double;
  if (value < range[0] || value > range[1] || (isWhole && !Number.isInteger(value)))
    throw new BacnetValueError(detail("bacnet_rule.out_of_range", { value }));
  return encodeData({ tag, value });
}

/** Returns the bytes of a value in the property's current data type; null releases the property. @throws BacnetValueError */
export function encodeBacnet(ref: BacnetRef, tag: number, value: JsonValue): Buffer {
  if (value === null) return encodeData({ tag, value });
  if (tag === TAG.text) return encodeText(value);
  if (tag !== TAG.boolean && !isBinary(ref)) return encodeNumber(tag, value);
  if (typeof value !== "boolean") throw new BacnetValueError(detail("bacnet_rule.no_boolean"));
  return encodeData({ tag, value: tag === TAG.boolean ? value : Number(value) });
}

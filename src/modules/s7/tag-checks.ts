import { detail } from "../../lib/core/domain-error.ts";
import { parseS7Address, type S7Address } from "../../lib/s7/s7-address.ts";
import { isArray, isScalable, isWritableType } from "../../lib/s7/s7-values.ts";
import type { Text } from "../../lib/texts/text.ts";
import { s7AddressInvalid, s7Errors, s7TagInvalid } from "./s7.errors.ts";
import type { S7Tag } from "./s7.types.ts";

export const TAGS_MAX = 500;
/** Max. telemetry keys of a unit; an array has one per element. */
const KEYS_MAX = 2_000;

/** @throws DomainError `invalid` */
export function addressOf({ address }: Pick<S7Tag, "address">): S7Address {
  const parsed = parseS7Address(address);
  if (parsed === undefined) throw s7AddressInvalid();
  return parsed;
}

/** Returns the telemetry keys of a tag; keys of array elements end in their index. */
export function keysOf(tag: S7Tag): string[] {
  const { key } = tag;
  const address = addressOf(tag);
  return isArray(address) ? Array.from({ length: address.count }, (_, index) => `${key}_${index}`) : [key];
}

export function tagProblem(tag: S7Tag): Text | undefined {
  const { address: text, scale, offset, writable } = tag;
  const address = parseS7Address(text);
  if (address === undefined) return detail("s7_rule.address");
  const { area, type } = address;
  if (scale === 0) return detail("s7_rule.scale_zero");
  if ((scale !== undefined || offset !== undefined) && !isScalable(type))
    return detail("s7_rule.scale_type", { type });
  if (writable !== true) return undefined;
  if (area === "I" || area === "PI") return detail("s7_rule.area_read_only", { area });
  return isWritableType(type) ? undefined : detail("s7_rule.type_read_only", { type });
}

/** @throws DomainError `invalid` for an invalid tag or a duplicate key */
export function ensureTags(tags: readonly S7Tag[]): void {
  const keys = new Set<string>();
  for (const tag of tags) {
    const problem = tagProblem(tag);
    if (problem !== undefined) throw s7TagInvalid(tag.key, problem);
    for (const key of keysOf(tag)) {
      if (keys.has(key)) throw s7TagInvalid(key, s7Errors.keyTwice());
      keys.add(key);
    }
    if (keys.size > KEYS_MAX) throw s7TagInvalid(tag.key, detail("s7_rule.keys", { max: KEYS_MAX }));
  }
}

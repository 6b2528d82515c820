import { detail } from "../../lib/core/domain-error.ts";
import { isNodeId } from "../../lib/opcua/opcua-node-id.ts";
import type { Text } from "../../lib/texts/text.ts";
import { opcuaErrors, opcuaItemInvalid } from "./opcua.errors.ts";
import type { OpcUaItem } from "./opcua.types.ts";

export const ITEMS_MAX = 2_000;
export const ELEMENTS_MAX = 1_000;
/** Max. telemetry keys of a unit; an array has one per element. */
const KEYS_MAX = 2_000;

/** Returns the telemetry keys of an item; keys of array elements end in their index. */
export const keysOf = ({ key, length, fields }: OpcUaItem): string[] =>
  fields !== undefined
    ? fields.map((field) => `${key}_${field}`)
    : length === undefined
      ? [key]
      : Array.from({ length }, (_, index) => `${key}_${index}`);

export function itemProblem({ address, method, length, fields, writable }: OpcUaItem): Text | undefined {
  if (!isNodeId(address) || !isNodeId(method ?? address)) return detail("opcua_rule.node");
  return (length !== undefined || fields !== undefined) && writable === true
    ? detail("opcua_rule.array_read_only")
    : undefined;
}

/** @throws DomainError `invalid` for an invalid item or a duplicate key */
export function ensureItems(items: readonly OpcUaItem[]): void {
  const keys = new Set<string>();
  for (const item of items) {
    const problem = itemProblem(item);
    if (problem !== undefined) throw opcuaItemInvalid(item.key, problem);
    for (const key of keysOf(item)) {
      if (keys.has(key)) throw opcuaItemInvalid(key, opcuaErrors.keyTwice());
      keys.add(key);
    }
    if (keys.size > KEYS_MAX) throw opcuaItemInvalid(item.key, detail("opcua_rule.keys", { max: KEYS_MAX }));
  }
}

import { detail } from "../../../lib/core/domain-error.ts";
import type { Device } from "../../devices/devices.types.ts";
import { SCOPE_LISTS_MAX } from "../../profiles/alarm-rule.schemas.ts";
import { only, text, wrong } from "./rule-fields.ts";

type ScopeList = keyof typeof SCOPE_LISTS_MAX;

/** Devices of its profile that a rule watches: those with one of the ids, types or tags. */
export type RuleScope = { readonly [List in ScopeList]: readonly string[] };

const listNames = Object.keys(SCOPE_LISTS_MAX) as ScopeList[];

function compileList(input: unknown, name: ScopeList, where: string): readonly string[] {
  if (input === undefined) return [];
  const { items, length } = SCOPE_LISTS_MAX[name];
  if (!Array.isArray(input) || input.length > items)
    throw wrong(where, detail("rule.at_most", { max: items }));
  return input.map((entry, index) => text(entry, `${where}[${index}]`, length));
}

/** @throws DomainError `invalid` for an empty scope, with which the rule would watch no device */
export function compileScope(input: unknown, where: string): RuleScope | undefined {
  if (input === undefined) return undefined;
  const node = only(input, where, listNames);
  const list = (name: ScopeList) => compileList(node[name], name, `${where}.${name}`);
  const scope = { deviceIds: list("deviceIds"), deviceTypes: list("deviceTypes"), tags: list("tags") };
  if (listNames.every((name) => scope[name].length === 0)) throw wrong(where, detail("rule.scope_empty"));
  return scope;
}

/** Returns whether the rule watches a device of its profile. */
export const isWatched = (
  scope: RuleScope | undefined,
  { deviceId, deviceType, tags }: Pick<Device, "deviceId" | "deviceType" | "tags">,
): boolean =>
  scope === undefined ||
  scope.deviceIds.includes(deviceId) ||
  scope.deviceTypes.includes(deviceType) ||
  scope.tags.some((tag) => tags.includes(tag));

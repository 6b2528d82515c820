import { type KeyState, UNIT_CHARACTERS_MAX } from "../../../lib/keys/key-metadata.ts";
import type { Meaning } from "../field/entry-meanings.ts";
import type { OpcUaItem, OpcUaVariable } from "./opcua-api.ts";

/** Selected variable or method, with the name of its parent node. */
export interface Selected {
  readonly nodeId: string;
  /** Object of a method. */
  readonly object?: string;
  readonly name: string;
  readonly parent: string;
}

const KEY_CHARACTERS_MAX = 256;
/** Units with a symbol other than their UCUM code. */
const UCUM: Readonly<Record<string, string>> = { "°C": "Cel", "°F": "[degF]", "°": "deg" };

/** Returns unit and range, or the state names of a variable; undefined if it has none. */
export function meaningOf({
  unit,
  min = 0,
  max = 0,
  states = {},
}: Pick<OpcUaVariable, "unit" | "min" | "max" | "states">): Meaning | undefined {
  const named = Object.entries(states).map(([value, name]): KeyState => ({ value: Number(value), name }));
  const shown = named.filter(({ name }) => name !== "");
  if (shown.length > 0) return { kind: "state", states: shown };
  const range = min < max && { min, max };
  if (unit === undefined) return range || undefined;
  return { unit: (UCUM[unit] ?? unit).slice(0, UNIT_CHARACTERS_MAX), ...range };
}

/** Returns the items of selected variables. Their keys are their names, preceded by the name of the parent node if several have the same name. */
export function itemsOf(selected: readonly Selected[], variables: readonly OpcUaVariable[]): OpcUaItem[] {
  const described = new Map(variables.map((variable) => [variable.nodeId, variable]));
  const byName = Map.groupBy(selected, ({ name }) => name);
  const used = new Set<string>();
  return selected.map(({ nodeId, name, parent, object }) => {
    const isOnly = (byName.get(name)?.length ?? 0) < 2;
    const candidates = [isOnly ? name : `${parent}.${name}`, nodeId].map((key) =>
      key.slice(0, KEY_CHARACTERS_MAX),
    );
    const key = candidates.find((candidate) => candidate !== "" && !used.has(candidate)) ?? nodeId;
    used.add(key);
    if (object !== undefined) return { key, address: object, method: nodeId, writable: true };
    const { length, fields } = described.get(nodeId) ?? {};
    return {
      key,
      address: nodeId,
      ...(length !== undefined && length > 0 && { length }),
      ...(fields && { fields }),
    };
  });
}

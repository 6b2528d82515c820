import type { KeyState } from "../../../lib/keys/key-metadata.ts";
import { type Meaning, rememberMeaning } from "../field/entry-meanings.ts";
import type { BrowsedPart } from "./bacnet-api.ts";

type Browsed = BrowsedPart["objects"][number];

const stateOf = (name: string, value: number | boolean): KeyState[] => (name === "" ? [] : [{ value, name }]);

/** Returns the unit or the state names of an object; undefined if it has none. */
export function meaningOf({ value, unit, states }: Browsed): Meaning | undefined {
  const isBinary = typeof value === "boolean";
  const named = states.flatMap((name, index) => stateOf(name, isBinary ? index === 1 : index + 1));
  if (named.length > 0) return { kind: "state", states: named };
  return unit === null ? undefined : { unit };
}

export function rememberMeanings(objects: readonly Browsed[]): void {
  for (const object of objects) rememberMeaning(object.address, meaningOf(object));
}

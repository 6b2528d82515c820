// The most informative values of a device, for places with room for a few.
import type { KeyMetadata, KeyMetadataMap } from "../../lib/keys/key-metadata.ts";

type MetadataOf = (key: string) => KeyMetadata | undefined;
type Values = Readonly<Record<string, unknown>>;

/** Order of keys: values with limits, then measurements, then others. A counter only increases and is the least informative. */
function rank(metadata: KeyMetadata | undefined): number {
  if (metadata?.limits !== undefined) return 0;
  if (metadata?.kind === "gauge") return 1;
  return metadata?.kind === "counter" ? 3 : 2;
}

/** Returns the keys in the order in which they are shown: the most informative first, equal ones as `listed`, then by name. */
export function sortedKeys(
  keys: readonly string[],
  metadataOf: MetadataOf,
  listed: readonly string[] = [],
): string[] {
  const places = new Map(listed.map((key, index) => [key, index]));
  const placeOf = (key: string) => places.get(key) ?? listed.length;
  return keys.toSorted(
    (a, b) => rank(metadataOf(a)) - rank(metadataOf(b)) || placeOf(a) - placeOf(b) || a.localeCompare(b),
  );
}

/** Returns at most `count` keys whose values are numbers. */
export const numericKeys = (values: Values, metadataOf: MetadataOf, count: number): string[] =>
  sortedKeys(
    Object.keys(values).filter((key) => typeof values[key] === "number"),
    metadataOf,
  ).slice(0, count);

/** Returns at most `count` keys with short values: numbers, and states that have names. States come first. */
export function mainKeys(values: Values, metadataOf: MetadataOf, count: number): string[] {
  const states = Object.keys(values).filter((key) => metadataOf(key)?.kind === "state");
  const numbers = numericKeys(values, metadataOf, count).filter((key) => !states.includes(key));
  return [...states, ...numbers].slice(0, count);
}

/** Keys shown together: a group that users named, or one kind. */
export interface KeyGroup {
  readonly name?: string;
  readonly kind?: "measured" | "states" | "counters" | "others";
  readonly keys: readonly string[];
}

/** Number of keys up to which headings are not needed. */
export const PLAIN_KEYS_MAX = 9;

function kindOf(value: unknown, metadata: KeyMetadata | undefined): NonNullable<KeyGroup["kind"]> {
  if (metadata?.kind === "counter") return "counters";
  if (metadata?.kind === "state" || metadata?.states !== undefined || typeof value === "boolean")
    return "states";
  return typeof value === "number" && metadata?.kind !== "text" ? "measured" : "others";
}

/** Returns all keys in groups, each in the order of `sortedKeys`: named groups in the profile's order, then the others. */
export function groupedKeys(values: Values, metadata: KeyMetadataMap | undefined): KeyGroup[] {
  const metadataOf = (key: string) => metadata?.get(key);
  const listed = [...(metadata?.keys() ?? [])];
  const keys = sortedKeys(Object.keys(values), metadataOf, listed);
  const names = new Set(
    listed.flatMap((key) => (Object.hasOwn(values, key) ? (metadataOf(key)?.group ?? []) : [])),
  );
  const named = [...names].map(
    (name): KeyGroup => ({ name, keys: keys.filter((key) => metadataOf(key)?.group === name) }),
  );
  const others = keys.filter((key) => metadataOf(key)?.group === undefined);
  if (others.length === 0) return named;
  if (named.length > 0) return [...named, { kind: "others", keys: others }];
  const kinds = (["measured", "states", "counters", "others"] as const).flatMap((kind): KeyGroup[] => {
    const ofKind = keys.filter((key) => kindOf(values[key], metadataOf(key)) === kind);
    return ofKind.length === 0 ? [] : [{ kind, keys: ofKind }];
  });
  return keys.length <= PLAIN_KEYS_MAX || kinds.length === 1 ? [{ keys }] : kinds;
}

// Which of a device's values say the most about it, where there is room for a few.
import type { KeyMetadata } from "../../lib/key-metadata.ts";

type MetadataOf = (key: string) => KeyMetadata | undefined;
type Values = Readonly<Record<string, unknown>>;

/** Sorted first: values with limits, then measured ones, then others; a counter only rises and says the least. */
function rank(metadata: KeyMetadata | undefined): number {
  if (metadata?.limits !== undefined) return 0;
  if (metadata?.kind === "gauge") return 1;
  return metadata?.kind === "counter" ? 3 : 2;
}

/** Returns the keys in the order in which they are shown: the ones that say the most first, equal ones by name. */
export const sortedKeys = (keys: readonly string[], metadataOf: MetadataOf): string[] =>
  keys.toSorted((a, b) => rank(metadataOf(a)) - rank(metadataOf(b)) || a.localeCompare(b));

/** Returns at most `count` keys whose values are numbers. */
export const numericKeys = (values: Values, metadataOf: MetadataOf, count: number): string[] =>
  sortedKeys(
    Object.keys(values).filter((key) => typeof values[key] === "number"),
    metadataOf,
  ).slice(0, count);

/** Returns at most `count` keys whose values are short: numbers, and states that have names. The states come first. */
export function mainKeys(values: Values, metadataOf: MetadataOf, count: number): string[] {
  const states = Object.keys(values).filter((key) => metadataOf(key)?.kind === "state");
  const numbers = numericKeys(values, metadataOf, count).filter((key) => !states.includes(key));
  return [...states, ...numbers].slice(0, count);
}

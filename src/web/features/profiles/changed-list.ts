import type { KeyMetadata } from "../../../lib/keys/key-metadata.ts";

/** Returns the list with changed entries replaced by key, and without a removed one. */
export function changedList(
  entries: readonly KeyMetadata[],
  changed: readonly KeyMetadata[],
  removed?: string,
): KeyMetadata[] {
  const byKey = new Map([...entries, ...changed].map((entry) => [entry.key, entry]));
  if (removed !== undefined) byKey.delete(removed);
  return [...byKey.values()];
}

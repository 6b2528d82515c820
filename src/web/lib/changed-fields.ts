/** Lists count as sets: the order of ids does not matter. */
const comparable = (value: unknown): string =>
  JSON.stringify(Array.isArray(value) ? [...new Set(value)].sort() : value);

/** Returns only the changed fields, so that changes that others made meanwhile are kept. */
export function changedFields<Fields extends object>(input: Fields, current: object): Partial<Fields> {
  const existing = new Map<string, unknown>(Object.entries(current));
  const changed = Object.entries(input).filter(
    ([name, value]) => comparable(value) !== comparable(existing.get(name)),
  );
  return Object.fromEntries(changed) as Partial<Fields>; // some of its own entries
}

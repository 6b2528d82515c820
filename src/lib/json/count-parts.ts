/** Numbers of parts by list or object, while it is in use. */
const counted = new WeakMap<object, number>();

/** Returns the number of values in JSON, at any depth; an empty list or object is one. */
export function countParts(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  let parts = 0;
  for (const name in value) parts += countParts((value as Record<string, unknown>)[name]);
  return Math.max(parts, 1);
}

/** Works like `countParts`, and counts each object once. */
export function partsOf(value: object): number {
  const parts = counted.get(value) ?? countParts(value);
  counted.set(value, parts);
  return parts;
}

/** Omits fields from each member of a union. */
type Without<Fields, Name extends PropertyKey> = Fields extends unknown ? Omit<Fields, Name> : never;

/** Returns a copy without the named fields. */
export function omit<Fields extends object, Name extends keyof Fields>(
  fields: Fields,
  ...names: readonly Name[]
): Without<Fields, Name> {
  const left = Object.entries(fields).filter(([name]) => !(names as readonly string[]).includes(name));
  return Object.fromEntries(left) as Without<Fields, Name>; // what is left
}

type Defined<Fields> = { [K in keyof Fields]?: Exclude<Fields[K], undefined> };

/** The fields that are present: a partial update must not overwrite with undefined. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Fields>; // same keys, fewer
}

/** The object without its null fields: JSON answers leave out what is not set. */
export function withoutNulls<Fields extends object>(
  fields: Fields,
): { [K in keyof Fields]?: Exclude<Fields[K], null> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    [K in keyof Fields]?: Exclude<Fields[K], null>; // same keys, fewer
  };
}

type Defined<Fields> = { [K in keyof Fields]?: Exclude<Fields[K], undefined> };

/** The fields that are present: a partial update must not overwrite with undefined. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Fields>; // same keys, fewer
}

/** Fields that can be null are optional instead; the others stay as they are. */
type WithoutNulls<Fields> = { [K in keyof Fields as null extends Fields[K] ? never : K]: Fields[K] } & {
  [K in keyof Fields as null extends Fields[K] ? K : never]?: Exclude<Fields[K], null>;
};

/** The object without its null fields: JSON answers leave out what is not set. */
export function withoutNulls<Fields extends object>(fields: Fields): WithoutNulls<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null),
  ) as WithoutNulls<Fields>; // same keys, fewer
}

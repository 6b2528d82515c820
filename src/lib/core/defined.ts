type Defined<Fields> = { [K in keyof Fields]?: Exclude<Fields[K], undefined> };

/** Returns the fields that are not undefined, because a partial update must not overwrite with undefined. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Fields>; // same keys, fewer
}

/** Makes nullable fields optional instead. */
type WithoutNulls<Fields> = { [K in keyof Fields as null extends Fields[K] ? never : K]: Fields[K] } & {
  [K in keyof Fields as null extends Fields[K] ? K : never]?: Exclude<Fields[K], null>;
};

/** Returns the object without null fields, because JSON responses omit unset fields. */
export function withoutNulls<Fields extends object>(fields: Fields): WithoutNulls<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null),
  ) as WithoutNulls<Fields>; // same keys, fewer
}

/** Returns a string with characters other than white space; undefined for other values. */
export const nonBlank = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

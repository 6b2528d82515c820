import type { Static, TSchema } from "@sinclair/typebox";

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** The same type, read-only. What the server accepts unchecked is any JSON value. */
type ReadOnly<Value> = 0 extends 1 & Value
  ? JsonValue
  : Value extends readonly (infer Item)[]
    ? readonly ReadOnly<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: ReadOnly<Value[Key]> }
      : Value;

/** The value that a schema of the server describes, as the console sends or receives it. */
export type Wire<Schema extends TSchema> = ReadOnly<Static<Schema>>;

/** `Base` with some fields described more exactly than the server's schema does. */
export type Refined<Base, Fields> = Omit<Base, keyof Fields> & Readonly<Fields>;

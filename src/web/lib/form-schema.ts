/**
 * Controls and limits of the fields of a request, derived from the API's schemas when the console is built (`form-schema.macro.ts`), so
 * each limit is defined in one place.
 */

export interface FieldSchema {
  readonly kind: "text" | "number" | "boolean" | "choice" | "set" | "list" | "object" | "json";
  readonly isRequired?: true;
  /** Null is a valid value that means "not set". */
  readonly isNullable?: true;
  /** Never shown again; `{ kept: true }` stands for the stored secret. */
  readonly isSecret?: true;
  readonly default?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** A number without decimals. */
  readonly isWhole?: true;
  /** Values of a choice or a set; a set may have several selected. */
  readonly options?: ReadonlyArray<string | number>;
  readonly object?: ObjectSchema;
}

type Fields = Readonly<Record<string, FieldSchema>>;

export interface ObjectSchema {
  readonly fields: Fields;
  /** Additional fields for a union of objects, by the value of the field `by`. */
  readonly variants?: { readonly by: string; readonly of: Readonly<Record<string, Fields>> };
}

export type FormValues = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is FormValues =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the value at a path of names joined by dots. */
export const valueAt = (values: FormValues, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), values);

/** Returns a copy with the value at a path; `undefined` leaves the field out. */
export function withValue(values: FormValues, path: string, value: unknown): FormValues {
  const [name = "", ...rest] = path.split(".");
  const before = values[name];
  const inner = rest.length === 0 ? value : withValue(isObject(before) ? before : {}, rest.join("."), value);
  return Object.fromEntries(
    [...Object.entries(values).filter(([other]) => other !== name), [name, inner] as const].filter(
      ([, item]) => item !== undefined,
    ),
  );
}

/** Returns the fields of an object with these values. */
export function fieldsOf({ fields, variants }: ObjectSchema, values: FormValues): Fields {
  const selected = variants && String(values[variants.by]);
  const isVariant = selected !== undefined && Object.hasOwn(variants?.of ?? {}, selected);
  return { ...fields, ...(isVariant && variants?.of[selected]) };
}

/** Returns the field at a path; `undefined` if the selected variant has no such field. */
export function fieldAt(schema: ObjectSchema, path: string, values: FormValues): FieldSchema | undefined {
  const [name = "", ...rest] = path.split(".");
  const field = fieldsOf(schema, values)[name];
  if (rest.length === 0 || field?.object === undefined) return rest.length === 0 ? field : undefined;
  const inner = values[name];
  return fieldAt(field.object, rest.join("."), isObject(inner) ? inner : {});
}

const linesOf = (items: readonly unknown[]) =>
  items.map((item) => String(item).trim()).filter((item) => item !== "");

/** Returns the value to send for a field; `undefined` if it was left empty. */
function sentValue(field: FieldSchema, value: unknown): unknown {
  if (value === null) return field.isNullable ? null : undefined;
  if (field.object !== undefined && isObject(value)) return bodyOf(field.object, value);
  if (Array.isArray(value)) return field.kind === "list" ? linesOf(value) : value;
  const entered = typeof value === "string" && field.isSecret !== true ? value.trim() : value;
  if (entered !== "") return entered;
  if (field.isNullable) return null;
  return field.kind === "text" && (field.minLength ?? 0) === 0 ? "" : undefined;
}

/** Returns the values in the API's format: without fields of other variants and without empty fields. */
export function bodyOf(schema: ObjectSchema, values: FormValues): FormValues {
  const entries = Object.entries(fieldsOf(schema, values));
  return Object.fromEntries(
    entries
      .map(([name, field]) => [name, sentValue(field, values[name])] as const)
      .filter(([, value]) => value !== undefined),
  );
}

/** Leaves out placeholders of stored secrets, for an API that keeps a secret that is absent. */
export const withoutKept = (values: FormValues): FormValues =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => !(isObject(value) && value.kept === true))
      .map(([name, value]) => [name, isObject(value) ? withoutKept(value) : value]),
  );

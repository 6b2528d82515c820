/**
 * Schemas of the OpenAPI document for values that a service validates itself. The route accepts any value, so that the service can name the invalid
 * part; the document shows the schema.
 */
import { type SchemaOptions, type Static, type TSchema, Type } from "@sinclair/typebox";

/** Returns an integer with thousands separators for a description. `Intl` would load locale data at each start. */
export const withCommas = (number: number): string =>
  number < 1_000
    ? String(number)
    : `${withCommas(Math.floor(number / 1_000))},${String(number % 1_000).padStart(3, "0")}`;

/** Keyword whose value replaces the schema in the document. */
export const DOCUMENTED_AS = "x-schema";

/** Accepts any value and is documented as `schema`, with the description in `options`. */
export const documentedAs = (schema: TSchema, options: SchemaOptions = {}) =>
  Type.Any({ ...options, [DOCUMENTED_AS]: schema });

/** Refers to a component by its title. The component must be used in full elsewhere. */
export const componentRef = (title: string): TSchema =>
  Type.Unsafe({ $ref: `#/components/schemas/${title}` });

/** Object of any names, each with a value that fits `schema`. */
export const mapOf = <Schema extends TSchema>(schema: Schema, options: SchemaOptions = {}) =>
  Type.Unsafe<Record<string, Static<Schema>>>({ type: "object", ...options, additionalProperties: schema });

/** Schema of one of these strings. */
export const enumOf = <const Values extends readonly string[]>(values: Values, options: SchemaOptions = {}) =>
  Type.Unsafe<Values[number]>({ type: "string", ...options, enum: values });

/** Returns a union of titled members that differ in the constant of their required property `propertyName`. */
export function discriminatedUnion(
  members: Readonly<Record<string, TSchema>>,
  propertyName: string,
  options: SchemaOptions,
): TSchema {
  const mapping = Object.fromEntries(
    Object.entries(members).map(([value, { title }]) => [value, `#/components/schemas/${title}`]),
  );
  return Type.Unsafe({
    ...options,
    oneOf: Object.values(members),
    discriminator: { propertyName, mapping },
  });
}

/** Converts `rename_keys` to `RenameKeys` and `alarmList` to `AlarmList`. */
export const toPascalCase = (name: string): string =>
  name.replaceAll(/(?:^|[_-])([a-z])/g, (_, letter: string) => letter.toUpperCase());

import { OptionalKind, TransformKind, type TSchema } from "@sinclair/typebox";

/** Formats of texts that Elysia accepts instead of a number or a boolean. */
const COERCED_FORMATS: ReadonlySet<unknown> = new Set(["integer", "numeric", "boolean"]);
/** Keywords whose value is a schema or a list of schemas, and keywords whose value is an object of schemas. */
const SCHEMA_KEYWORDS = ["anyOf", "allOf", "oneOf", "items", "not", "additionalProperties"];
const SCHEMA_MAP_KEYWORDS = ["properties", "patternProperties"];

/** Keywords of JSON Schema and TypeBox that are used here. */
interface Schema {
  type?: unknown;
  format?: unknown;
  anyOf?: unknown;
  additionalProperties?: unknown;
  [keyword: string | symbol]: unknown;
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
const isCoercedText = (schema: Schema): boolean =>
  schema.type === "string" && COERCED_FORMATS.has(schema.format);

/** Returns the only member of a union besides its text form; undefined for other schemas. */
function coercedMember({ anyOf }: Schema): Schema | undefined {
  if (!Array.isArray(anyOf) || !anyOf.some(isCoercedText)) return undefined;
  const others: unknown[] = anyOf.filter((member) => !isCoercedText(member));
  return others.length === 1 && isSchema(others[0]) ? others[0] : undefined;
}

function convertAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convertAll);
  return isSchema(value) ? convert(value) : value;
}

function convert(schema: Schema): Schema {
  const member = coercedMember(schema);
  if (member !== undefined) {
    const { anyOf: _, default: __, [TransformKind]: ___, ...annotations } = schema;
    const optional = OptionalKind in schema ? { [OptionalKind]: schema[OptionalKind] } : {};
    return { ...Object.fromEntries(Object.entries(annotations)), ...convert(member), ...optional };
  }
  const copy: Schema = { ...schema };
  delete copy[TransformKind];
  if (copy.additionalProperties === false) delete copy.additionalProperties;
  for (const keyword of SCHEMA_KEYWORDS) if (keyword in copy) copy[keyword] = convertAll(copy[keyword]);
  for (const keyword of SCHEMA_MAP_KEYWORDS) {
    const map = copy[keyword];
    if (isSchema(map))
      copy[keyword] = Object.fromEntries(
        Object.entries(map).map(([name, inner]) => [name, convertAll(inner)]),
      );
  }
  return copy;
}

/**
 * Returns the schema for checking and documenting JSON. `t.Integer`, `t.Numeric` and `t.BooleanString` of Elysia also accept texts, which only
 * queries need. Unknown fields are removed before anything reads them, so they are not forbidden.
 */
export const jsonSchema = (schema: TSchema): TSchema =>
  convert(schema as object as Schema) as object as TSchema; // made of the same keywords

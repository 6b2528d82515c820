import { Kind, type TObject, type TSchema, type TUnion, Type } from "@sinclair/typebox";
import { targetSchemas } from "./targets/targets.schemas.ts";
import { SECRET_NAMES } from "./uplink-secrets.ts";

const isObject = (schema: TSchema): schema is TObject => schema[Kind] === "Object";

/** Returns the schema of a submitted secret: the string, or the marker for a stored one. */
const secretOf = (schema: TSchema): TSchema =>
  Type.Union([schema, Type.Object({ kept: Type.Literal(true) }), Type.Null()]);

/** Returns the schema of submitted settings: fields with a default are optional, and secrets may be kept. */
function inputOf(schema: TSchema): TSchema {
  if (schema[Kind] === "Union") {
    const union = schema as TUnion; // what the kind says
    const { title, description, default: value } = schema;
    return Type.Union(union.anyOf.map(inputOf), {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(value !== undefined && { default: value }),
    });
  }
  if (!isObject(schema)) return schema;
  const fields = Object.entries(schema.properties).map(([name, field]): [string, TSchema] => {
    const input = SECRET_NAMES.has(name) ? secretOf(field) : inputOf(field);
    const isRequired = schema.required?.includes(name) === true && field.default === undefined;
    return [name, isRequired ? input : Type.Optional(input)];
  });
  const { title, additionalProperties } = schema;
  return Type.Object(Object.fromEntries(fields), {
    title: `${title ?? "Uplink"}Input`,
    ...(additionalProperties !== undefined && { additionalProperties }),
  });
}

/** Submitted settings of a target. */
export const targetInput = Type.Union(Object.values(targetSchemas).map(inputOf));

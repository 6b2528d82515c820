import type { TSchema } from "@sinclair/typebox";
import { isJsonObject } from "../lib/json/json.ts";
import { DOCUMENTED_AS } from "../modules/api/documented-as.ts";

/*
 * Names of fields that a body has and its schema does not. The framework drops such fields, so a misspelled field would return success and
 * change nothing.
 */

type Schema = Readonly<Record<string, unknown>>;
type Schemas = readonly Schema[];

/** Possible schemas of a value: those of the request, and those of the response, because clients send objects back as they read them. */
interface Described {
  readonly sent: Schemas;
  readonly read: Schemas;
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
const schemasIn = (value: unknown): Schemas => (Array.isArray(value) ? value.filter(isSchema) : []);

/** Returns a schema, or the members of a union. */
function membersOf(schema: Schema): Schemas {
  const members = [schema.anyOf, schema.oneOf, schema.allOf].flatMap(schemasIn);
  return members.length === 0 ? [schema] : members.flatMap(membersOf);
}

const propertiesOf = ({ properties }: Schema): Schema | undefined =>
  isSchema(properties) ? properties : undefined;

/** Returns whether no constant of the schema contradicts the object, so that fields of other members of a union do not count. */
const mayDescribe = (object: Schema, schema: Schema): boolean =>
  Object.entries(propertiesOf(schema) ?? {}).every(([name, property]) => {
    const expected = isSchema(property) ? property.const : undefined;
    return expected === undefined || !Object.hasOwn(object, name) || object[name] === expected;
  });

/** Returns whether the schema allows any field: values that a service checks itself, and objects with names chosen by clients. */
const isFree = (schema: Schema): boolean =>
  DOCUMENTED_AS in schema ||
  schema.additionalProperties === true ||
  isSchema(schema.additionalProperties) ||
  isSchema(schema.patternProperties) ||
  (propertiesOf(schema) === undefined && (schema.type === undefined || schema.type === "object"));

const propertiesNamed = (name: string, schemas: Schemas): Schemas =>
  schemas.flatMap((schema) => {
    const properties = propertiesOf(schema);
    const property =
      properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isSchema(property) ? [property] : [];
  });

function unknownInObject(object: Schema, { sent, read }: Described, path: string): string | undefined {
  const objects = sent.filter((schema) => mayDescribe(object, schema));
  if (objects.length === 0 || objects.some(isFree)) return undefined;
  for (const [name, value] of Object.entries(object)) {
    const properties = propertiesNamed(name, objects);
    const shown = propertiesNamed(name, read);
    const pointer = `${path}/${name}`;
    if (properties.length === 0 && shown.length === 0) return pointer;
    if (properties.length === 0 || typeof value !== "object" || value === null) continue;
    const found = unknownIn(value, { sent: properties, read: shown }, pointer);
    if (found !== undefined) return found;
  }
  return undefined;
}

function unknownIn(value: object, described: Described, path: string): string | undefined {
  const sent = described.sent.flatMap(membersOf);
  const read = described.read.flatMap(membersOf);
  if (!Array.isArray(value)) {
    const objects = sent.filter(({ type }) => type === undefined || type === "object");
    return isJsonObject(value) ? unknownInObject(value, { sent: objects, read }, path) : undefined;
  }
  const itemsOf = (schemas: Schemas) => schemas.flatMap(({ items }) => (isSchema(items) ? [items] : []));
  const items = { sent: itemsOf(sent), read: itemsOf(read) };
  if (items.sent.length === 0) return undefined;
  for (const [index, item] of value.entries()) {
    if (typeof item !== "object" || item === null) continue;
    const found = unknownIn(item, items, `${path}/${index}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the JSON pointer of the first field that neither the schema of the request nor that of the response contains; undefined if there is none.
 */
export const unknownField = (body: unknown, sent: TSchema, read: readonly TSchema[]): string | undefined =>
  typeof body === "object" && body !== null
    ? unknownIn(body, { sent: [sent as Schema], read: read as readonly object[] as Schemas }, "")
    : undefined;

/** Returns the body without unknown fields at the top level. */
export function withoutUnknownTop(body: unknown, schema: TSchema): unknown {
  if (!isJsonObject(body)) return body;
  const objects = membersOf(schema as Schema);
  if (objects.some(isFree)) return body;
  return Object.fromEntries(
    Object.entries(body).filter(([name]) => propertiesNamed(name, objects).length > 0),
  );
}

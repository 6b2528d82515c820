/**
 * Schemas with a title become components that others refer to by name, so that a generated client has a type for each. Titles are
 * identifiers; other schemas stand where they are used.
 */
import type { TSchema } from "@sinclair/typebox";
import { invariant } from "../../lib/invariant.ts";
import { jsonSchema } from "../json-schema.ts";
import type { JsonSchema } from "./openapi.types.ts";

const IDENTIFIER = /^[A-Z][A-Za-z0-9]*$/;
const schemaLists = ["anyOf", "allOf", "oneOf"] as const;
const schemaMaps = ["properties", "patternProperties"] as const;

/** What stands in the place of a schema that the service checks by itself and TypeBox does not. */
export const DOCUMENTED_AS = "x-schema";

export class Components {
  /** By name. */
  readonly #schemas = new Map<string, JsonSchema>();

  /** The schema for the document, its titled parts as references. */
  toSchema(schema: TSchema): JsonSchema {
    // Through JSON, as it is published: TypeBox marks its schemas with symbols.
    return this.#refer(JSON.parse(JSON.stringify(jsonSchema(schema))) as JsonSchema);
  }

  /** By name, in alphabetical order. */
  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #refer(schema: JsonSchema): JsonSchema {
    const documented = schema[DOCUMENTED_AS];
    if (documented !== undefined) {
      const { [DOCUMENTED_AS]: _, ...annotations } = schema;
      const shown = this.#refer(documented as JsonSchema);
      // Beside a reference, keywords describe this use of it (JSON Schema 2020-12).
      return { ...shown, ...annotations };
    }
    const { title } = schema;
    const converted = this.#convertParts(schema);
    if (title === undefined || !IDENTIFIER.test(title)) return converted;
    const { title: _, ...body } = converted;
    const known = this.#schemas.get(title);
    invariant(
      known === undefined || JSON.stringify(known) === JSON.stringify(body),
      `two schemas are called ${title}`,
    );
    this.#schemas.set(title, body);
    return { $ref: `#/components/schemas/${title}` };
  }

  #convertParts(schema: JsonSchema): JsonSchema {
    const copy: JsonSchema = { ...schema };
    for (const keyword of schemaLists)
      if (copy[keyword] !== undefined) copy[keyword] = copy[keyword].map((part) => this.#refer(part));
    for (const keyword of schemaMaps)
      if (copy[keyword] !== undefined)
        copy[keyword] = Object.fromEntries(
          Object.entries(copy[keyword]).map(([name, part]) => [name, this.#refer(part)]),
        );
    if (copy.items !== undefined) copy.items = this.#refer(copy.items);
    if (typeof copy.additionalProperties === "object")
      copy.additionalProperties = this.#refer(copy.additionalProperties);
    return asEnumeration(copy);
  }
}

/** A union of literals of one type is an enumeration. */
function asEnumeration(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (anyOf === undefined || anyOf.length < 2) return schema;
  const [first] = anyOf;
  if (!anyOf.every((part) => part.const !== undefined && part.type === first?.type)) return schema;
  return { ...rest, type: first?.type, enum: anyOf.map((part) => part.const) };
}

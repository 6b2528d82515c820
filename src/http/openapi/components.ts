/**
 * Schemas with a title become components that others refer to by name, so that a generated client has a type for each. Titles are identifiers; other
 * schemas are inlined.
 */
import type { TSchema } from "@sinclair/typebox";
import { invariant } from "../../lib/core/invariant.ts";
import { omit } from "../../lib/core/omit.ts";
import { DOCUMENTED_AS } from "../../modules/api/documented-as.ts";
import { jsonSchema } from "../json-schema.ts";
import type { JsonSchema } from "./openapi.types.ts";

const IDENTIFIER = /^[A-Z][A-Za-z0-9]*$/;
const SCHEMA_LISTS = ["anyOf", "allOf", "oneOf"] as const;
const SCHEMA_MAPS = ["properties", "patternProperties"] as const;

export class Components {
  /** Keyed by name. */
  readonly #schemas = new Map<string, JsonSchema>();
  /** Schemas in the document, by schema of a route. Most are used many times. */
  readonly #shown = new Map<TSchema, JsonSchema>();

  /** Returns the schema for the document, with references to its titled parts. */
  toSchema(schema: TSchema): JsonSchema {
    return this.#refer(jsonSchema(schema) as JsonSchema); // of the same keywords; JSON drops TypeBox' symbols
  }

  /** Returns the schemas by name, in alphabetical order. */
  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #refer(schema: JsonSchema): JsonSchema {
    const documented = schema[DOCUMENTED_AS];
    if (documented !== undefined) {
      const shown = this.#documented(documented as TSchema); // that is what the keyword holds
      const { description } = schema;
      // Keywords next to a reference describe this use of it (JSON Schema 2020-12).
      return { ...shown, ...(description !== undefined && { description }) };
    }
    const { title } = schema;
    const converted = this.#convertParts(schema);
    if (title === undefined || !IDENTIFIER.test(title)) return converted;
    const body = omit(converted, "title");
    const existing = this.#schemas.get(title);
    invariant(
      existing === undefined || JSON.stringify(existing) === JSON.stringify(body),
      `two schemas are called ${title}`,
    );
    this.#schemas.set(title, body);
    return { $ref: `#/components/schemas/${title}` };
  }

  #documented(schema: TSchema): JsonSchema {
    const existing = this.#shown.get(schema);
    if (existing !== undefined) return existing;
    const shown = this.#refer(jsonSchema(schema) as JsonSchema);
    this.#shown.set(schema, shown);
    return shown;
  }

  #convertParts(schema: JsonSchema): JsonSchema {
    const copy: JsonSchema = { ...schema };
    for (const keyword of SCHEMA_LISTS)
      if (copy[keyword] !== undefined) copy[keyword] = copy[keyword].map((part) => this.#refer(part));
    for (const keyword of SCHEMA_MAPS)
      if (copy[keyword] !== undefined)
        copy[keyword] = Object.fromEntries(
          Object.entries(copy[keyword]).map(([name, part]) => [name, this.#refer(part)]),
        );
    if (copy.items !== undefined) copy.items = this.#refer(copy.items);
    if (typeof copy.additionalProperties === "object")
      copy.additionalProperties = this.#refer(copy.additionalProperties);
    return asEnumeration(asMap(copy));
  }
}

const ANY_NAME = "^(.*)$";

/** Converts a record of any names to an object with values of one schema, which generators support better than patterns. */
function asMap(schema: JsonSchema): JsonSchema {
  const { patternProperties = {}, ...rest } = schema;
  const values = patternProperties[ANY_NAME];
  return values !== undefined && Object.keys(patternProperties).length === 1
    ? { ...rest, additionalProperties: values }
    : schema;
}

/** Converts a union of literals of one type to an enumeration. */
function asEnumeration(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (anyOf === undefined || anyOf.length < 2) return schema;
  const [first] = anyOf;
  if (!anyOf.every((part) => part.const !== undefined && part.type === first?.type)) return schema;
  return { ...rest, type: first?.type, enum: anyOf.map((part) => part.const) };
}

import type { Text } from "../texts/text.ts";
import { detail } from "./domain-error.ts";
import { formText } from "./text-forms.ts";

/** Parts of a TypeBox schema that the rules use. */
export interface SchemaPart {
  readonly type?: string;
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly SchemaPart[];
  readonly description?: string | undefined;
}

/** Error that TypeBox found: `path` is a JSON pointer to the value. */
export interface SchemaIssue {
  readonly path: string;
  readonly message: string;
  readonly value: unknown;
  readonly schema: SchemaPart;
  /** For a union: the errors of each option. */
  readonly errors?: ReadonlyArray<Iterable<SchemaIssue>>;
}

/** Max. characters of a description in an error. Longer descriptions are for the documentation. */
const DESCRIPTION_CHARACTERS_MAX = 160;

const TEXT_TYPES: ReadonlySet<string | undefined> = new Set(["integer", "number", "boolean"]);

/** Returns whether the schema also accepts text: Elysia accepts numbers and booleans as text in queries. */
const acceptsText = ({ anyOf = [] }: SchemaPart): boolean => anyOf.some(({ type }) => TEXT_TYPES.has(type));

function expectedInteger({ minimum: min, maximum: max }: SchemaPart): Text {
  if (min !== undefined && max !== undefined) return detail("expected.integer_between", { min, max });
  if (min !== undefined) return detail("expected.integer_from", { min });
  return max === undefined ? detail("expected.integer") : detail("expected.integer_to", { max });
}

function expectedNumber({ minimum: min, maximum: max, exclusiveMinimum }: SchemaPart): Text {
  if (exclusiveMinimum !== undefined) return detail("expected.number_above", { min: exclusiveMinimum });
  if (min !== undefined && max !== undefined) return detail("expected.number_between", { min, max });
  if (min !== undefined) return detail("expected.number_from", { min });
  return max === undefined ? detail("expected.number") : detail("expected.number_to", { max });
}

/** Returns the rule that the text violates; without a value, all length rules. */
function expectedText({ minLength: min, maxLength: max, pattern, format }: SchemaPart, value: unknown): Text {
  if (typeof value !== "string") return detail("expected.text");
  if (max !== undefined && value.length > max) return detail("expected.text_max", { max });
  if (min !== undefined && value.length < min)
    return min === 1 ? detail("expected.text_filled") : detail("expected.text_min", { min });
  if (format === "uri") return detail("expected.form_uri");
  return formText(pattern ?? "") ?? detail("expected.text");
}

function expectedList({ minItems: min, maxItems: max }: SchemaPart, value: unknown): Text {
  if (!Array.isArray(value)) return detail("expected.array");
  if (max !== undefined && value.length > max) return detail("expected.array_max", { max });
  if (min === undefined) return detail("expected.array");
  return min === 1 ? detail("expected.array_filled") : detail("expected.array_min", { min });
}

const expectedTypes: Readonly<Record<string, (schema: SchemaPart, value: unknown) => Text>> = {
  integer: expectedInteger,
  number: expectedNumber,
  string: expectedText,
  array: expectedList,
  boolean: () => detail("expected.boolean"),
  null: () => detail("expected.null"),
  object: () => detail("expected.object"),
};

const sameText = (text: Text) => (other: Text) => JSON.stringify(text) === JSON.stringify(other);

/** Returns the only option of a schema besides null, otherwise the schema. */
function withoutNull(schema: SchemaPart): SchemaPart {
  const parts = (schema.anyOf ?? []).filter(({ type }) => type !== "null");
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? { description: schema.description, ...only } : schema;
}

/** Returns a description of the accepted values: `a whole number from 1 to 10000`. */
export function expectedOf(schema: SchemaPart, value: unknown): Text {
  const parts = (schema.anyOf ?? []).filter(({ type }) => !(type === "string" && acceptsText(schema)));
  const options = parts.map((part) => expectedOf(part, undefined));
  const distinct = options.filter((option, index) => options.findIndex(sameText(option)) === index);
  const [only] = distinct;
  if (only !== undefined)
    return distinct.length === 1 ? only : detail("expected.alternatives", { options: distinct });
  if (schema.const !== undefined) return detail("expected.literal", { value: String(schema.const) });
  return expectedTypes[schema.type ?? ""]?.(schema, value) ?? detail("expected.any");
}

/** Returns whether an issue is about a tag, such as `type`, that selects an option of a union. Tags are constants. */
const isTag = ({ schema }: SchemaIssue): boolean => schema.const !== undefined;

/**
 * Returns the mismatch inside an object that matches no option of a union: in the option of its tag, or of the tag. Returns other issues unchanged.
 */
export function innermostIssue(issue: SchemaIssue): SchemaIssue {
  // A mismatch of the value itself belongs to an option for another type.
  const options = (issue.errors ?? [])
    .map((errors) => [...errors])
    .filter(([first]) => first !== undefined && first.path !== issue.path);
  const [nearest] = options
    .filter((issues) => !issues.some(isTag))
    .toSorted((left, right) => left.length - right.length);
  if (nearest?.[0] !== undefined) return innermostIssue(nearest[0]);
  const tags = options.flatMap((issues) => issues.find(isTag) ?? []);
  const [tag] = tags;
  return tag === undefined ? issue : { ...tag, schema: { anyOf: tags.map(({ schema }) => schema) } };
}

/** Returns the violated rule of the schema without the value; with the description of the field, unless forms have another one. */
export function ruleOf({ value, schema, message }: SchemaIssue, isDescribed = true): Text {
  const expects = withoutNull(schema);
  const about = expects.description ?? schema.description ?? "";
  // Sentences are documentation; a phrase such as "0 by default" completes an error.
  const isBrief = about.length <= DESCRIPTION_CHARACTERS_MAX && !/\.(?: |$)/.test(about);
  const description = isDescribed && isBrief ? about : "";
  if (message === "Unexpected property") return detail("rule.field_unknown");
  const expected = expectedOf(expects, value);
  if (value === undefined) {
    if (description !== "") return detail("rule.required_described", { description });
    return !isDescribed || expected.code === "expected.any"
      ? detail("rule.required")
      : detail("rule.required_as", { expected });
  }
  // A form in words is complete; the field's description may say less.
  if (description === "" || expected.code.startsWith("expected.form_"))
    return detail("rule.expected", { expected });
  return detail("rule.expected_described", { expected, description });
}

import { detail } from "../lib/domain-error.ts";
import { placeExcerpt } from "../lib/excerpt.ts";
import type { Text } from "../lib/texts/text.ts";

interface SchemaPart {
  readonly type?: string;
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly SchemaPart[];
  readonly description?: string;
}

/** What TypeBox found: `path` is a JSON pointer to the value. */
export interface Issue {
  readonly path: string;
  readonly message: string;
  readonly value: unknown;
  readonly schema: SchemaPart;
}

/** Longer descriptions of a field are for the documentation. */
const RULE_CHARACTERS_MAX = 160;

/** Elysia accepts a number's text in queries: a union of the number and its text. */
const isNumeric = ({ anyOf = [] }: SchemaPart): boolean =>
  anyOf.some(({ type }) => type === "integer" || type === "number");

/** Says what a schema accepts: `a whole number from 1 to 10000 or null`. */
function describeSchema(schema: SchemaPart): string {
  const parts = (schema.anyOf ?? []).filter(({ type }) => !(type === "string" && isNumeric(schema)));
  if (parts.length > 0) return [...new Set(parts.map(describeSchema))].join(" or ");
  if (schema.const !== undefined) return String(schema.const);
  const noun = schema.type === "integer" ? "a whole number" : `${schema.type ?? "another value"}`;
  const from = schema.minimum === undefined ? "" : ` from ${schema.minimum}`;
  const to = schema.maximum === undefined ? "" : ` to ${schema.maximum}`;
  return noun + from + to;
}

/** The field and the rule that it breaks, never its value. `where` names the part of the request unless it is the body. */
export function describeIssue(issue: Issue, where = ""): { field: string; rule: Text } {
  const { schema } = issue;
  const about = schema.description ?? "";
  const description = about === "" || about.length > RULE_CHARACTERS_MAX ? "" : ` (${about})`;
  const place = placeExcerpt(issue.path);
  const field = place === "" ? where || "body" : `${where === "" ? "" : `${where} `}${place}`;
  if (place !== "" && issue.value === undefined)
    return { field, rule: detail("rule.required", { description }) };
  const expected =
    schema.anyOf === undefined ? issue.message.replace(/^Expected /, "") : describeSchema(schema);
  return { field, rule: detail("rule.expected", { expected, description }) };
}

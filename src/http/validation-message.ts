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

/** Names of fields come from the sender, who hears at most this much of each. */
const FIELD_CHARACTERS_MAX = 64;
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

/** JSON pointer to dotted path (RFC 6901), each part printable and of bounded length. */
function describePath(path: string): string {
  const parts = path.replace(/^\//, "").split("/");
  return parts
    .map((part) =>
      part
        .replaceAll("~1", "/")
        .replaceAll("~0", "~")
        .replaceAll(/[\p{Cc}\p{Cf}]/gu, "?"),
    )
    .map((part) => (part.length > FIELD_CHARACTERS_MAX ? `${part.slice(0, FIELD_CHARACTERS_MAX)}…` : part))
    .join(".");
}

/** Names the field and the rule that it breaks, never its value. `where` names the part of the request unless it is the body. */
export function describeIssue(issue: Issue, where = ""): string {
  const { schema } = issue;
  const { description = "" } = schema;
  const rule = description === "" || description.length > RULE_CHARACTERS_MAX ? "" : ` (${description})`;
  const field = describePath(issue.path);
  const prefix = where === "" ? "" : `${where} `;
  if (field !== "" && issue.value === undefined) return `${prefix}${field}: is required${rule}`;
  const message =
    schema.anyOf === undefined
      ? issue.message.replace(/^Expected/, "expected")
      : `expected ${describeSchema(schema)}`;
  return field === "" ? `${where || "body"}: ${message}${rule}` : `${prefix}${field}: ${message}${rule}`;
}

/*
 * References in site files: `${device:Oven 1}` stands for the id of that device, in values, in field names and inside longer strings. `$${device:…}`
 * is the literal text.
 */

export type ReferenceKind =
  | "profile"
  | "codec"
  | "device"
  | "dashboard"
  | "pipeline"
  | "generator"
  | "integration"
  | "job"
  | "messenger"
  | "modbusConnection"
  | "s7Connection"
  | "bacnetConnection"
  | "opcuaConnection"
  | "user";
type ExpressionKind = ReferenceKind | "secret";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const EXPRESSION =
  /\$?\$\{(profile|codec|device|dashboard|pipeline|generator|integration|job|messenger|modbusConnection|s7Connection|bacnetConnection|opcuaConnection|user|secret):([^{}]*)\}/g;

const encodeName = (name: string) => name.replace(/[%{}]/g, encodeURIComponent);
const decodeName = (text: string) =>
  text.replace(/%(25|7B|7D)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

export const expressionOf = (kind: ExpressionKind, name: string): string => `\${${kind}:${encodeName(name)}}`;

/** Returns a copy of a JSON value with changed texts, including field names. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [change(name), mapTexts(inner, change)]),
  );
}

/** Returns a copy with names instead of ids. `expressionOfId` returns undefined for a text that is not an id of this gateway. */
export const withNames = (value: unknown, expressionOfId: (id: string) => string | undefined): unknown =>
  mapTexts(value, (text) =>
    text
      .replace(EXPRESSION, (expression) => `$${expression}`)
      .replace(UUID, (id) => expressionOfId(id.toLowerCase()) ?? id),
  );

/** Returns whether a value starts with an expression. */
export const isExpression = (value: unknown): value is string =>
  typeof value === "string" && value.search(EXPRESSION) === 0;

/** Returns a copy with each expression replaced. */
export const withExpressions = (
  value: unknown,
  replacementOf: (kind: ExpressionKind, name: string) => string,
): unknown =>
  mapTexts(value, (text) =>
    text.replace(EXPRESSION, (expression, kind: ExpressionKind, name: string) =>
      expression.startsWith("$$") ? expression.slice(1) : replacementOf(kind, decodeName(name)),
    ),
  );

/** Returns the name of the secret if the value consists of one; undefined for other values. */
export function secretNameOf(value: unknown): string | undefined {
  const match = typeof value === "string" ? /^\$\{secret:([^{}]*)\}$/.exec(value) : null;
  return match?.[1] === undefined ? undefined : decodeName(match[1]);
}

/** Returns whether a value is a string that refers to a secret. */
export const hasSecret = (value: unknown): value is string =>
  typeof value === "string" && /(^|[^$])\$\{secret:/.test(value);

import type { JsonValue } from "./json.ts";

/** Returns JSON that parses back to the same value: unlike `JSON.stringify`, it keeps the sign of -0. */
export function exactJson(value: JsonValue): string {
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : JSON.stringify(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(exactJson).join(",")}]`;
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${exactJson(member)}`);
  return `{${members.join(",")}}`;
}

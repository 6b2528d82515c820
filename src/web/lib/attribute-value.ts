import type { JsonValue } from "./wire.ts";

export type ValueKind = "text" | "number" | "boolean" | "json";

export function kindOf(value: JsonValue | undefined): ValueKind {
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string" || value === undefined) return "text";
  return "json";
}

export function toEditorText(value: JsonValue | undefined): string {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? JSON.stringify(value, null, 2) : String(value);
}

/** Parses the text as the type that the user chose; `undefined` if it is not of that type. */
export function parseEditorText(text: string, kind: ValueKind): JsonValue | undefined {
  if (kind === "text") return text;
  if (kind === "boolean") return text === "true";
  if (kind === "number") {
    const n = Number(text.trim().replace(",", "."));
    return text.trim() !== "" && Number.isFinite(n) ? n : undefined;
  }
  try {
    // JSON.parse returns exactly the values of JsonValue.
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

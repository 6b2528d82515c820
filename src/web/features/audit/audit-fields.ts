import type { Text } from "../../../lib/texts/text.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";

interface ChangedField {
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is Text =>
  isObject(value) && typeof value.code === "string" && isObject(value.params);

function show(value: unknown): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return isText(value) ? serverText(value) : JSON.stringify(value);
}

/** A change field by field; what was made or deleted has one side only. */
export function changedFields(before: unknown, after: unknown): ChangedField[] {
  const [was, is] = [before, after].map((side) =>
    isObject(side) ? side : side === undefined ? {} : { "": side },
  ) as [Record<string, unknown>, Record<string, unknown>]; // two go in, two come out
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].sort().map((field) => ({
    field,
    before: Object.hasOwn(was, field) ? show(was[field]) : undefined,
    after: Object.hasOwn(is, field) ? show(is[field]) : undefined,
  }));
}

import { detail, invalid } from "../../../lib/core/domain-error.ts";
import { isJsonObject } from "../../../lib/json/json.ts";
import { unknownFieldOf } from "../../../lib/json/known-fields.ts";
import { excerpt } from "../../../lib/strings/excerpt.ts";
import type { Text } from "../../../lib/texts/text.ts";

/** Returns an error that names the part of a rule and its fault. */
export const wrong = (field: string, rule: Text) => invalid("alarm_rule.invalid", { field, rule });

/** Returns an object with only these fields; other fields of a stored object are ignored. */
export function only(
  input: unknown,
  where: string,
  existing: readonly string[],
): Readonly<Record<string, unknown>> {
  if (!isJsonObject(input)) throw wrong(where, detail("rule.object"));
  const unknown = unknownFieldOf(input, (name) => existing.includes(name));
  if (unknown !== undefined)
    throw wrong(`${where}.${excerpt(unknown)}`, detail("rule.unknown", { known: existing.join(", ") }));
  return input;
}

export function text(input: unknown, where: string, max: number): string {
  if (typeof input !== "string" || input.trim() === "" || input.length > max)
    throw wrong(where, detail("rule.text_length", { max }));
  return input;
}

export function whole(input: unknown, where: string, [min, max]: readonly [number, number]): number {
  if (typeof input !== "number" || !Number.isInteger(input) || input < min || input > max)
    throw wrong(where, detail("rule.whole_number_between", { min, max }));
  return input;
}

export function flag(input: unknown, where: string, otherwise = false): boolean {
  if (input !== undefined && typeof input !== "boolean") throw wrong(where, detail("rule.boolean"));
  return input ?? otherwise;
}

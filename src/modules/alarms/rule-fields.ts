import { detail, invalid } from "../../lib/domain-error.ts";
import { excerpt } from "../../lib/excerpt.ts";
import { isJsonObject } from "../../lib/json.ts";
import type { Text } from "../../lib/texts/text.ts";

/** An error that names the part of a rule and what is wrong with it. */
export const wrong = (field: string, rule: Text) => invalid("alarm_rule.invalid", { field, rule });

/** An object with none but these fields. */
export function only(
  given: unknown,
  where: string,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  if (!isJsonObject(given)) throw wrong(where, detail("rule.object"));
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw wrong(`${where}.${excerpt(unknown)}`, detail("rule.unknown", { known: known.join(", ") }));
  return given;
}

export function text(given: unknown, where: string, max: number): string {
  if (typeof given !== "string" || given.trim() === "" || given.length > max)
    throw wrong(where, detail("rule.text_length", { max }));
  return given;
}

export function whole(given: unknown, where: string, [min, max]: readonly [number, number]): number {
  if (typeof given !== "number" || !Number.isInteger(given) || given < min || given > max)
    throw wrong(where, detail("rule.whole_number_between", { min, max }));
  return given;
}

/** True, false, or left out, which is false. */
export function flag(given: unknown, where: string): boolean {
  if (given !== undefined && typeof given !== "boolean") throw wrong(where, detail("rule.boolean"));
  return given === true;
}

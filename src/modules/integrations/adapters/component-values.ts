import { invalid } from "../../../lib/domain-error.ts";
import { excerpt } from "../../../lib/excerpt.ts";
import type { JsonValue } from "../../../lib/json.ts";
import {
  DECIMALS_MAX,
  type KeyKind,
  type KeyState,
  NAME_CHARACTERS_MAX,
  STATES_MAX,
  UNIT_CHARACTERS_MAX,
} from "../../../lib/key-metadata.ts";
import { isEmptiedNumber } from "../../../lib/missing-value.ts";
import { renderText } from "../../../lib/value-template.ts";
import { toNumber } from "../../../lib/value-template-values.ts";
import {
  type AnnouncedValue,
  type ComponentReader,
  lineOf,
  PAYLOAD_CHARACTERS_MAX,
  type Value,
} from "./component-reader.ts";

/** Values and payloads that several components have. */

const TEXT_CHARACTERS_MAX = 256;

export const refuseValue = (value: JsonValue) =>
  invalid("command.value_not_accepted", { value: excerpt(renderText(value)) });

export const plainText: AnnouncedValue["read"] = (value) =>
  value === undefined || value === null || value === ""
    ? undefined
    : renderText(value).slice(0, TEXT_CHARACTERS_MAX);

export const number: AnnouncedValue["read"] = (value) =>
  typeof value === "boolean" ? undefined : toNumber(value);

/** A value without a unit: numbers stay numbers, and texts texts. A text is a number if that is written with the same digits. */
export const anything: AnnouncedValue["read"] = (value) => {
  if (typeof value === "string") {
    const found = toNumber(value);
    if (found !== undefined && String(found) === value.trim()) return found;
    return isEmptiedNumber(value) ? undefined : plainText(value);
  }
  return value === null || typeof value === "object" ? undefined : value;
};

const stateOf = (value: KeyState["value"], name: string): KeyState => ({
  value,
  name: lineOf(name, NAME_CHARACTERS_MAX) ?? String(value),
});

export function onOff(reader: ComponentReader, on: string, off: string) {
  return {
    read: (value: Value): Value => {
      const text = renderText(value);
      if (text === on) return true;
      if (text === off) return false;
      // A bare `true` is JSON to the template, and a text in the announcement.
      return typeof value === "boolean" && [on, off].includes(String(value))
        ? String(value) === on
        : undefined;
    },
    metadata: {
      kind: "state" as const,
      states: [
        stateOf(true, reader.text("payload_on", "ON")),
        stateOf(false, reader.text("payload_off", "OFF")),
      ],
    },
  };
}

/** Takes true and false, or the payloads themselves. */
export function switchPayload(reader: ComponentReader): (value: JsonValue) => string {
  const [on, off] = [reader.text("payload_on", "ON"), reader.text("payload_off", "OFF")];
  return (value) => {
    if (value === true || value === on || value === 1) return on;
    if (value === false || value === off || value === 0) return off;
    throw refuseValue(value);
  };
}

export function numberPayload(min: number, max: number): (value: JsonValue) => number {
  return (value) => {
    const wanted = typeof value === "string" ? toNumber(value) : value;
    if (typeof wanted !== "number" || wanted < min || wanted > max) throw refuseValue(value);
    return wanted;
  };
}

export function textPayload(options: readonly string[]): (value: JsonValue) => string {
  return (value) => {
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text !== "string" || text.length > PAYLOAD_CHARACTERS_MAX) throw refuseValue(value);
    if (options.length > 0 && !options.includes(text)) throw refuseValue(value);
    return text;
  };
}

export const optionsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [])
    .filter((option) => typeof option === "string" && option !== "" && option.length <= NAME_CHARACTERS_MAX)
    .slice(0, STATES_MAX);

export const statesOf = (options: readonly string[]) =>
  [...new Set(options)].map((option) => stateOf(option, option));

export function measured({ config }: ComponentReader, kind: KeyKind | undefined) {
  const unit = lineOf(config.unit_of_measurement, UNIT_CHARACTERS_MAX);
  const decimals = config.suggested_display_precision;
  const hasDecimals =
    typeof decimals === "number" && Number.isInteger(decimals) && decimals >= 0 && decimals <= DECIMALS_MAX;
  return {
    ...(unit !== undefined && { unit }),
    ...(hasDecimals && { decimals }),
    ...(kind !== undefined && { kind }),
  };
}

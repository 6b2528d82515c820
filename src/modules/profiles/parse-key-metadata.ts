import { detail, invalid } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import {
  DECIMALS_MAX,
  KEY_BYTES_MAX,
  KEY_KINDS,
  KEYS_MAX,
  type KeyLimits,
  type KeyMetadata,
  type KeyState,
  LIMIT_NAMES,
  NAME_CHARACTERS_MAX,
  STATE_COLORS,
  STATES_MAX,
  UNIT_CHARACTERS_MAX,
} from "../../lib/keys/key-metadata.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import { isName } from "../api/wire.schemas.ts";

const wrong = (field: string, rule: Text) => invalid("key_metadata.invalid", { field, rule });

type Fields = Readonly<Record<string, unknown>>;

/** Returns an object with only these fields. Null counts as missing. */
function fieldsOf(input: unknown, where: string, names: readonly string[]): Fields {
  if (!isJsonObject(input)) throw wrong(where, detail("rule.object"));
  for (const name of Object.keys(input))
    if (!names.includes(name))
      throw wrong(`${where}.${excerpt(name)}`, detail("rule.unknown", { known: names.join(", ") }));
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

function listOf(input: unknown, where: string, max: number): readonly unknown[] {
  if (!Array.isArray(input)) throw wrong(where, detail("rule.list"));
  if (input.length > max) throw wrong(where, detail("rule.list_too_long", { max }));
  return input;
}

function line(input: unknown, where: string, max: number): string {
  if (typeof input !== "string" || !isName(input, max)) throw wrong(where, detail("rule.name", { max }));
  return input;
}

function oneOf<Value extends string>(input: unknown, where: string, values: readonly Value[]): Value {
  const value = values.find((candidate) => candidate === input);
  if (value === undefined) throw wrong(where, detail("rule.one_of", { values: values.join(", ") }));
  return value;
}

function keyOf(input: unknown, where: string): string {
  if (typeof input !== "string" || input === "" || Buffer.byteLength(input) > KEY_BYTES_MAX)
    throw wrong(where, detail("rule.name_bytes", { max: KEY_BYTES_MAX }));
  return input;
}

function decimalsOf(input: unknown, where: string): number {
  if (typeof input !== "number" || !Number.isInteger(input) || input < 0 || input > DECIMALS_MAX)
    throw wrong(where, detail("rule.whole_number_between", { min: 0, max: DECIMALS_MAX }));
  return input;
}

function limitsOf(input: unknown, where: string): KeyLimits {
  const fields = fieldsOf(input, where, LIMIT_NAMES);
  let last = Number.NEGATIVE_INFINITY;
  const entries = LIMIT_NAMES.flatMap((name) => {
    const value = fields[name];
    if (value === undefined) return [];
    if (typeof value !== "number" || !Number.isFinite(value))
      throw wrong(`${where}.${name}`, detail("rule.number"));
    if (value <= last) throw wrong(`${where}.${name}`, detail("rule.limits_order"));
    last = value;
    return [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

function rangeOf({ min, max }: Fields, where: string): Pick<KeyMetadata, "min" | "max"> {
  if (min !== undefined && !isFiniteNumber(min)) throw wrong(`${where}.min`, detail("rule.number"));
  if (max !== undefined && !isFiniteNumber(max)) throw wrong(`${where}.max`, detail("rule.number"));
  if (min !== undefined && max !== undefined && min >= max)
    throw wrong(`${where}.max`, detail("rule.min_above_max"));
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value);

function stateOf(input: unknown, where: string): KeyState {
  const { value, name, color } = fieldsOf(input, where, ["value", "name", "color"]);
  const isText = typeof value === "string" && value.length <= NAME_CHARACTERS_MAX;
  if (!isText && typeof value !== "number" && typeof value !== "boolean")
    throw wrong(`${where}.value`, detail("rule.state_value", { max: NAME_CHARACTERS_MAX }));
  return {
    value,
    name: line(name, `${where}.name`, NAME_CHARACTERS_MAX),
    ...(color !== undefined && { color: oneOf(color, `${where}.color`, STATE_COLORS) }),
  };
}

function statesOf(input: unknown, where: string): KeyState[] {
  const states = listOf(input, where, STATES_MAX).map((state, index) => stateOf(state, `${where}[${index}]`));
  const values = new Set<unknown>();
  for (const [index, { value }] of states.entries()) {
    if (values.has(value)) throw wrong(`${where}[${index}].value`, detail("rule.twice"));
    values.add(value);
  }
  return states;
}

const NAMES = ["key", "name", "unit", "decimals", "kind", "min", "max", "limits", "states", "group"];

function entryOf(input: unknown, where: string): KeyMetadata {
  const { key, name, unit, decimals, kind, limits, states, group, ...ends } = fieldsOf(input, where, NAMES);
  return {
    key: keyOf(key, `${where}.key`),
    ...(name !== undefined && { name: line(name, `${where}.name`, NAME_CHARACTERS_MAX) }),
    ...(unit !== undefined && { unit: line(unit, `${where}.unit`, UNIT_CHARACTERS_MAX) }),
    ...(decimals !== undefined && { decimals: decimalsOf(decimals, `${where}.decimals`) }),
    ...(kind !== undefined && { kind: oneOf(kind, `${where}.kind`, KEY_KINDS) }),
    ...rangeOf(ends, where),
    ...(limits !== undefined && { limits: limitsOf(limits, `${where}.limits`) }),
    ...(states !== undefined && { states: statesOf(states, `${where}.states`) }),
    ...(group !== undefined && { group: line(group, `${where}.group`, NAME_CHARACTERS_MAX) }),
  };
}

/** @throws DomainError `invalid` that names the invalid part */
export function parseKeyMetadata(input: unknown): KeyMetadata[] {
  const entries = listOf(input, "keyMetadata", KEYS_MAX).map((entry, index) =>
    entryOf(entry, `keyMetadata[${index}]`),
  );
  const keys = new Set<string>();
  for (const [index, { key }] of entries.entries()) {
    if (keys.has(key)) throw wrong(`keyMetadata[${index}].key`, detail("rule.twice"));
    keys.add(key);
  }
  return entries;
}

import { type Static, type TObject, Type } from "@sinclair/typebox";
import type { TelemetryValue } from "../telemetry/telemetry.types.ts";
import type { NumberProgram } from "./number-program.ts";
import type { RunStep, SlotStep, StepDefinition } from "./step.types.ts";
import { stepWork, VALUE_UNITS, WILDCARD_UNITS } from "./step-work.ts";

const KEYS_MAX = 200;
const KEY_CHARACTERS_MAX = 256;

/** Returns the schema of a telemetry key in a step. */
export const keyField = (description: string) =>
  Type.String({ minLength: 1, maxLength: KEY_CHARACTERS_MAX, description });

/** Schema of keys of a step; a trailing `*` matches any ending. */
export const keysField = Type.Array(Type.String({ minLength: 1, maxLength: KEY_CHARACTERS_MAX }), {
  minItems: 1,
  maxItems: KEYS_MAX,
  description: "keys; a `*` at the end stands for any end",
});

/** Calls `visit` for each selected key of the message, as they were before the step. If a visit returns false, the loop stops and returns false. */
export type KeyLoop = (values: Map<string, TelemetryValue>, visit: KeyVisit) => boolean;
export type KeyVisit = (key: string, value: TelemetryValue, values: Map<string, TelemetryValue>) => boolean;

export function createKeyLoop(keys: readonly string[]): KeyLoop {
  const isMeant = createKeyTest(keys);
  if (isMeant !== undefined)
    return (values, visit) => {
      stepWork.spend(values.size * (VALUE_UNITS + keys.length * WILDCARD_UNITS));
      for (const [key, value] of [...values]) if (isMeant(key) && !visit(key, value, values)) return false;
      return true;
    };
  return (values, visit) => {
    for (const key of keys) {
      const value = values.get(key);
      if (value !== undefined && !visit(key, value, values)) return false;
    }
    return true;
  };
}

/** Returned for a value to drop the whole message. */
export const dropMessage = Symbol("drop the message");
/** Changes a value; undefined removes its key. */
export type ChangeValue = (
  value: TelemetryValue,
  key: string,
) => TelemetryValue | undefined | typeof dropMessage;

/** Creates a step that changes the values of some keys individually. */
export function changeKeys(keys: readonly string[], change: ChangeValue): RunStep | SlotStep {
  if (createKeyTest(keys) === undefined) return changeSlots(keys, change);
  const each = createKeyLoop(keys);
  const visit: KeyVisit = (key, value, values) => {
    const changed = change(value, key);
    if (changed === dropMessage) return false;
    if (changed === undefined) values.delete(key);
    else if (changed !== value) values.set(key, changed);
    return true;
  };
  return ({ values }) => each(values, visit);
}

/** Creates a step that changes the numbers of some keys individually; `add` adds the operation on a number to a program. */
export function changeNumbers(
  keys: readonly string[],
  change: (value: number, key: string) => ReturnType<ChangeValue>,
  add: (program: NumberProgram, slot: number, key: string) => void,
): RunStep | SlotStep {
  const step = changeKeys(keys, (value, key) => (typeof value === "number" ? change(value, key) : value));
  if (typeof step === "function") return step;
  return {
    ...step,
    addTo(program, slotOf) {
      for (const key of keys) add(program, slotOf(key), key);
      return true;
    },
  };
}

/** Creates a step that changes only these keys. */
export function changeSlots(keys: readonly string[], change: ChangeValue): SlotStep {
  return {
    compileSlots(slotOf) {
      const slots = keys.map(slotOf);
      return (values) => {
        // By index: this runs for every message.
        for (let index = 0; index < slots.length; index++) {
          const position = slots[index] as number; // within its bounds
          const value = values[position];
          if (value === undefined) continue;
          const changed = change(value, keys[index] as string);
          if (changed === dropMessage) return false;
          values[position] = changed;
        }
        return true;
      };
    },
  };
}

/** Returns `undefined` if no key has a wildcard. */
function createKeyTest(keys: readonly string[]): ((key: string) => boolean) | undefined {
  const prefixes = keys.filter((key) => key.endsWith("*")).map((key) => key.slice(0, -1));
  if (prefixes.length === 0) return undefined;
  const exact = new Set(keys);
  return (key) => exact.has(key) || prefixes.some((prefix) => key.startsWith(prefix));
}

/** Defines a step whose configuration has the type of its fields; the caller has validated it. */
export const defineStep = <Fields extends TObject>(
  definition: Omit<StepDefinition, "fields" | "compile" | "countParts"> & {
    fields: Fields;
    compile(config: Static<Fields>): RunStep | SlotStep;
    countParts?(config: Static<Fields>): number;
  },
): StepDefinition => definition as unknown as StepDefinition;

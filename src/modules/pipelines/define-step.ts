import { type Static, type TObject, Type } from "@sinclair/typebox";
import type { TelemetryValue } from "../telemetry/telemetry.types.ts";
import type { NumberProgram } from "./number-program.ts";
import type { RunStep, SlotStep, StepDefinition } from "./step.types.ts";

const KEYS_MAX = 200;
const KEY_CHARACTERS_MAX = 256;

/** A telemetry key as a step names it. */
export const keyField = (description: string) =>
  Type.String({ minLength: 1, maxLength: KEY_CHARACTERS_MAX, description });

/** Keys of a step; `*` at the end of one stands for any end. */
export const keysField = Type.Array(Type.String({ minLength: 1, maxLength: KEY_CHARACTERS_MAX }), {
  minItems: 1,
  maxItems: KEYS_MAX,
  description: "keys; a `*` at the end stands for any end",
});

/**
 * Calls `visit` for each key of the message that is meant, as they are before the step changes any. A visit that gives false ends it,
 * and so does the whole.
 */
export type KeyLoop = (values: Map<string, TelemetryValue>, visit: KeyVisit) => boolean;
export type KeyVisit = (key: string, value: TelemetryValue, values: Map<string, TelemetryValue>) => boolean;

export function createKeyLoop(keys: readonly string[]): KeyLoop {
  const isMeant = createKeyTest(keys);
  if (isMeant !== undefined)
    return (values, visit) => {
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

/** Given for a value: the whole message is to be dropped. */
export const dropMessage = Symbol("drop the message");
/** Function that changes a value; undefined removes its key. */
export type ChangeValue = (
  value: TelemetryValue,
  key: string,
) => TelemetryValue | undefined | typeof dropMessage;

/** A step that looks at some keys, each by itself. */
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

/** A step that looks at the numbers of some keys, each by itself; `add` adds to a program what it does with one. */
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

/** A step that looks at these keys and no others. */
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

/** Returns `undefined` if the keys are all written out. */
function createKeyTest(keys: readonly string[]): ((key: string) => boolean) | undefined {
  const prefixes = keys.filter((key) => key.endsWith("*")).map((key) => key.slice(0, -1));
  if (prefixes.length === 0) return undefined;
  const exact = new Set(keys);
  return (key) => exact.has(key) || prefixes.some((prefix) => key.startsWith(prefix));
}

/** A step whose configuration is typed by its fields; whoever compiles it has checked it against them. */
export const defineStep = <Fields extends TObject>(
  definition: Omit<StepDefinition, "fields" | "compile"> & {
    fields: Fields;
    compile(config: Static<Fields>): RunStep | SlotStep;
  },
): StepDefinition => definition as unknown as StepDefinition;

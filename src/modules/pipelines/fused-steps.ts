import type { JsonValue } from "../../lib/json/json.ts";
import type { Reading, TelemetryValue } from "../telemetry/telemetry.types.ts";
import { NumberProgram } from "./number-program.ts";
import type { CompiledStep, RunSlots, RunStep, SlotStep, SlotValues, StepContext } from "./step.types.ts";

/*
 * Steps whose keys are all known in advance run on an array with one slot per key. A slot costs a tenth of looking up a key, and only the final
 * message is allocated.
 */

/** Assigns each key one slot. */
function createSlots(): { readonly keys: string[]; slotOf(key: string): number } {
  const keys: string[] = [];
  const existing = new Map<string, number>();
  return {
    keys,
    slotOf(key) {
      const index = existing.get(key) ?? keys.length;
      if (index === keys.length) keys.push(key);
      existing.set(key, index);
      return index;
    },
  };
}

/** Converts the step to one that runs on a message by itself. */
export function runAlone(step: SlotStep): RunStep {
  const { keys, slotOf } = createSlots();
  const run = step.compileSlots(slotOf);
  return ({ values }, context) => {
    const before = keys.map((key) => values.get(key));
    const slots = [...before];
    if (!run(slots, context)) return false;
    for (let index = 0; index < keys.length; index++) {
      const value = slots[index];
      if (Object.is(value, before[index])) continue;
      if (value === undefined) values.delete(keys[index] as string);
      else values.set(keys[index] as string, value);
    }
    return true;
  };
}

/** Several lists of steps, combined into one. */
export interface FusedSteps {
  /**
   * Returns the changed values, or the index of the list that dropped them; the same object if nothing changed, undefined if nothing is left. Throws
   * without any effect if a step fails.
   */
  run(values: Reading["values"], context: StepContext): Reading["values"] | number | undefined;
}

/** Returns undefined if a step has unknown keys. */
export function fuse(lists: ReadonlyArray<readonly CompiledStep[]>): FusedSteps | undefined {
  const { keys, slotOf } = createSlots();
  const steps: RunSlots[] = [];
  const listOf: number[] = [];
  const program = new NumberProgram();
  let isProgram = true;
  for (const [list, compiled] of lists.entries())
    for (const { slotStep } of compiled) {
      if (slotStep === undefined) return undefined;
      steps.push(slotStep.compileSlots(slotOf));
      listOf.push(list);
      isProgram &&= slotStep.addTo?.(program, slotOf) === true;
    }
  // Plain objects inherit these names.
  if (keys.some((key) => key in Object.prototype)) return undefined;
  const slots: SlotValues = keys.map(() => undefined);
  const before: SlotValues = keys.map(() => undefined);
  const numbers = new Float64Array(keys.length);

  /** Returns false if a value is not a number, so that the general code must run. */
  function runProgram(): boolean {
    for (let position = 0; position < keys.length; position++) {
      const value = before[position];
      if (value === undefined) numbers[position] = Number.NaN;
      else if (typeof value === "number" && !Number.isNaN(value)) numbers[position] = value;
      else return false;
    }
    if (!program.run(numbers)) return false;
    for (let position = 0; position < keys.length; position++) {
      const value = numbers[position] as number;
      slots[position] = Number.isNaN(value) ? undefined : value;
    }
    return true;
  }

  return {
    run(values, context) {
      // By index: this runs for every message.
      for (let position = 0; position < keys.length; position++) {
        const value = values[keys[position] as string];
        slots[position] = value;
        before[position] = value;
      }
      if (isProgram && runProgram()) return changed(values, keys, { before, slots });
      try {
        for (let index = 0; index < steps.length; index++)
          if (!(steps[index] as RunSlots)(slots, context)) return listOf[index];
        return changed(values, keys, { before, slots });
      } finally {
        // Values of a message may be large, and each combination of pipelines would keep those of its last one.
        slots.fill(undefined);
        before.fill(undefined);
      }
    },
  };
}

function changed(
  values: Reading["values"],
  keys: readonly string[],
  { before, slots }: { before: SlotValues; slots: SlotValues },
): Reading["values"] | undefined {
  let created: Record<string, TelemetryValue> | undefined;
  for (let index = 0; index < keys.length; index++) {
    const value = slots[index];
    if (Object.is(value, before[index])) continue;
    if (value === undefined) return without(values, keys, slots);
    created ??= { ...values };
    created[keys[index] as string] = value; // within its bounds
  }
  return created ?? values;
}

function without(
  values: Reading["values"],
  keys: readonly string[],
  slots: SlotValues,
): Reading["values"] | undefined {
  const left = new Map<string, JsonValue>(Object.entries(values));
  for (const [index, key] of keys.entries()) {
    const value = slots[index];
    if (value === undefined) left.delete(key);
    else left.set(key, value);
  }
  if (left.size === 0) return undefined;
  const created: Record<string, JsonValue> = Object.create(null);
  for (const [key, value] of left) created[key] = value;
  return created as Reading["values"];
}

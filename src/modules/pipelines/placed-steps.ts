import type { JsonValue } from "../../lib/json.ts";
import type { Reading, TelemetryValue } from "../telemetry/telemetry.types.ts";
import type {
  CompiledStep,
  PlacedStep,
  PlacedValues,
  RunPlaced,
  RunStep,
  StepContext,
} from "./step.types.ts";

/*
 * Steps whose keys are all known beforehand run over an array in which each key has its place: reading and writing a place costs a
 * tenth of looking a key up, and nothing is made for a message but what it has become.
 */

/** Gives each key one place. */
function createPlaces(): { readonly keys: string[]; placeOf(key: string): number } {
  const keys: string[] = [];
  const known = new Map<string, number>();
  return {
    keys,
    placeOf(key) {
      const at = known.get(key) ?? keys.length;
      if (at === keys.length) keys.push(key);
      known.set(key, at);
      return at;
    },
  };
}

/** The same step over a message by itself. */
export function runAlone(step: PlacedStep): RunStep {
  const { keys, placeOf } = createPlaces();
  const run = step.place(placeOf);
  return ({ values }, context) => {
    const placed = keys.map((key) => values.get(key));
    if (!run(placed, context)) return false;
    for (const [index, key] of keys.entries()) {
      const value = placed[index];
      if (value === undefined) values.delete(key);
      else if (!Object.is(value, values.get(key))) values.set(key, value);
    }
    return true;
  };
}

/** Several lists of steps as one. */
export interface FusedSteps {
  /**
   * What becomes of the values, or which of the lists dropped them; the same object where nothing was changed, undefined where nothing
   * is left. Throws when a step cannot do its work, and then nothing has happened.
   */
  run(values: Reading["values"], context: StepContext): Reading["values"] | number | undefined;
}

/** Undefined where one of them does not know its keys. */
export function fuse(lists: ReadonlyArray<readonly CompiledStep[]>): FusedSteps | undefined {
  const { keys, placeOf } = createPlaces();
  const steps: RunPlaced[] = [];
  const listOf: number[] = [];
  for (const [list, compiled] of lists.entries())
    for (const { placed } of compiled) {
      if (placed === undefined) return undefined;
      steps.push(placed.place(placeOf));
      listOf.push(list);
    }
  // Plain objects have these without having been given them.
  if (keys.some((key) => key in Object.prototype)) return undefined;
  const places: PlacedValues = keys.map(() => undefined);
  const before: PlacedValues = keys.map(() => undefined);
  return {
    run(values, context) {
      // By index: this runs for every message.
      for (let at = 0; at < keys.length; at++) {
        const value = values[keys[at] as string];
        places[at] = value;
        before[at] = value;
      }
      for (let index = 0; index < steps.length; index++)
        if (!(steps[index] as RunPlaced)(places, context)) return listOf[index];
      return changed(values, keys, { before, places });
    },
  };
}

function changed(
  values: Reading["values"],
  keys: readonly string[],
  { before, places }: { before: PlacedValues; places: PlacedValues },
): Reading["values"] | undefined {
  let made: Record<string, TelemetryValue> | undefined;
  for (let at = 0; at < keys.length; at++) {
    const value = places[at];
    if (Object.is(value, before[at])) continue;
    if (value === undefined) return without(values, keys, places);
    made ??= { ...values };
    made[keys[at] as string] = value; // within its bounds
  }
  return made ?? values;
}

function without(
  values: Reading["values"],
  keys: readonly string[],
  places: PlacedValues,
): Reading["values"] | undefined {
  const left = new Map<string, JsonValue>(Object.entries(values));
  for (const [at, key] of keys.entries()) {
    const value = places[at];
    if (value === undefined) left.delete(key);
    else left.set(key, value);
  }
  if (left.size === 0) return undefined;
  const made: Record<string, JsonValue> = Object.create(null);
  for (const [key, value] of left) made[key] = value;
  return made as Reading["values"];
}

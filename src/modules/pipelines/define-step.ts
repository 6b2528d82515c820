import { type Static, type TObject, Type } from "@sinclair/typebox";
import type { ExpressionScope } from "../../lib/expression.ts";
import type { TelemetryValue } from "../telemetry/telemetry.types.ts";
import type { RunStep, StepContext, StepDefinition } from "./step.types.ts";

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
 * Calls `visit` for each key of the message that is meant, as they are before the step changes any; without a `*` in them nothing is
 * made for it. A visit that gives false ends it, and so does the whole.
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
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] as string; // within its bounds
      const value = values.get(key);
      if (value !== undefined && !visit(key, value, values)) return false;
    }
    return true;
  };
}

/** Undefined when the keys are all written out. */
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
    compile(config: Static<Fields>): RunStep;
  },
): StepDefinition => definition as unknown as StepDefinition;

/** For a visit: takes the key away. */
export const remove: KeyVisit = (key, _, values) => {
  values.delete(key);
  return true;
};

/** Where an expression or a condition looks: one object a step, pointed at each message in turn. */
export interface StepScope extends ExpressionScope {
  values: Map<string, TelemetryValue>;
  context: StepContext | undefined;
}

export function createStepScope(): StepScope {
  const scope: StepScope = {
    values: new Map(),
    context: undefined,
    key: (name) => scope.values.get(name),
    attribute: (of, name) => scope.context?.attribute(of, name),
  };
  return scope;
}

import { type Static, type TObject, Type } from "@sinclair/typebox";
import type { RunStep, StepDefinition, StepMessage } from "./step.types.ts";

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

/** The keys of the message that are meant, as they are before the step changes any. */
export function createKeyFilter(keys: readonly string[]): (message: StepMessage) => string[] {
  const exact = keys.filter((key) => !key.endsWith("*"));
  const prefixes = keys.filter((key) => key.endsWith("*")).map((key) => key.slice(0, -1));
  if (prefixes.length === 0) return ({ values }) => exact.filter((key) => values.has(key));
  const names = new Set(exact);
  return ({ values }) =>
    [...values.keys()].filter((key) => names.has(key) || prefixes.some((prefix) => key.startsWith(prefix)));
}

/** A step whose configuration is typed by its fields; whoever compiles it has checked it against them. */
export const defineStep = <Fields extends TObject>(
  definition: Omit<StepDefinition, "fields" | "compile"> & {
    fields: Fields;
    compile(config: Static<Fields>): RunStep;
  },
): StepDefinition => definition as unknown as StepDefinition;

import { Type } from "@sinclair/typebox";

import { type CompiledCondition, type ConditionScope, compileCondition } from "../../../lib/condition.ts";
import { changeKeys, defineStep, keysField } from "../define-step.ts";
import type { PlacedStep, PlacedValues, RunStep, StepContext, StepMessage } from "../step.types.ts";

function createDropByName(test: CompiledCondition, drop: RunStep): RunStep {
  let current: { message: StepMessage; context: StepContext | undefined } | undefined;
  const scope: ConditionScope = {
    key: (name) => current?.message.values.get(name),
    attribute: (of, name) => current?.context?.attribute(of, name),
  };
  return (message, context) => {
    current = { message, context };
    return !test(scope) || drop(message, context);
  };
}

/** Without `drop` the whole message goes. */
function createPlacedDrop(
  test: CompiledCondition,
  named: Iterable<string>,
  drop: PlacedStep | undefined,
): PlacedStep {
  return {
    place(placeOf) {
      const places = new Map(Array.from(named, (key) => [key, placeOf(key)]));
      const run = drop?.place(placeOf);
      let values: PlacedValues = [];
      let context: StepContext | undefined;
      const scope: ConditionScope = {
        key: (name) => values[places.get(name) ?? -1],
        attribute: (of, name) => context?.attribute(of, name),
      };
      return (given, of) => {
        values = given;
        context = of;
        return !test(scope) || (run?.(given, of) ?? false);
      };
    },
  };
}

export const conditionalDrop = defineStep({
  type: "conditional_drop",
  summary:
    "Drops the message, or only some keys of it, when a condition holds. Conditions are those of alarm rules: `all`, `any` and `not` over keys and attributes.",
  fields: Type.Object({
    condition: Type.Any({
      description:
        '`{all: […]}`, `{any: […]}`, `{not: …}` or `{key, source?: "telemetry" | "attribute", scope?, op, value}` with op EQ NE GT GE LT LE BETWEEN CONTAINS STARTS_WITH IN; what is not there makes it false',
    }),
    keys: Type.Optional(keysField),
  }),
  example: {
    step: { type: "conditional_drop", condition: { key: "status", op: "EQ", value: "starting" } },
    in: { status: "starting", temperature: 0 },
    out: null,
  },
  compile({ condition, keys }) {
    const { test, keys: named } = compileCondition(condition);
    const dropped = keys === undefined ? undefined : changeKeys(keys, () => undefined);
    return typeof dropped === "function"
      ? createDropByName(test, dropped)
      : createPlacedDrop(test, named, dropped);
  },
});

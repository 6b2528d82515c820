import { Type } from "@sinclair/typebox";

import {
  type CompiledCondition,
  type ConditionScope,
  compileCondition,
} from "../../../lib/alarms/condition.ts";
import { changeKeys, defineStep, keysField } from "../define-step.ts";
import type { RunStep, SlotStep, SlotValues, StepContext, StepMessage } from "../step.types.ts";
import { spendOn } from "../step-work.ts";

function createDropByName(test: CompiledCondition, drop: RunStep): RunStep {
  let current: { message: StepMessage; context: StepContext | undefined } | undefined;
  const scope: ConditionScope = {
    key: (name) => spendOn(current?.message.values.get(name)),
    attribute: (of, name) => spendOn(current?.context?.attribute(of, name)),
  };
  return (message, context) => {
    current = { message, context };
    return !test(scope) || drop(message, context);
  };
}

/** Creates the step on slots. Without `drop`, it drops the whole message. */
function createSlotDrop(
  test: CompiledCondition,
  named: Iterable<string>,
  drop: SlotStep | undefined,
): SlotStep {
  return {
    compileSlots(slotOf) {
      const slots = new Map(Array.from(named, (key) => [key, slotOf(key)]));
      const run = drop?.compileSlots(slotOf);
      let values: SlotValues = [];
      let context: StepContext | undefined;
      const scope: ConditionScope = {
        key: (name) => spendOn(values[slots.get(name) ?? -1]),
        attribute: (of, name) => spendOn(context?.attribute(of, name)),
      };
      return (slotValues, of) => {
        values = slotValues;
        context = of;
        return !test(scope) || (run?.(slotValues, of) ?? false);
      };
    },
  };
}

export const conditionalDrop = defineStep({
  type: "conditional_drop",
  summary:
    "Drops the message, or only some of its keys, when a condition holds. Conditions are those of alarm rules: `all`, `any` and `not` over keys and attributes.",
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
      : createSlotDrop(test, named, dropped);
  },
});

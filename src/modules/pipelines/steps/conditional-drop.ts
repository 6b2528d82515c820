import { Type } from "@sinclair/typebox";

import { compileCondition } from "../../../lib/condition.ts";
import { createKeyLoop, createStepScope, defineStep, keysField, remove } from "../define-step.ts";

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
    const holds = compileCondition(condition);
    const each = keys === undefined ? undefined : createKeyLoop(keys);
    const scope = createStepScope();
    return ({ values }, context) => {
      scope.values = values;
      scope.context = context;
      if (!holds(scope)) return true;
      return each?.(values, remove) ?? false;
    };
  },
});

import { Type } from "@sinclair/typebox";

import { compileCondition } from "../../../lib/condition.ts";
import { createKeyFilter, defineStep, keysField } from "../define-step.ts";

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
    const meant = keys === undefined ? undefined : createKeyFilter(keys);
    return (message, context) => {
      const { values } = message;
      const isDue = holds({
        key: (name) => values.get(name),
        attribute: (scope, name) => context.attribute(scope, name),
      });
      if (!isDue) return true;
      if (meant === undefined) return false;
      for (const key of meant(message)) values.delete(key);
      return true;
    };
  },
});

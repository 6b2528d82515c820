import { Type } from "@sinclair/typebox";

import { invalid } from "../../../lib/core/domain-error.ts";
import { changeNumbers, defineStep, dropMessage, keysField } from "../define-step.ts";

export const filterRange = defineStep({
  type: "filter_range",
  summary:
    "Drops numbers below `min` or above `max`, which broken sensors send. With `action: drop_message` it drops the whole message. Other values stay.",
  fields: Type.Object({
    keys: keysField,
    min: Type.Optional(Type.Number({ description: "lowest that stays" })),
    max: Type.Optional(Type.Number({ description: "highest that stays" })),
    action: Type.Optional(
      Type.Union([Type.Literal("drop_key"), Type.Literal("drop_message")], {
        description: "drop_key by default",
      }),
    ),
  }),
  example: {
    step: { type: "filter_range", keys: ["temperature"], min: -40, max: 85 },
    in: { temperature: 850, humidity: 40 },
    out: { humidity: 40 },
  },
  compile({ keys, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, action = "drop_key" }) {
    if (min > max) throw invalid("step.range_invalid");
    const isRequired = action === "drop_message";
    const outside = isRequired ? dropMessage : undefined;
    return changeNumbers(
      keys,
      (value) => (value >= min && value <= max ? value : outside),
      (program, slot) => program.keep(slot, { min, max, isRequired }),
    );
  },
});

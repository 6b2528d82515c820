import { Type } from "@sinclair/typebox";

import { invalid } from "../../../lib/domain-error.ts";
import { createKeyFilter, defineStep, keysField } from "../define-step.ts";

export const clampRange = defineStep({
  type: "clamp_range",
  summary: "Brings numbers below `min` up to it, and those above `max` down to it. What is no number stays.",
  fields: Type.Object({
    keys: keysField,
    min: Type.Optional(Type.Number()),
    max: Type.Optional(Type.Number()),
  }),
  example: {
    step: { type: "clamp_range", keys: ["level"], min: 0, max: 100 },
    in: { level: 101.3 },
    out: { level: 100 },
  },
  compile({ keys, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }) {
    if (min > max) throw invalid("step.range_invalid", "min must not be above max");
    const meant = createKeyFilter(keys);
    return (message) => {
      for (const key of meant(message)) {
        const value = message.values.get(key);
        if (typeof value === "number") message.values.set(key, Math.min(Math.max(value, min), max));
      }
      return true;
    };
  },
});

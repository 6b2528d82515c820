import { Type } from "@sinclair/typebox";

import { invalid } from "../../../lib/core/domain-error.ts";
import { changeNumbers, defineStep, keysField } from "../define-step.ts";

export const clampRange = defineStep({
  type: "clamp_range",
  summary: "Raises numbers below `min` to `min` and lowers numbers above `max` to `max`. Other values stay.",
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
    if (min > max) throw invalid("step.range_invalid");
    const clamp = (value: number) => Math.min(Math.max(value, min), max);
    return changeNumbers(keys, clamp, (program, slot) => program.change(slot, clamp));
  },
});

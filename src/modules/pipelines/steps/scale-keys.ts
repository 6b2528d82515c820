import { Type } from "@sinclair/typebox";
import { invalid } from "../../../lib/core/domain-error.ts";
import { excerpt } from "../../../lib/strings/excerpt.ts";
import { changeNumbers, defineStep, keysField } from "../define-step.ts";

export const scaleKeys = defineStep({
  type: "scale_keys",
  summary:
    "Multiplies numbers by `factor` and adds `offset`, for example to convert raw counts to units or Fahrenheit to Celsius. Other values stay.",
  fields: Type.Object({
    keys: keysField,
    factor: Type.Optional(Type.Number({ description: "1 by default" })),
    offset: Type.Optional(Type.Number({ description: "added after multiplying; 0 by default" })),
  }),
  example: {
    step: { type: "scale_keys", keys: ["raw"], factor: 0.1, offset: -40 },
    in: { raw: 615 },
    out: { raw: 21.5 },
  },
  compile({ keys, factor = 1, offset = 0 }) {
    const scale = (value: number) => value * factor + offset;
    return changeNumbers(
      keys,
      (value, key) => {
        const scaled = scale(value);
        if (!Number.isFinite(scaled)) throw invalid("step_failure.too_large", { key: excerpt(key) });
        return scaled;
      },
      (program, slot) => program.change(slot, scale),
    );
  },
});

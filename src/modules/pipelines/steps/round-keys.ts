import { Type } from "@sinclair/typebox";

import { createRounder } from "../../../lib/expressions/expression-functions.ts";
import { changeNumbers, defineStep, keysField } from "../define-step.ts";

export const roundKeys = defineStep({
  type: "round_keys",
  summary: "Rounds numbers, half away from zero. Fewer digits take less space on the disk.",
  fields: Type.Object({
    keys: keysField,
    decimals: Type.Optional(Type.Integer({ minimum: 0, maximum: 12, description: "0 by default" })),
  }),
  example: {
    step: { type: "round_keys", keys: ["*"], decimals: 1 },
    in: { temperature: 21.4567, mode: "eco" },
    out: { temperature: 21.5, mode: "eco" },
  },
  compile({ keys, decimals = 0 }) {
    const round = createRounder(decimals);
    return changeNumbers(keys, round, (program, slot) => program.round(slot, decimals));
  },
});

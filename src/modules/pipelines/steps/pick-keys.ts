import { Type } from "@sinclair/typebox";

import { createKeyLoop, defineStep, keysField } from "../define-step.ts";

export const pickKeys = defineStep({
  type: "pick_keys",
  summary: "Keeps these keys and drops all others.",
  fields: Type.Object({ keys: keysField }),
  example: {
    step: { type: "pick_keys", keys: ["temperature", "power_*"] },
    in: { temperature: 21.5, power_l1: 3, debug: "x" },
    out: { temperature: 21.5, power_l1: 3 },
  },
  compile({ keys }) {
    const each = createKeyLoop(keys);
    return ({ values }) => {
      const kept = new Set<string>();
      each(values, (key) => {
        kept.add(key);
        return true;
      });
      if (kept.size < values.size)
        for (const key of [...values.keys()]) if (!kept.has(key)) values.delete(key);
      return true;
    };
  },
});

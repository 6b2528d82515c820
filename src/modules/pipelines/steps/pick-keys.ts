import { Type } from "@sinclair/typebox";

import { createKeyFilter, defineStep, keysField } from "../define-step.ts";

export const pickKeys = defineStep({
  type: "pick_keys",
  summary: "Keeps these keys and takes all others away.",
  fields: Type.Object({ keys: keysField }),
  example: {
    step: { type: "pick_keys", keys: ["temperature", "power_*"] },
    in: { temperature: 21.5, power_l1: 3, debug: "x" },
    out: { temperature: 21.5, power_l1: 3 },
  },
  compile({ keys }) {
    const meant = createKeyFilter(keys);
    return (message) => {
      const kept = new Set(meant(message));
      for (const key of [...message.values.keys()]) if (!kept.has(key)) message.values.delete(key);
      return true;
    };
  },
});

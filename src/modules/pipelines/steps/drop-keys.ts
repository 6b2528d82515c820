import { Type } from "@sinclair/typebox";

import { changeKeys, defineStep, keysField } from "../define-step.ts";

export const dropKeys = defineStep({
  type: "drop_keys",
  summary: "Drops these keys.",
  fields: Type.Object({ keys: keysField }),
  example: {
    step: { type: "drop_keys", keys: ["debug_*"] },
    in: { temperature: 21.5, debug_heap: 4711 },
    out: { temperature: 21.5 },
  },
  compile({ keys }) {
    return changeKeys(keys, () => undefined);
  },
});

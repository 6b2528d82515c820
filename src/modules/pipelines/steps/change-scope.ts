import { Type } from "@sinclair/typebox";

import type { JsonValue } from "../../../lib/json/json.ts";
import { createKeyLoop, defineStep, keysField } from "../define-step.ts";

export const changeScope = defineStep({
  type: "change_scope",
  summary: "Stores keys as attributes of the scope instead of telemetry.",
  fields: Type.Object({
    keys: keysField,
    scope: Type.Union([Type.Literal("CLIENT"), Type.Literal("SERVER"), Type.Literal("SHARED")], {
      description: "of the attributes",
    }),
  }),
  example: {
    step: { type: "change_scope", keys: ["firmware"], scope: "CLIENT" },
    in: { temperature: 21.5, firmware: "1.4.2" },
    out: { temperature: 21.5 },
  },
  compile({ keys, scope }) {
    const each = createKeyLoop(keys);
    return ({ values, attributes }) => {
      each(values, (key, value) => {
        const of = attributes.get(scope) ?? new Map<string, JsonValue>();
        of.set(key, value);
        attributes.set(scope, of);
        values.delete(key);
        return true;
      });
      return true;
    };
  },
});

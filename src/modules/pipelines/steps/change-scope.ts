import { Type } from "@sinclair/typebox";

import { createKeyFilter, defineStep, keysField } from "../define-step.ts";

export const changeScope = defineStep({
  type: "change_scope",
  summary:
    "Makes attributes of telemetry: the keys are stored as attributes of the scope, and are telemetry no more.",
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
    const meant = createKeyFilter(keys);
    return (message) => {
      const { values, attributes } = message;
      const names = meant(message);
      if (names.length === 0) return true;
      const of = attributes.get(scope) ?? new Map();
      for (const name of names) {
        of.set(name, values.get(name));
        values.delete(name);
      }
      attributes.set(scope, of);
      return true;
    };
  },
});

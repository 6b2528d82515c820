import { Type } from "@sinclair/typebox";

import { toPlainJson } from "../../../lib/json/plain-json.ts";
import { defineStep } from "../define-step.ts";

export const setDefault = defineStep({
  type: "set_default",
  summary: "Sets keys that the message does not have.",
  fields: Type.Object({
    values: Type.Record(Type.String(), Type.Any(), { description: "key to value" }),
  }),
  example: {
    step: { type: "set_default", values: { unit: "C", quality: 1 } },
    in: { temperature: 21.5, unit: "F" },
    out: { temperature: 21.5, unit: "F", quality: 1 },
  },
  compile(config) {
    const defaults = Object.entries(config.values).flatMap(([key, value]) => {
      const plain = toPlainJson(value, "telemetry");
      return plain === null || key === "" ? [] : [{ key, value: plain }];
    });
    return {
      compileSlots(slotOf) {
        const slots = defaults.map(({ key, value }) => ({ at: slotOf(key), value }));
        return (values) => {
          for (const { at, value } of slots) values[at] ??= value;
          return true;
        };
      },
    };
  },
});

import { Type } from "@sinclair/typebox";

import { toPlainJson } from "../../../lib/json/plain-json.ts";
import { defineStep, keyField } from "../define-step.ts";

export const mapValues = defineStep({
  type: "map_values",
  summary:
    "Translates the values of a key, for example codes to words. A value that is not in the list becomes `default`, or stays if there is none.",
  fields: Type.Object({
    key: keyField("whose values"),
    mapping: Type.Record(Type.String(), Type.Any(), {
      description: "value, as text (`1`, `true`, `open`), to what it becomes",
    }),
    default: Type.Optional(Type.Any({ description: "for all others" })),
  }),
  example: {
    step: { type: "map_values", key: "state", mapping: { "0": "closed", "1": "open" }, default: "unknown" },
    in: { state: 1 },
    out: { state: "open" },
  },
  compile(config) {
    const words = new Map(
      Object.entries(config.mapping).map(([value, to]) => [value, toPlainJson(to, "telemetry")]),
    );
    const otherwise = config.default === undefined ? undefined : toPlainJson(config.default, "telemetry");
    return {
      compileSlots(slotOf) {
        const index = slotOf(config.key);
        return (values) => {
          const value = values[index];
          if (value === undefined || typeof value === "object") return true;
          const found = words.has(String(value)) ? words.get(String(value)) : otherwise;
          // Mapped to null, so the value is removed.
          if (found === null) values[index] = undefined;
          else if (found !== undefined) values[index] = found;
          return true;
        };
      },
    };
  },
});

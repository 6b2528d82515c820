import { Type } from "@sinclair/typebox";

import { defineStep, keyField } from "../define-step.ts";

export const copyKey = defineStep({
  type: "copy_key",
  summary: "Copies the value of a key to a second key. A key that already has that name is replaced.",
  fields: Type.Object({ from: keyField("the key"), to: keyField("its second name") }),
  example: {
    step: { type: "copy_key", from: "temperature", to: "temperature_raw" },
    in: { temperature: 21.5 },
    out: { temperature: 21.5, temperature_raw: 21.5 },
  },
  compile({ from, to }) {
    return {
      compileSlots(slotOf) {
        const [source, copy] = [slotOf(from), slotOf(to)];
        return (values) => {
          const value = values[source];
          if (value !== undefined) values[copy] = value;
          return true;
        };
      },
    };
  },
});

import { Type } from "@sinclair/typebox";

import { defineStep, keyField } from "../define-step.ts";
import type { SlotValues } from "../step.types.ts";

export const renameKeys = defineStep({
  type: "rename_keys",
  summary:
    "Renames keys. A key that already has the new name is replaced. Two keys can exchange their names.",
  fields: Type.Object({
    mapping: Type.Record(Type.String(), keyField("new name"), { description: "old name to new name" }),
  }),
  example: {
    step: { type: "rename_keys", mapping: { t: "temperature" } },
    in: { t: 21.5, h: 40 },
    out: { temperature: 21.5, h: 40 },
  },
  compile({ mapping }) {
    const names = Object.entries(mapping);
    return {
      addTo(program, slotOf) {
        const [pair] = names;
        if (pair === undefined || names.length > 1) return false; // swapped names
        program.move(slotOf(pair[0]), slotOf(pair[1]));
        return true;
      },
      compileSlots(slotOf) {
        const from = names.map(([name]) => slotOf(name));
        const to = names.map(([, name]) => slotOf(name));
        const moved: SlotValues = from.map(() => undefined);
        const [source, target] = [from[0], to[0]];
        if (names.length === 1 && source !== undefined && target !== undefined)
          return (values) => {
            const value = values[source];
            if (value === undefined) return true;
            values[source] = undefined;
            values[target] = value;
            return true;
          };
        return (values) => {
          for (let index = 0; index < from.length; index++) {
            const position = from[index] as number; // within its bounds
            moved[index] = values[position];
            values[position] = undefined;
          }
          for (let index = 0; index < to.length; index++) {
            const value = moved[index];
            if (value === undefined) continue;
            values[to[index] as number] = value;
            moved[index] = undefined;
          }
          return true;
        };
      },
    };
  },
});

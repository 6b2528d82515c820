import { Type } from "@sinclair/typebox";

import { defineStep, keyField } from "../define-step.ts";

export const renameKeys = defineStep({
  type: "rename_keys",
  summary: "Gives keys other names. One that has the new name already is replaced; names may be exchanged.",
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
    const [first] = names;
    if (first !== undefined && names.length === 1) {
      const [from, to] = first;
      return ({ values }) => {
        const value = values.get(from);
        if (value === undefined) return true;
        values.delete(from);
        values.set(to, value);
        return true;
      };
    }
    return ({ values }) => {
      const moved = names.flatMap(([from, to]) => {
        const value = values.get(from);
        return value === undefined ? [] : [{ from, to, value }];
      });
      for (const { from } of moved) values.delete(from);
      for (const { to, value } of moved) values.set(to, value);
      return true;
    };
  },
});

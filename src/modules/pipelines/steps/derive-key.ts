import { Type } from "@sinclair/typebox";

import { compileExpression } from "../../../lib/expressions/expression.ts";
import { numberFormOf, plain, withNumberForm } from "../../../lib/expressions/expression-nodes.ts";
import { defineStep, keyField } from "../define-step.ts";
import type { SlotValues, StepContext } from "../step.types.ts";

export const deriveKey = defineStep({
  type: "derive_key",
  summary:
    'Calculates a key from others: `+ - * / % **`, comparisons, `&& || !`, `condition ? a : b`, `min max round abs sqrt pow log exp floor ceil`, `key("any name")`, `attribute("SERVER", "name")`. If a value that it needs is missing, it sets nothing.',
  fields: Type.Object({
    key: keyField("name of the result"),
    expression: Type.String({ minLength: 1, maxLength: 1_000 }),
  }),
  example: {
    step: { type: "derive_key", key: "power", expression: "round(voltage * current, 1)" },
    in: { voltage: 230, current: 1.52 },
    out: { voltage: 230, current: 1.52, power: 349.6 },
  },
  countParts: ({ expression }) => expression.length,
  compile({ key, expression }) {
    return {
      addTo(program, slotOf) {
        const needs = new Set<number>();
        const form = numberFormOf(
          compileExpression<SlotValues>(expression, {
            key(name) {
              const index = slotOf(name);
              needs.add(index);
              return withNumberForm(
                (values) => plain(values[index]),
                (numbers) => numbers[index] as number,
              );
            },
            attribute: () => () => undefined,
          }),
        );
        const [first, ...others] = needs;
        if (form === undefined || first === undefined) return false;
        program.derive(slotOf(key), [first, ...others], form);
        return true;
      },
      compileSlots(slotOf) {
        let current: StepContext | undefined;
        const reckon = compileExpression<SlotValues>(expression, {
          key(name) {
            const index = slotOf(name);
            return (values) => plain(values[index]);
          },
          attribute: (scope, name) => () => plain(current?.attribute(scope, name)),
        });
        const result = slotOf(key);
        return (values, context) => {
          current = context;
          const value = reckon(values);
          if (value !== undefined) values[result] = value;
          return true;
        };
      },
    };
  },
});

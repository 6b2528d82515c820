import { Type } from "@sinclair/typebox";

import { changeKeys, defineStep, keysField } from "../define-step.ts";

const isEmpty = (value: unknown): boolean =>
  value === "" ||
  (typeof value === "string" && value.trim() === "") ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0);

export const removeEmpty = defineStep({
  type: "remove_empty",
  summary: "Drops empty texts, objects and lists. Zero and false are values, and stay.",
  fields: Type.Object({ keys: Type.Optional(keysField) }),
  example: {
    step: { type: "remove_empty" },
    in: { note: " ", list: [], zero: 0, ok: false },
    out: { zero: 0, ok: false },
  },
  compile({ keys = ["*"] }) {
    return changeKeys(keys, (value) => (isEmpty(value) ? undefined : value));
  },
});

import { Type } from "@sinclair/typebox";

import { invalid } from "../../../lib/core/domain-error.ts";
import { isJsonObject, type JsonValue } from "../../../lib/json/json.ts";
import { createKeyLoop, defineStep, type KeyVisit, keysField } from "../define-step.ts";

const DEPTH_MAX = 10;
const KEYS_MAX = 512;
const KEY_BYTES_MAX = 256;

function ensureFits(key: string, size: number): void {
  if (Buffer.byteLength(key) > KEY_BYTES_MAX)
    throw invalid("step_failure.key_too_long", { max: KEY_BYTES_MAX });
  if (size >= KEYS_MAX) throw invalid("step_failure.too_many_keys", { max: KEYS_MAX });
}

export const flattenObject = defineStep({
  type: "flatten_object",
  summary:
    'Turns the contents of objects into keys: `{"a": {"b": 1}}` becomes `a.b`. Lists stay as they are, nulls are dropped.',
  fields: Type.Object({
    keys: Type.Optional(keysField),
    separator: Type.Optional(
      Type.String({ minLength: 1, maxLength: 5, description: "between the names; `.` by default" }),
    ),
    depth: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: DEPTH_MAX,
        description: `levels to open; ${DEPTH_MAX} unless given`,
      }),
    ),
  }),
  example: {
    step: { type: "flatten_object", separator: "_" },
    in: { battery: { level: 80, cell: { mv: 3900 } } },
    out: { battery_level: 80, battery_cell_mv: 3900 },
  },
  compile({ keys = ["*"], separator = ".", depth = DEPTH_MAX }) {
    const each = createKeyLoop(keys);
    const visit: KeyVisit = (key, value, values) => {
      if (!isJsonObject(value)) return true;
      const open = (name: string, inner: JsonValue | undefined, left: number): void => {
        if (inner === null || inner === undefined) return;
        if (left > 0 && isJsonObject(inner)) {
          for (const [part, content] of Object.entries(inner))
            open(`${name}${separator}${part}`, content as JsonValue, left - 1);
          return;
        }
        ensureFits(name, values.size);
        values.set(name, inner);
      };
      values.delete(key);
      open(key, value as JsonValue, depth);
      return true;
    };
    return ({ values }) => each(values, visit);
  },
});

import { Type } from "@sinclair/typebox";

import { toPlainJson } from "../../../lib/json/plain-json.ts";
import { parseJson } from "../../../lib/json/sent-json.ts";
import type { TelemetryValue } from "../../telemetry/telemetry.types.ts";
import { changeSlots, defineStep } from "../define-step.ts";

type Kind = "number" | "string" | "boolean" | "json";
const YES = new Set(["true", "yes", "on", "1"]);
const NO = new Set(["false", "no", "off", "0", ""]);

function toNumber(value: TelemetryValue): number | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const number = Number(value.trim());
  return Number.isFinite(number) ? number : undefined;
}

function toBoolean(value: TelemetryValue): boolean | undefined {
  if (typeof value === "number") return value !== 0;
  if (typeof value !== "string") return undefined;
  const word = value.trim().toLowerCase();
  return YES.has(word) ? true : NO.has(word) ? false : undefined;
}

function toJson(value: TelemetryValue): TelemetryValue | undefined {
  if (typeof value !== "string") return value;
  try {
    // Numbers beyond the range of doubles and values nested too deep to be stored stay strings.
    return toPlainJson(parseJson(value), "telemetry") ?? undefined;
  } catch {
    return undefined;
  }
}

function coerce(value: TelemetryValue, kind: Kind): TelemetryValue | undefined {
  if (kind === "json") return toJson(value);
  if (typeof value === kind) return value;
  if (kind === "number") return toNumber(value);
  if (kind === "boolean") return toBoolean(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const kinds = (["number", "string", "boolean", "json"] as const).map((kind) => Type.Literal(kind));

export const coerceTypes = defineStep({
  type: "coerce_types",
  summary:
    "Converts values to numbers, texts, booleans or JSON. A value that cannot be converted stays as it is, or is dropped with `otherwise: drop_key`.",
  fields: Type.Object({
    types: Type.Record(Type.String(), Type.Union(kinds), {
      description: "key to type; true, yes, on and 1 are true, false, no, off, 0 and an empty text are false",
    }),
    otherwise: Type.Optional(
      Type.Union([Type.Literal("keep"), Type.Literal("drop_key")], { description: "keep by default" }),
    ),
  }),
  example: {
    step: { type: "coerce_types", types: { temperature: "number", running: "boolean" } },
    in: { temperature: "21.5", running: "on" },
    out: { temperature: 21.5, running: true },
  },
  compile({ types, otherwise = "keep" }) {
    const wanted = new Map(Object.entries(types) as Array<[string, Kind]>); // as the fields have it
    return changeSlots([...wanted.keys()], (value, key) => {
      const kind = wanted.get(key);
      const telemetryValue = kind === undefined ? value : coerce(value, kind);
      return telemetryValue ?? (otherwise === "drop_key" ? undefined : value);
    });
  },
});

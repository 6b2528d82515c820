import { durationText } from "../../platform/i18n/duration-text.ts";
import { t } from "../../platform/i18n/i18n.ts";
import type { Operator } from "./alarms-api.ts";

/** A value as a person reads it; what is not there is said so. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return t("condition.nothing");
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `“${value}”`;
  return JSON.stringify(value);
}

interface Comparison {
  readonly key?: string;
  readonly op?: Operator;
  readonly forMs?: number;
  readonly against?: unknown;
  readonly value?: unknown;
  readonly attribute?: { readonly key: string };
}

/** A comparison, or silence, as a sentence: `temperature is above 50`. */
export function conditionText(part: Comparison): string {
  const key = part.key ?? "";
  if (part.forMs !== undefined) return t("condition.silent", { key, time: durationText(part.forMs) });
  const against = part.against ?? part.value;
  if (part.op === "BETWEEN") {
    const [low, high] = Array.isArray(against) ? against : [undefined, undefined];
    return t("condition.BETWEEN", { key, low: valueText(low), high: valueText(high) });
  }
  if (part.op === "CHANGED") return t("condition.CHANGED", { key });
  const value =
    part.attribute === undefined
      ? Array.isArray(against)
        ? against.map(valueText).join(", ")
        : valueText(against)
      : t("condition.attribute", { key: part.attribute.key });
  return t(`condition.${part.op ?? "EQ"}`, { key, value });
}

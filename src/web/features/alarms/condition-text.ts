import { decimalsOf, stateOf } from "../../../lib/keys/key-format.ts";
import type { KeyMetadata } from "../../../lib/keys/key-metadata.ts";
import type { JsonValue } from "../../lib/wire.ts";
import { durationText } from "../../platform/i18n/duration-text.ts";
import { formatReading } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import type { Operator } from "./alarms-api.ts";

/** Formats a condition's value with the metadata of its key. A missing value gets a placeholder. */
export function valueText(value: unknown, metadata?: KeyMetadata): string {
  if (value === null || value === undefined) return t("condition.nothing");
  if (typeof value === "string" && stateOf(value, metadata) === undefined) return `“${value}”`;
  return formatReading(value as JsonValue, metadata);
}

/** Formats the other side of a comparison. A threshold keeps its decimals. */
function thresholdText(value: unknown, metadata?: KeyMetadata): string {
  const { decimals } = metadata ?? {};
  if (metadata === undefined || decimals === undefined || typeof value !== "number")
    return valueText(value, metadata);
  return valueText(value, { ...metadata, decimals: Math.max(decimals, decimalsOf(value)) });
}

interface Comparison {
  readonly key?: string;
  readonly op?: Operator;
  readonly forMs?: number | undefined;
  /** True if the silence is derived from the usual interval of the key. */
  readonly isObserved?: boolean;
  readonly against?: unknown;
  readonly value?: unknown;
  readonly attribute?: { readonly key: string };
}

/** Describes a comparison, or silence, in a sentence: `temperature is above 50`. */
export function conditionText(part: Comparison, metadata?: KeyMetadata): string {
  const key = metadata?.name ?? part.key ?? "";
  if (part.isObserved && part.forMs === undefined) return t("condition.silentAsObserved", { key });
  if (part.forMs !== undefined) return t("condition.silent", { key, time: durationText(part.forMs) });
  const against = part.against ?? part.value;
  if (part.op === "BETWEEN") {
    const [low, high] = Array.isArray(against) ? against : [undefined, undefined];
    return t("condition.BETWEEN", {
      key,
      low: thresholdText(low, metadata),
      high: thresholdText(high, metadata),
    });
  }
  if (part.op === "CHANGED") return t("condition.CHANGED", { key });
  const value =
    part.attribute === undefined
      ? Array.isArray(against)
        ? against.map((value) => thresholdText(value, metadata)).join(", ")
        : thresholdText(against, metadata)
      : t("condition.attribute", { key: part.attribute.key });
  return t(`condition.${part.op ?? "EQ"}`, { key, value });
}

import type { KeyLimits, KeyMetadata } from "../../../lib/keys/key-metadata.ts";
import { formatReading } from "../../platform/i18n/format.ts";

type Metadata = Omit<KeyMetadata, "key">;

const joined = (limits: KeyLimits, names: readonly (keyof KeyLimits)[], metadata: Metadata): string =>
  names
    .flatMap((name) => limits[name] ?? [])
    .map((limit) => formatReading(limit, { key: "", ...metadata }))
    .join(" / ");

/** Returns the limits at which a value has a color, such as `≤ 2 °C · ≥ 63 °C / 70 °C`; empty without any. */
export function limitsText(metadata: Metadata | undefined): string {
  const limits = metadata?.limits ?? {};
  if (metadata === undefined) return "";
  const low = joined(limits, ["lowLow", "low"], metadata);
  const high = joined(limits, ["high", "highHigh"], metadata);
  return [...(low === "" ? [] : [`≤ ${low}`]), ...(high === "" ? [] : [`≥ ${high}`])].join(" · ");
}

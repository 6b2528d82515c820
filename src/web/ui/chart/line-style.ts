import type { KeyMetadata } from "../../../lib/key-metadata.ts";
import { formatReading } from "../../platform/i18n/format.ts";
import type { ChartSeries } from "./chart-axes.ts";

/** Returns how the line of a key is drawn: states as steps between their names, numbers with their unit. */
export function lineStyle(
  metadata: KeyMetadata | undefined,
  firstValue: unknown,
): Pick<ChartSeries, "stepped" | "unit" | "marks"> {
  const isBoolean = typeof firstValue === "boolean";
  if (!isBoolean && metadata?.kind !== "state") return { stepped: false, unit: metadata?.unit };
  const values = isBoolean ? [false, true] : (metadata?.states ?? []).map(({ value }) => value);
  const marks = values.flatMap((value) =>
    typeof value === "string" ? [] : [[Number(value), formatReading(value, metadata)] as const],
  );
  return { stepped: true, ...(marks.length > 0 && { marks: marks.sort(([a], [b]) => a - b) }) };
}

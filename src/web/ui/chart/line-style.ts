import {
  type KeyLimits,
  type KeyMetadata,
  LIMIT_NAMES,
  limitSeverities,
} from "../../../lib/keys/key-metadata.ts";
import { formatReading } from "../../platform/i18n/format.ts";
import { severityColor } from "../state/severity-colors.ts";
import type { ChartBand, ChartLimit } from "./chart.types.ts";
import type { ChartSeries } from "./chart-axes.ts";

/** Returns the style of a key's line: states as steps between their names, numbers with their unit. */
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

/** Returns a color of the theme in a format for a canvas. */
export const themeColor = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--color-${name}`);

const limitColor = (level: "warning" | "critical"): string => severityColor(limitSeverities[level]);

/** Returns the limits of the keys of a chart, each once; `scale` is the value axis of a key. */
export function limitLines(
  keys: ReadonlyArray<{ readonly metadata: KeyMetadata | undefined; readonly scale: number }>,
): ChartLimit[] {
  const lines = new Map<string, ChartLimit>();
  for (const { metadata, scale } of keys)
    for (const name of LIMIT_NAMES) {
      const value = metadata?.limits?.[name];
      if (value === undefined) continue;
      const color = limitColor(name === "low" || name === "high" ? "warning" : "critical");
      lines.set(`${scale} ${value} ${color}`, { value, color, scale });
    }
  return [...lines.values()];
}

/** Returns the ranges of values beyond the limits: first those of a warning, then critical ones. */
function bandsOf({ lowLow, low, high, highHigh }: KeyLimits): Omit<ChartBand, "scale">[] {
  const [warning, critical] = [limitColor("warning"), limitColor("critical")];
  return [
    ...(high === undefined ? [] : [{ from: high, to: highHigh ?? Number.POSITIVE_INFINITY, color: warning }]),
    ...(low === undefined ? [] : [{ from: lowLow ?? Number.NEGATIVE_INFINITY, to: low, color: warning }]),
    ...(highHigh === undefined ? [] : [{ from: highHigh, to: Number.POSITIVE_INFINITY, color: critical }]),
    ...(lowLow === undefined ? [] : [{ from: Number.NEGATIVE_INFINITY, to: lowLow, color: critical }]),
  ];
}

/**
 * Returns the shaded ranges beyond the limits of the keys. Lines of one axis with different limits have none, because their owners could not be told
 * apart.
 */
export function limitBands(
  keys: ReadonlyArray<{ readonly metadata: KeyMetadata | undefined; readonly scale: number }>,
): ChartBand[] {
  return [...Map.groupBy(keys, ({ scale }) => scale)].flatMap(([scale, own]) => {
    const [first, ...others] = own.map(({ metadata }) => metadata?.limits ?? {});
    const isShared = others.every((limits) => LIMIT_NAMES.every((name) => limits[name] === first?.[name]));
    return first !== undefined && isShared ? bandsOf(first).map((band) => ({ ...band, scale })) : [];
  });
}

// A generator as it is edited, and as the gateway is told.
import type { GeneratorConfig, Metric, Pattern } from "./generators-api.ts";

export interface MetricRow {
  /** Id of the row in the form. It is not sent. */
  readonly id: number;
  readonly key: string;
  readonly pattern: Pattern;
  /** Numbers as they are typed; decimals and step may be empty. */
  readonly min: string;
  readonly max: string;
  readonly decimals: string;
  readonly step: string;
  readonly periodSeconds: string;
}

export interface ConfigForm {
  readonly intervalMs: number;
  readonly rows: readonly MetricRow[];
  /** `undefined` if a device of its own. */
  readonly deviceIds: readonly string[] | undefined;
}

let rowCount = 0;

export const newRow = (key = "", [min, max] = ["0", "100"]): MetricRow => ({
  id: rowCount++,
  key,
  pattern: "walk",
  min,
  max,
  decimals: "",
  step: "",
  periodSeconds: "",
});

const textOf = (value: number | null | undefined) => String(value ?? "");

export function formOf(config: GeneratorConfig | undefined): ConfigForm {
  if (config === undefined)
    return { intervalMs: 10_000, rows: [newRow("temperature", ["18", "26"])], deviceIds: undefined };
  return {
    intervalMs: Math.round(config.intervalSeconds * 1000),
    rows: config.metrics.map((metric) => ({
      id: rowCount++,
      key: metric.key,
      pattern: metric.pattern ?? "random",
      min: String(metric.min),
      max: String(metric.max),
      decimals: textOf(metric.decimals),
      step: textOf(metric.step),
      periodSeconds: textOf(metric.periodSeconds),
    })),
    deviceIds: config.deviceIds ?? undefined,
  };
}

export const usesStep = (pattern: Pattern): boolean => pattern === "walk" || pattern === "counter";

/** Returns `undefined` if nothing was entered; what is no number stays none, and the gateway says so. */
function numberOf(text: string): number | undefined {
  const typed = text.trim();
  return typed === "" ? undefined : Number(typed);
}

/** Returns the metric of a row. Fields that do not belong to the chosen pattern stay in the form and are not sent. */
function metricOf(row: MetricRow): Metric {
  const decimals = numberOf(row.decimals);
  const step = usesStep(row.pattern) ? numberOf(row.step) : undefined;
  const periodSeconds = row.pattern === "sine" ? numberOf(row.periodSeconds) : undefined;
  return {
    key: row.key.trim(),
    min: numberOf(row.min) ?? Number.NaN,
    max: numberOf(row.max) ?? Number.NaN,
    pattern: row.pattern,
    ...(decimals !== undefined && { decimals }),
    ...(step !== undefined && { step }),
    ...(periodSeconds !== undefined && { periodSeconds }),
  };
}

export const configOf = ({ intervalMs, rows, deviceIds }: ConfigForm): GeneratorConfig => ({
  intervalSeconds: intervalMs / 1000,
  metrics: rows.map(metricOf),
  ...(deviceIds !== undefined && { deviceIds }),
});

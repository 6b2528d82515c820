import { detail } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import { type GeneratorConfig, type Metric, PATTERNS, type Pattern } from "./generators.types.ts";
import { counterUnits, DECIMALS_MAX, gridOf } from "./metric-values.ts";

const INTERVAL_SECONDS_MIN = 0.1;
const INTERVAL_SECONDS_MAX = 86_400;
const PERIOD_SECONDS_MAX = 366 * 86_400;
const METRICS_MAX = 100;
const DEVICES_MAX = 1_000;
const KEY_BYTES_MAX = 256;
/** Max. absolute value. Larger doubles lose decimals, and no sensor counts that far. */
const NUMBER_MAX = 1e15;
/** Max. listed errors. */
const ERRORS_SHOWN = 20;
/** Max. messages per second of a tenant's generators: a tenth of a small gateway's capacity, so that devices keep the rest. */
export const MESSAGES_PER_SECOND_MAX = 1_000;
export const VALUES_PER_SECOND_MAX = 10_000;

/** Validated config; `config` is set if there are no errors. */
export interface CheckedConfig {
  readonly config: GeneratorConfig | undefined;
  readonly errors: readonly Text[];
  /** Settings that are allowed but perhaps unintended. */
  readonly warnings: readonly Text[];
}

interface Notes {
  readonly errors: Text[];
  readonly warnings: Text[];
}

/** Returns the messages and values per second of a config. */
export function rateOf({ intervalSeconds, metrics }: GeneratorConfig, devices: number) {
  const messages = devices / intervalSeconds;
  return { messages, values: messages * metrics.length };
}

/** Returns the exceeded limit; undefined if there is none. */
export function tooFast(rate: { messages: number; values: number }): Text | undefined {
  if (rate.messages > MESSAGES_PER_SECOND_MAX)
    return detail("rule.messages_per_second", { max: MESSAGES_PER_SECOND_MAX });
  if (rate.values > VALUES_PER_SECOND_MAX)
    return detail("rule.values_per_second", { max: VALUES_PER_SECOND_MAX });
  return undefined;
}

export const problem = (field: string, rule: Text) => detail("generator.problem", { field, rule });

export function checkConfig(input: unknown): CheckedConfig {
  const notes: Notes = { errors: [], warnings: [] };
  if (!isJsonObject(input))
    return { config: undefined, errors: [problem("config", detail("rule.object"))], warnings: [] };
  noteUnknown(input, { knownFields: ["intervalSeconds", "metrics", "deviceIds"], path: "config" }, notes);
  const intervalSeconds = checkNumber(input.intervalSeconds, "intervalSeconds", notes, {
    min: INTERVAL_SECONDS_MIN,
    max: INTERVAL_SECONDS_MAX,
  });
  const deviceIds = checkDevices(input.deviceIds, notes);
  const metrics = checkMetrics(input.metrics, notes);
  const config: GeneratorConfig = {
    intervalSeconds: intervalSeconds ?? INTERVAL_SECONDS_MAX,
    metrics,
    ...(deviceIds !== undefined && { deviceIds }),
  };
  if (notes.errors.length === 0) checkLimits(config, notes);
  const { errors, warnings } = notes;
  const more = errors.length - ERRORS_SHOWN;
  return {
    config: errors.length === 0 ? config : undefined,
    errors:
      more > 0
        ? [...errors.slice(0, ERRORS_SHOWN), detail("generator.more_problems", { count: more })]
        : errors,
    warnings: warnings.slice(0, ERRORS_SHOWN),
  };
}

/** Checks limits on the configuration as a whole. */
function checkLimits(config: GeneratorConfig, { errors, warnings }: Notes): void {
  const { intervalSeconds, metrics, deviceIds } = config;
  const rate = rateOf(config, deviceIds?.length ?? 1);
  const excess = tooFast(rate);
  if (excess !== undefined)
    errors.push(problem("intervalSeconds", detail("rule.interval_short", { excess })));
  if (intervalSeconds < 1)
    warnings.push(
      problem("intervalSeconds", detail("rule.interval_values", { count: Math.round(rate.values * 86_400) })),
    );
  for (const [index, { pattern, periodSeconds }] of metrics.entries())
    if (pattern === "sine" && periodSeconds !== undefined && periodSeconds < 4 * intervalSeconds)
      warnings.push(problem(`metrics[${index}].periodSeconds`, detail("rule.wave_short")));
}

function noteUnknown(
  input: object,
  { knownFields, path }: { knownFields: readonly string[]; path: string },
  notes: Notes,
) {
  for (const name of Object.keys(input).slice(0, 100))
    if (!knownFields.includes(name))
      notes.warnings.push(problem(`${path}.${excerpt(name)}`, detail("rule.left_out")));
}

function checkNumber(
  value: unknown,
  name: string,
  { errors }: Notes,
  { min, max }: { min: number; max: number },
): number | undefined {
  if (typeof value === "number" && value >= min && value <= max) return value;
  errors.push(
    problem(name, max === NUMBER_MAX ? detail("rule.number") : detail("rule.number_between", { min, max })),
  );
  return undefined;
}

function checkDevices(value: unknown, { errors }: Notes): DeviceId[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.some((id) => typeof id !== "string" || id === "" || id.length > 64))
    errors.push(problem("deviceIds", detail("rule.device_ids_list")));
  else if (value.length === 0) errors.push(problem("deviceIds", detail("rule.device_ids_empty")));
  else {
    const ids = [...new Set(value as DeviceId[])]; // checked for existence where the caller is known
    if (ids.length <= DEVICES_MAX) return ids;
    errors.push(problem("deviceIds", detail("rule.at_most", { max: DEVICES_MAX })));
  }
  return [];
}

function checkMetrics(value: unknown, notes: Notes): Metric[] {
  const { errors } = notes;
  if (!Array.isArray(value) || value.length === 0) {
    errors.push(problem("metrics", detail("rule.metrics_list")));
    return [];
  }
  if (value.length > METRICS_MAX) {
    errors.push(problem("metrics", detail("rule.at_most", { max: METRICS_MAX })));
    return [];
  }
  const metrics = value.map((metric: unknown, index) => checkMetric(metric, `metrics[${index}]`, notes));
  const seen = new Set<string>();
  for (const [index, { key }] of metrics.entries()) {
    if (key !== "" && seen.has(key)) errors.push(problem(`metrics[${index}].key`, detail("rule.twice")));
    seen.add(key);
  }
  return metrics;
}

const METRIC_FIELDS = ["key", "min", "max", "decimals", "pattern", "step", "periodSeconds"];

function checkMetric(input: unknown, path: string, notes: Notes): Metric {
  const nothing: Metric = { key: "", min: 0, max: 0 };
  if (!isJsonObject(input)) {
    notes.errors.push(problem(path, detail("rule.metric_object")));
    return nothing;
  }
  const before = notes.errors.length;
  noteUnknown(input, { knownFields: METRIC_FIELDS, path }, notes);
  const range = { min: -NUMBER_MAX, max: NUMBER_MAX };
  const key = checkKey(input.key, `${path}.key`, notes);
  const min = checkNumber(input.min, `${path}.min`, notes, range) ?? 0;
  const max = checkNumber(input.max, `${path}.max`, notes, range) ?? 0;
  const pattern = checkPattern(input.pattern, `${path}.pattern`, notes);
  const optional = (name: "step" | "periodSeconds" | "decimals", limits: { min: number; max: number }) => {
    const value = input[name];
    return value === undefined || value === null
      ? undefined
      : checkNumber(value, `${path}.${name}`, notes, limits);
  };
  const decimals = optional("decimals", { min: 0, max: DECIMALS_MAX });
  const step = optional("step", { min: Number.MIN_VALUE, max: NUMBER_MAX });
  const periodSeconds = optional("periodSeconds", { min: INTERVAL_SECONDS_MIN, max: PERIOD_SECONDS_MAX });
  if (decimals !== undefined && !Number.isInteger(decimals))
    notes.errors.push(problem(`${path}.decimals`, detail("rule.whole")));
  const metric: Metric = {
    key,
    min,
    max,
    ...(decimals !== undefined && { decimals }),
    ...(pattern !== undefined && { pattern }),
    ...(step !== undefined && { step }),
    ...(periodSeconds !== undefined && { periodSeconds }),
  };
  if (notes.errors.length === before) checkMetricLimits(metric, path, notes);
  return metric;
}

function checkMetricLimits(metric: Metric, path: string, { errors, warnings }: Notes): void {
  const { min, max, step, pattern = "random", periodSeconds } = metric;
  if (min > max) {
    errors.push(problem(path, detail("rule.min_above_max")));
    return;
  }
  const grid = gridOf(metric);
  if (grid === undefined) {
    errors.push(problem(`${path}.decimals`, detail("rule.decimals_range")));
    return;
  }
  if (grid.size === 0) warnings.push(problem(path, detail("rule.one_value")));
  const usesStep = pattern === "counter" || pattern === "walk";
  if (step !== undefined && !usesStep) warnings.push(problem(`${path}.step`, detail("rule.step_pattern")));
  if (step !== undefined && usesStep && grid.size > 0) checkStep(metric, path, errors);
  if (periodSeconds !== undefined && pattern !== "sine")
    warnings.push(problem(`${path}.periodSeconds`, detail("rule.period_pattern")));
}

function checkStep(metric: Metric, path: string, errors: Text[]): void {
  const grid = gridOf(metric);
  if (grid === undefined || metric.step === undefined) return;
  if (metric.step > metric.max - metric.min) errors.push(problem(`${path}.step`, detail("rule.step_long")));
  else if (metric.pattern === "counter") {
    const units = counterUnits(metric, grid);
    const exact = metric.step * grid.unitsPerOne;
    if (units < 1 || Math.abs(units - exact) > 1e-6 * Math.max(1, exact))
      errors.push(problem(`${path}.step`, detail("rule.step_decimals")));
  }
}

function checkKey(value: unknown, path: string, { errors }: Notes): string {
  const isKey = typeof value === "string" && value.trim() !== "" && Buffer.byteLength(value) <= KEY_BYTES_MAX;
  if (isKey) return value;
  errors.push(problem(path, detail("rule.text_bytes", { max: KEY_BYTES_MAX })));
  return "";
}

function checkPattern(value: unknown, path: string, { errors }: Notes): Pattern | undefined {
  if (value === undefined || value === null) return undefined;
  const pattern = PATTERNS.find((candidate) => candidate === value);
  if (pattern === undefined)
    errors.push(problem(path, detail("rule.one_of", { values: PATTERNS.join(", ") })));
  return pattern;
}

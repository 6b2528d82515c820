import { guessKeyMetadata } from "../../lib/key-guess.ts";
import type { KeyMetadata, KeyMetadataMap } from "../../lib/key-metadata.ts";
import type { TelemetryValue } from "../telemetry/telemetry.types.ts";
import type { DashboardContent } from "./dashboards.types.ts";

/** Columns of the grid. */
const COLUMNS = 12;
const CHARTS_MAX = 6;
const VALUES_MAX = 6;
const COUNTERS_MAX = 3;
const LANES_MAX = 4;
const TABLE_KEYS_MAX = 5;
const DAY_MS = 86_400_000;

/** Describes what a device last said, by key: shows which keys are numbers and which are states. */
export type Sample = Readonly<Record<string, TelemetryValue>>;

export const dashboardTemplates = ["AUTO", "CLIMATE", "ENERGY", "MOTOR", "LORAWAN"] as const;
export type DashboardTemplate = (typeof dashboardTemplates)[number];

/** Keys that a template shows first, by words in their names. */
const firstKeys: Readonly<Record<DashboardTemplate, RegExp | undefined>> = {
  AUTO: undefined,
  CLIMATE: /temp|hum|feucht|co2|dew|taupunkt|pressure|voc|pm\d/i,
  ENERGY: /energ|kwh|power|leistung|volt|spannung|current|strom|cos|freq/i,
  MOTOR: /vib|rms|accel|schwing|speed|rpm|drehzahl|torque|moment|current|strom|bearing|lager|temp/i,
  LORAWAN: /batt|akku|rssi|snr|radio_/i,
};

/** Radio data and the like are of use when something is wrong, and seldom what one wants to see. */
const isAside = (key: string) => /^(radio_|rssi$|snr$|fcnt|lqi|linkquality|uptime|heap)/i.test(key);

function inOrder(keys: readonly string[], template: DashboardTemplate): string[] {
  const first = firstKeys[template];
  const rankOf = (key: string) => (first?.test(key) ? 0 : isAside(key) ? 2 : 1);
  return [...keys].sort((a, b) => rankOf(a) - rankOf(b)); // sorting keeps the order of equals
}

interface Created {
  readonly type: string;
  readonly name: string;
  readonly w: number;
  readonly h: number;
  readonly config: Readonly<Record<string, unknown>>;
}

/** Places widgets side by side, and below where there is no room. */
function place(widgets: readonly Created[]): Pick<DashboardContent, "widgets" | "layout"> {
  let [x, y, rowHeight] = [0, 0, 0];
  const layout = widgets.map(({ w, h }, index) => {
    if (x + w > COLUMNS) [x, y, rowHeight] = [0, y + rowHeight, 0];
    const cell = { i: `w${index + 1}`, x, y, w, h };
    x += w;
    rowHeight = Math.max(rowHeight, h);
    return cell;
  });
  return {
    layout,
    widgets: widgets.map(({ type, name, config }, index) => ({
      widgetId: `w${index + 1}`,
      type,
      name,
      config,
    })),
  };
}

/** Returns the ends of a gauge: a tenth beyond the outermost limits. */
function scaleOf({ unit, limits = {} }: KeyMetadata): { min: number; max: number } | undefined {
  const values = Object.values(limits);
  if (values.length === 0) return undefined;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (unit === "%") return { min: 0, max: 100 };
  const margin = (high - low || Math.abs(high) || 1) * 0.1;
  const round = (value: number) => Number(value.toPrecision(3));
  return { min: low >= 0 ? Math.min(0, low) : round(low - margin), max: round(high + margin) };
}

interface Keys {
  readonly gauges: readonly string[];
  readonly counters: readonly string[];
  readonly states: readonly string[];
}

/** Sorts keys by what their values mean: by their metadata, else by their names and newest values. */
function sorted(sample: Sample, metadataOf: (key: string) => KeyMetadata, template: DashboardTemplate): Keys {
  const keys = inOrder(Object.keys(sample).sort(), template);
  const isState = (key: string) =>
    typeof sample[key] === "boolean" ||
    typeof sample[key] === "string" ||
    metadataOf(key).kind === "state" ||
    metadataOf(key).states !== undefined;
  const numbers = keys.filter((key) => typeof sample[key] === "number" && !isState(key));
  const isCounter = (key: string) => metadataOf(key).kind === "counter";
  return {
    gauges: numbers.filter((key) => !isCounter(key)),
    counters: numbers.filter(isCounter),
    states: keys.filter((key) => isState(key) && metadataOf(key).kind !== "text"),
  };
}

function numberWidgets(
  aliasId: string,
  { gauges, counters }: Keys,
  { metadataOf, timezone }: { metadataOf: (key: string) => KeyMetadata; timezone: string },
): Created[] {
  const nameOf = (key: string) => metadataOf(key).name ?? key;
  const tiles = gauges.slice(0, VALUES_MAX).map((key): Created => {
    const scale = scaleOf(metadataOf(key));
    return scale === undefined
      ? {
          type: "value",
          name: nameOf(key),
          w: 2,
          h: 2,
          config: { aliasId, key, aggregation: "avg", maxDataPoints: 60 },
        }
      : { type: "gauge", name: nameOf(key), w: 2, h: 2, config: { aliasId, key, ...scale } };
  });
  const energy = counters.slice(0, COUNTERS_MAX).map((key) => ({
    type: "energy",
    name: nameOf(key),
    w: 6,
    h: 4,
    config: { aliasId, keys: [key], interval: "1h", timezone, maxDataPoints: 2_000 },
  }));
  const charts = gauges.slice(0, CHARTS_MAX).map((key) => ({
    type: "timeseries",
    name: nameOf(key),
    w: 6,
    h: 4,
    config: { aliasId, keys: [key], aggregation: "avg" },
  }));
  return [...tiles, ...energy, ...charts];
}

export interface TypeDashboard {
  readonly name: string;
  readonly deviceType: string;
  readonly template: DashboardTemplate;
  /** Time zone of the intervals of counters. */
  readonly timezone: string;
  readonly sample: Sample;
  readonly metadata: KeyMetadataMap;
}

/**
 * A dashboard for all devices of a type, made of the keys that they send: which are active, gauges of values with limits, their newest
 * values, consumption of counters, a chart of each number, states over time, and alarms.
 */
export function dashboardForType(request: TypeDashboard): DashboardContent {
  const { name, deviceType, template, timezone, sample, metadata } = request;
  const aliasId = "devices";
  const metadataOf = (key: string): KeyMetadata =>
    metadata.get(key) ?? { key, ...guessKeyMetadata(key, sample[key]) };
  const keys = sorted(sample, metadataOf, template);
  const [main] = keys.gauges;
  const shown = inOrder([...keys.gauges, ...keys.counters, ...keys.states], template);
  const lanes = keys.states.slice(0, LANES_MAX);
  const widgets: Created[] = [
    {
      type: "statusGrid",
      name: deviceType,
      w: 8,
      h: 3,
      config: { aliasId, ...(main !== undefined && { key: main }) },
    },
    { type: "alarmList", name: "", w: 4, h: 3, config: { aliasId, limit: 20 } },
    ...numberWidgets(aliasId, keys, { metadataOf, timezone }),
    ...lanes.map((key) => ({
      type: "stateTimeline",
      name: metadataOf(key).name ?? key,
      w: 12,
      h: 3,
      config: { aliasId, keys: [key], maxDataPoints: 2_000 },
    })),
    {
      type: "deviceTable",
      name: deviceType,
      w: 12,
      h: 4,
      config: { aliasId, keys: shown.slice(0, TABLE_KEYS_MAX) },
    },
  ];
  return {
    name,
    type: "STATIC",
    states: [{ id: "default", name }],
    aliases: [{ id: aliasId, name: deviceType, type: "deviceType", deviceType }],
    ...place(widgets),
    timeWindow: { mode: "live", durationMs: DAY_MS },
    configuration: null,
    settings: null,
  };
}

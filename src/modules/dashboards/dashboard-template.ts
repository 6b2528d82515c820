import { DAY_MS } from "../../lib/core/units.ts";
import { guessKeyMetadata } from "../../lib/keys/key-guess.ts";
import type { KeyMetadata, KeyMetadataMap } from "../../lib/keys/key-metadata.ts";
import type { TelemetryValue } from "../telemetry/telemetry.types.ts";
import type { DashboardContent } from "./dashboards.resource.ts";
import type { DashboardTemplate } from "./dashboards.types.ts";

/** Columns of the grid. */
const COLUMNS = 12;
const CHARTS_MAX = 6;
const VALUES_MAX = 6;
const COUNTERS_MAX = 3;
const LANES_MAX = 4;
const TABLE_KEYS_MAX = 5;

/** Newest values of a device by key, which distinguish numbers from states. */
export type Sample = Readonly<Record<string, TelemetryValue>>;

/** Keys that a template shows first, by words in their names. */
const firstKeys: Readonly<Record<DashboardTemplate, RegExp | undefined>> = {
  AUTO: undefined,
  CLIMATE: /temp|hum|feucht|co2|dew|taupunkt|pressure|voc|pm\d/i,
  ENERGY: /energ|kwh|power|leistung|volt|spannung|current|strom|cos|freq/i,
  MOTOR: /vib|rms|accel|schwing|speed|rpm|drehzahl|torque|moment|current|strom|bearing|lager|temp/i,
  LORAWAN: /batt|akku|rssi|snr|radio_/i,
};

/** Returns whether a key is only useful for troubleshooting, such as radio data. */
const isAside = (key: string) => /^(radio_|rssi$|snr$|fcnt|lqi|linkquality|uptime|heap)/i.test(key);

/** Sorts keys by relevance: first the template's keys, then keys with limits. */
function inOrder(
  keys: readonly string[],
  template: DashboardTemplate,
  metadataOf: (key: string) => KeyMetadata,
): string[] {
  const first = firstKeys[template];
  const rankOf = (key: string) => {
    const hasLimits = metadataOf(key).limits !== undefined;
    return (first?.test(key) ? 0 : isAside(key) ? 4 : 2) + (hasLimits ? 0 : 1);
  };
  return [...keys].sort((a, b) => rankOf(a) - rankOf(b)); // sorting keeps the order of equals
}

/** Returns a device type as a title: `energy-meter` becomes `Energy meter`. */
export function typeTitle(deviceType: string): string {
  const words = deviceType.replaceAll(/[-_\s]+/g, " ").trim();
  return words === "" ? deviceType : words[0]?.toUpperCase() + words.slice(1);
}

interface Created {
  readonly type: string;
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/** Widgets side by side. */
interface Row {
  readonly h: number;
  readonly widgets: readonly (Created & { readonly w: number })[];
}

/** Returns a row whose widgets share the width evenly. */
const evenRow = (h: number, widgets: readonly Created[]): Row => {
  const edge = (index: number) => Math.round((COLUMNS * index) / widgets.length);
  return { h, widgets: widgets.map((widget, index) => ({ ...widget, w: edge(index + 1) - edge(index) })) };
};

const CHARTS_A_ROW = 3;

/** Returns rows of two or three charts without gaps; only a single chart has its own row. */
function chartRows(charts: readonly Created[]): Row[] {
  const rows: Row[] = [];
  for (let begin = 0; begin < charts.length; ) {
    const rest = charts.length - begin;
    const count = rest === 4 ? 2 : Math.min(CHARTS_A_ROW, rest);
    rows.push(evenRow(CHART_ROWS, charts.slice(begin, begin + count)));
    begin += count;
  }
  return rows;
}

const CHART_ROWS = 3;
const TILE_COLUMNS = 3;

/** Returns the tiles and charts. If there are few tiles, they are placed next to the first chart. */
function tilesAndCharts(tiles: readonly Created[], charts: readonly Created[]): Row[] {
  const [first, ...others] = charts;
  if (tiles.length > 2 || first === undefined)
    return [...(tiles.length > 0 ? [evenRow(2, tiles)] : []), ...chartRows(charts)];
  const narrow = tiles.map((tile) => ({ ...tile, w: TILE_COLUMNS }));
  const wide = { ...first, w: COLUMNS - TILE_COLUMNS * tiles.length };
  return [{ h: CHART_ROWS, widgets: [...narrow, wide] }, ...chartRows(others)];
}

/** Places rows of widgets below each other. */
function place(rows: readonly Row[]): Pick<DashboardContent, "widgets" | "layout"> {
  const widgets: Record<string, unknown>[] = [];
  const layout: Record<string, unknown>[] = [];
  let y = 0;
  for (const row of rows) {
    let x = 0;
    for (const { type, name, config, w } of row.widgets) {
      const id = `w${widgets.length + 1}`;
      widgets.push({ widgetId: id, type, name, config });
      layout.push({ i: id, x, y, w, h: row.h });
      x += w;
    }
    y += row.h;
  }
  return { widgets, layout };
}

/** Height of a grid row and of a widget's head, in px at the default font size. */
const ROW_PX = 88;
const HEAD_PX = 48;
const ROWS_MIN = 2;

/** Returns the number of grid rows for a list of the given height. */
const rowsFor = (contentPx: number, max: number): number =>
  Math.min(max, Math.max(ROWS_MIN, Math.ceil((contentPx + HEAD_PX) / ROW_PX)));

const STATUS_TILES_A_ROW = 5;
const heightOf = {
  statusGrid: (devices: number) => rowsFor(Math.ceil(devices / STATUS_TILES_A_ROW) * 72, 4),
  stateTimeline: (devices: number) => rowsFor(devices * 32 + 20, 5),
  deviceTable: (devices: number) => rowsFor((devices + 1) * 41, 6),
};

/** Factor for the end of a gauge above the newest value, if all limits of the key are below it. */
const VALUE_MARGIN = 1.2;

/**
 * Returns the ends of a gauge: the key's range if it has both, otherwise round numbers at least a tenth beyond the outermost limits and the newest
 * value.
 */
function scaleOf(
  { unit, min, max, limits = {} }: KeyMetadata,
  newest: TelemetryValue | undefined,
): { min: number; max: number } | undefined {
  if (min !== undefined && max !== undefined) return { min, max };
  const values = Object.values(limits);
  if (values.length === 0) return undefined;
  const value = typeof newest === "number" ? newest : Number.NEGATIVE_INFINITY;
  const low = Math.min(...values);
  const high = Math.max(...values, value > Math.max(0, ...values) ? value * VALUE_MARGIN : value);
  if (unit === "%") return { min: 0, max: 100 };
  const span = high - low || Math.abs(high) || 1;
  const margin = span * 0.1;
  // Half a power of ten, so that the ends are round numbers.
  const step = 10 ** Math.floor(Math.log10(high > 0 ? high : span)) / 2;
  const round = (value: number) => Number((Math.round(value) * step).toPrecision(3));
  return {
    min: low >= 0 ? 0 : round(Math.floor((low - margin) / step)),
    max: round(Math.ceil((high + margin) / step)),
  };
}

interface Keys {
  readonly gauges: readonly string[];
  readonly counters: readonly string[];
  readonly states: readonly string[];
}

/**
 * Groups keys by the meaning of their values, according to their metadata or else their newest values; sorted in the profile's order and then by
 * name.
 */
function sorted(
  { sample, metadata, template }: Pick<TypeDashboard, "sample" | "metadata" | "template">,
  metadataOf: (key: string) => KeyMetadata,
): Keys {
  const others = Object.keys(sample).filter((key) => !metadata.has(key));
  const listed = [...metadata.keys()].filter((key) => Object.hasOwn(sample, key));
  const keys = inOrder([...listed, ...others.sort()], template, metadataOf);
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
  {
    metadataOf,
    timezone,
    sample,
  }: Pick<TypeDashboard, "timezone" | "sample"> & { metadataOf: (key: string) => KeyMetadata },
): Row[] {
  const nameOf = (key: string) => metadataOf(key).name ?? key;
  const tiles = gauges.slice(0, VALUES_MAX).map((key): Created => {
    const scale = scaleOf(metadataOf(key), sample[key]);
    return scale === undefined
      ? {
          type: "value",
          name: nameOf(key),
          config: { aliasId, key, aggregation: "avg", maxDataPoints: 60 },
        }
      : { type: "gauge", name: nameOf(key), config: { aliasId, key, ...scale } };
  });
  const energy = counters.slice(0, COUNTERS_MAX).map((key) => ({
    type: "energy",
    name: nameOf(key),
    config: { aliasId, keys: [key], interval: "1h", timezone, maxDataPoints: 2_000 },
  }));
  const charts = gauges.slice(0, CHARTS_MAX).map((key) => ({
    type: "timeseries",
    name: nameOf(key),
    config: { aliasId, keys: [key], aggregation: "avg" },
  }));
  return tilesAndCharts(tiles, [...energy, ...charts]);
}

export interface TypeDashboard {
  readonly name: string;
  readonly deviceType: string;
  readonly template: DashboardTemplate;
  /** Time zone of the intervals of counters. */
  readonly timezone: string;
  readonly sample: Sample;
  /** Number of devices, for the height of lists. */
  readonly devices: number;
  readonly metadata: KeyMetadataMap;
}

/**
 * Creates a dashboard for all devices of a type from their keys: active devices, gauges of values with limits, newest values, consumption of
 * counters, charts of numbers, states over time, and alarms.
 */
export function dashboardForType(request: TypeDashboard): DashboardContent {
  const { name, deviceType, template, timezone, sample, metadata, devices } = request;
  const aliasId = "devices";
  const metadataOf = (key: string): KeyMetadata =>
    metadata.get(key) ?? { key, ...guessKeyMetadata(key, sample[key]) };
  const keys = sorted(request, metadataOf);
  const [main] = keys.gauges;
  const shown = inOrder([...keys.gauges, ...keys.counters, ...keys.states], template, metadataOf);
  const lanes = keys.states.slice(0, LANES_MAX);
  const status = {
    type: "statusGrid",
    name: typeTitle(deviceType),
    config: { aliasId, ...(main !== undefined && { key: main }) },
  };
  const alarms = { type: "alarmList", name: "", config: { aliasId, limit: 20 } };
  const statusColumns = devices > 1 ? 8 : 4;
  const rows: Row[] = [
    {
      h: heightOf.statusGrid(devices),
      widgets: [
        { ...status, w: statusColumns },
        { ...alarms, w: COLUMNS - statusColumns },
      ],
    },
    ...numberWidgets(aliasId, keys, { metadataOf, timezone, sample }),
    ...lanes.map((key) =>
      evenRow(heightOf.stateTimeline(devices), [
        {
          type: "stateTimeline",
          name: metadataOf(key).name ?? key,
          config: { aliasId, keys: [key], maxDataPoints: 2_000 },
        },
      ]),
    ),
    evenRow(heightOf.deviceTable(devices), [
      { type: "deviceTable", name: "", config: { aliasId, keys: shown.slice(0, TABLE_KEYS_MAX) } },
    ]),
  ];
  return {
    name,
    type: "STATIC",
    states: [{ id: "default", name }],
    aliases: [{ id: aliasId, name: typeTitle(deviceType), type: "deviceType", deviceType }],
    ...place(rows),
    timeWindow: { mode: "live", durationMs: DAY_MS },
    configuration: null,
    settings: null,
    tags: [],
  };
}

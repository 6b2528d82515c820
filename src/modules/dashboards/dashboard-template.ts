import type { TelemetryValue } from "../telemetry/telemetry.types.ts";
import type { DashboardContent } from "./dashboards.types.ts";

/** Columns of the grid. */
const COLUMNS = 12;
const CHARTS_MAX = 6;
const VALUES_MAX = 6;
const TABLE_KEYS_MAX = 5;
const DAY_MS = 86_400_000;

/** Describes what a device last said, by key: shows which keys are numbers and which are states. */
export type Sample = Readonly<Record<string, TelemetryValue>>;

/** Radio data and the like are of use when something is wrong, and seldom what one wants to see. */
const isAside = (key: string) => /^(radio_|rssi$|snr$|fcnt|lqi|linkquality|uptime|heap)/i.test(key);

const inOrder = (keys: readonly string[]) => [
  ...keys.filter((key) => !isAside(key)),
  ...keys.filter(isAside),
];

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

/**
 * A dashboard for all devices of a type, made of the keys that they send: which are active, their newest values, a chart of each number,
 * states over time, and alarms.
 */
export function dashboardForType(name: string, deviceType: string, sample: Sample): DashboardContent {
  const aliasId = "devices";
  const keys = Object.keys(sample).sort();
  const numbers = inOrder(keys.filter((key) => typeof sample[key] === "number"));
  const states = keys.filter((key) => typeof sample[key] === "boolean" || typeof sample[key] === "string");
  const shown = inOrder([...numbers, ...states]).slice(0, TABLE_KEYS_MAX);
  const [main] = numbers;
  const widgets: Created[] = [
    {
      type: "statusGrid",
      name: deviceType,
      w: 8,
      h: 3,
      config: { aliasId, ...(main !== undefined && { key: main }) },
    },
    { type: "alarmList", name: "", w: 4, h: 3, config: { aliasId, limit: 20 } },
    ...numbers.slice(0, VALUES_MAX).map((key) => ({
      type: "value",
      name: key,
      w: 2,
      h: 2,
      config: { aliasId, key, aggregation: "avg", maxDataPoints: 60 },
    })),
    ...numbers.slice(0, CHARTS_MAX).map((key) => ({
      type: "timeseries",
      name: key,
      w: 6,
      h: 4,
      config: { aliasId, keys: [key], aggregation: "avg" },
    })),
    ...states.slice(0, 1).map((key) => ({
      type: "stateTimeline",
      name: key,
      w: 12,
      h: 3,
      config: { aliasId, keys: [key], maxDataPoints: 2_000 },
    })),
    { type: "deviceTable", name: deviceType, w: 12, h: 4, config: { aliasId, keys: shown } },
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

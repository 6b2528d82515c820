import type { TelemetryValue } from "../../../lib/api-types.ts";
import { formatValue } from "../../../platform/i18n/format.ts";
import type { Widget } from "../dashboards-api.ts";
import type { WidgetProps } from "./widget.types.ts";

export const textOf = (widget: Widget, name: string): string => {
  const value = widget.config[name];
  return typeof value === "string" ? value : "";
};

export const numberOf = (widget: Widget, name: string): number | undefined => {
  const value = widget.config[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};

export function keysOf({ config }: Widget): string[] {
  const keys = Array.isArray(config.keys) ? config.keys : [config.key];
  return keys.filter((key): key is string => typeof key === "string" && key !== "");
}

/** Digits of an average, of which most say nothing. */
const AVERAGE_DIGITS = 5;

function rounded(widget: Widget, value: number): number {
  const decimals = numberOf(widget, "decimals");
  if (decimals !== undefined) return Number(value.toFixed(Math.min(Math.max(decimals, 0), 10)));
  return widget.config.aggregation === "avg" ? Number(value.toPrecision(AVERAGE_DIGITS)) : value;
}

/** Formats a number as the widget wants it, with its decimals and unit. */
export function shown(widget: Widget, value: TelemetryValue | undefined): string {
  if (value === undefined) return "–";
  const text = formatValue(typeof value === "number" ? rounded(widget, value) : value);
  const unit = textOf(widget, "unit");
  return unit === "" ? text : `${text} ${unit}`;
}

export interface NewestValue {
  readonly value: TelemetryValue | undefined;
  readonly ts: number | undefined;
}

export function newestOf(
  { latestOf }: Pick<WidgetProps, "latestOf">,
  deviceId: string,
  key: string,
): NewestValue {
  const latest = latestOf(deviceId);
  const own = <Value>(all: Readonly<Record<string, Value>> | undefined): Value | undefined =>
    all !== undefined && Object.hasOwn(all, key) ? all[key] : undefined;
  return { value: own(latest?.values), ts: own(latest?.timestamps) };
}

const reducers: Readonly<Record<string, (values: readonly number[]) => number>> = {
  avg: (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
};

/** Returns what a widget makes of several values; undefined of none. */
export function reduce(widget: Widget, values: readonly number[]): number | undefined {
  const by = reducers[textOf(widget, "reduce")] ?? reducers.avg;
  return values.length === 0 ? undefined : by?.(values);
}

/** Returns one value for all devices of a widget, reduced if there are several. */
export function reduced(props: WidgetProps): NewestValue {
  const { widget, feed } = props;
  const [key = ""] = keysOf(widget);
  const all = feed.devices.map(({ deviceId }) => newestOf(props, deviceId, key));
  const [first] = all;
  if (all.length <= 1) return first ?? { value: undefined, ts: undefined };
  const numbers = all.flatMap(({ value }) => (typeof value === "number" ? [value] : []));
  const times = all.flatMap(({ ts }) => ts ?? []);
  const value = reduce(widget, numbers);
  if (value === undefined) return first ?? { value: undefined, ts: undefined };
  return { value, ts: times.length === 0 ? undefined : Math.max(...times) };
}

export type Level = "normal" | "warning" | "critical";

/** Returns the level of a value. It is beyond a limit above it, or below it if the critical limit is the lower one. */
export function levelOf(widget: Widget, value: TelemetryValue | undefined): Level {
  const [warning, critical] = [numberOf(widget, "warning"), numberOf(widget, "critical")];
  if (typeof value !== "number") return "normal";
  const isLow = warning !== undefined && critical !== undefined && critical < warning;
  const isBeyond = (limit: number | undefined) =>
    limit !== undefined && (isLow ? value <= limit : value >= limit);
  if (isBeyond(critical)) return "critical";
  return isBeyond(warning) ? "warning" : "normal";
}

export const levelColor: Readonly<Record<Level, string>> = {
  normal: "text-primary",
  warning: "text-warning",
  critical: "text-error",
};

/** Used for what scrolls: it must be reached by the keyboard, whatever is in it. */
export const scrolling = { tabIndex: 0 } as const;

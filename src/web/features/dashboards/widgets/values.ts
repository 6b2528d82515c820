import { widgetKeys } from "../../../../lib/console/widget-keys.ts";
import { decimalsOf } from "../../../../lib/keys/key-format.ts";
import {
  type KeyLimits,
  type KeyMetadata,
  type LimitLevel,
  limitLevel,
} from "../../../../lib/keys/key-metadata.ts";
import type { TelemetryValue } from "../../../lib/api-types.ts";
import { formatReading } from "../../../platform/i18n/format.ts";
import { metadataOf } from "../../../platform/key-metadata.ts";
import type { ResolvedDevice, Widget } from "../dashboards-api.ts";
import type { WidgetProps } from "./widget.types.ts";

export const textField = (widget: Widget, name: string): string => {
  const value = widget.config[name];
  return typeof value === "string" ? value : "";
};

export const numberOf = (widget: Widget, name: string): number | undefined => {
  const value = widget.config[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};

export const keysOf = ({ config }: Pick<Widget, "config">): string[] => widgetKeys(config);

/** Max. significant digits of an average. */
const AVERAGE_DIGITS = 5;

/** Formats a value with the unit and decimals of the widget, otherwise of its key. `decimalsMax` limits values without either. */
export function shown(
  widget: Widget,
  value: TelemetryValue | undefined,
  metadata?: KeyMetadata,
  decimalsMax?: number,
): string {
  return formatReading(value, metadata, {
    unit: textField(widget, "unit") || undefined,
    decimals: numberOf(widget, "decimals"),
    digits: widget.config.aggregation === "avg" ? AVERAGE_DIGITS : undefined,
    decimalsMax,
  });
}

/** Returns the common metadata of a key on all devices; undefined if they differ in unit, kind or states. */
export function sharedMetadata(devices: readonly ResolvedDevice[], key: string): KeyMetadata | undefined {
  const [first, ...others] = devices.map(({ deviceId }) => metadataOf(deviceId, key));
  const meaning = (metadata: KeyMetadata | undefined) =>
    JSON.stringify([metadata?.unit, metadata?.kind, metadata?.states]);
  return others.every((other) => other === first || meaning(other) === meaning(first)) ? first : undefined;
}

export interface NewestValue {
  readonly value: TelemetryValue | undefined;
  readonly ts: number | undefined;
  /** Max. decimals of the values behind a reduced one. */
  readonly decimals?: number;
  /** Number of combined devices, and of devices with a value that is not a number. */
  readonly made?: { readonly of: number; readonly skipped: number } | undefined;
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

/** Returns the metadata of a key on the devices of the widget that send it, which may be only some. */
export function sentMetadata(props: WidgetProps, key: string): KeyMetadata | undefined {
  const { devices } = props.feed;
  const senders = devices.filter(({ deviceId }) => newestOf(props, deviceId, key).value !== undefined);
  return sharedMetadata(senders.length === 0 ? devices : senders, key);
}

/** Ways to combine the values of several devices. */
export const REDUCERS = ["avg", "min", "max", "sum"] as const;

const reductions: Readonly<Record<string, (values: readonly number[]) => number>> = {
  avg: (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
};

const isMean = (widget: Widget): boolean => {
  const by = textField(widget, "reduce");
  return by === "avg" || !Object.hasOwn(reductions, by);
};

/** Combines several values as configured in the widget; undefined without values. */
export function reduce(widget: Widget, values: readonly number[]): number | undefined {
  const by = reductions[textField(widget, "reduce")] ?? reductions.avg;
  return values.length === 0 ? undefined : by?.(values);
}

/** Returns one value for all devices of a widget, combined if there are several. */
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
  return {
    value,
    ts: times.length === 0 ? undefined : Math.max(...times),
    // A mean has an additional decimal: that of 3 and 4 is 3.5.
    decimals: Math.max(...numbers.map(decimalsOf)) + (isMean(widget) ? 1 : 0),
    made: {
      of: numbers.length,
      skipped: all.filter((newest) => newest.value !== undefined).length - numbers.length,
    },
  };
}

/**
 * Returns the level of a value, which is beyond a limit above it, or below it if the critical limit is the lower one. Limits of the widget take
 * precedence over those of the key.
 */
export function levelOf(
  widget: Widget,
  value: TelemetryValue | undefined,
  metadata: KeyMetadata | undefined,
): LimitLevel {
  const [warning, critical] = [numberOf(widget, "warning"), numberOf(widget, "critical")];
  if (warning === undefined && critical === undefined) return limitLevel(value, metadata?.limits);
  if (typeof value !== "number") return "normal";
  const isLow = warning !== undefined && critical !== undefined && critical < warning;
  const isBeyond = (limit: number | undefined) =>
    limit !== undefined && (isLow ? value <= limit : value >= limit);
  if (isBeyond(critical)) return "critical";
  return isBeyond(warning) ? "warning" : "normal";
}

/** Range of values beyond a limit, with optional ends. */
export interface LimitRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly level: Exclude<LimitLevel, "normal">;
}

/** Returns the ranges beyond the limits of a widget, otherwise of its key. */
export function limitRanges(widget: Widget, limits: KeyLimits | undefined): LimitRange[] {
  const [warning, critical] = [numberOf(widget, "warning"), numberOf(widget, "critical")];
  const isOwn = warning !== undefined || critical !== undefined;
  const isLow = warning !== undefined && critical !== undefined && critical < warning;
  const own: KeyLimits = isLow
    ? { low: warning, lowLow: critical }
    : {
        ...(warning !== undefined && { high: warning }),
        ...(critical !== undefined && { highHigh: critical }),
      };
  const { lowLow, low, high, highHigh } = isOwn ? own : (limits ?? {});
  const ranges: LimitRange[] = [];
  if (low !== undefined) ranges.push({ from: lowLow, to: low, level: "warning" });
  if (lowLow !== undefined) ranges.push({ to: lowLow, level: "critical" });
  if (high !== undefined) ranges.push({ from: high, to: highHigh, level: "warning" });
  if (highHigh !== undefined) ranges.push({ from: highHigh, level: "critical" });
  return ranges;
}

/** Attributes of scrolling elements, which must be reachable by keyboard. */
export const scrolling = { tabIndex: 0 } as const;

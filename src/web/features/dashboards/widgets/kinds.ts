import { ownZone } from "../../../lib/zoned-time.ts";
import type { StackedForm } from "../stacked.ts";
import { CommandButtonWidget, SliderWidget } from "./act-widgets.tsx";
import { StateTimelineWidget } from "./chart-widgets.tsx";
import { EnergyWidget } from "./energy-widget.tsx";
import { FloorPlanWidget } from "./floor-plan-widget.tsx";
import { AlarmListWidget, DeviceTableWidget, StatusGridWidget } from "./list-widgets.tsx";
import { MapWidget } from "./map-widget.tsx";
import { MarkdownWidget } from "./note-widgets.tsx";
import { StatePieWidget } from "./state-pie-widget.tsx";
import { TimeSeriesWidget } from "./time-series-widget.tsx";
import { GaugeWidget, LevelWidget, ValueWidget } from "./value-widgets.tsx";
import type { WidgetView } from "./widget.types.ts";

/** Field that a user fills in for a widget; each is a field of its `config`. */
export type ConfigField =
  | "devices"
  | "key"
  | "keys"
  | "aggregation"
  | "period"
  | "price"
  | "reduce"
  | "share"
  | "unit"
  | "decimals"
  | "scale"
  | "style"
  | "axis"
  | "limits"
  | "method"
  | "params"
  | "confirm"
  | "step"
  | "as"
  | "text"
  | "image"
  | "places"
  | "coordinates"
  | "corners"
  | "showCleared";

interface WidgetKind {
  readonly View: WidgetView;
  /** Size in cells. */
  readonly size: { readonly w: number; readonly h: number };
  readonly fields: readonly ConfigField[];
  /** `content` by default. */
  readonly stacked?: StackedForm;
  /** Config of a new widget. */
  readonly config?: Readonly<Record<string, unknown>>;
}

const APPEARANCE = ["unit", "decimals"] as const;

export const widgetKinds = {
  timeseries: {
    View: TimeSeriesWidget,
    stacked: "chart",
    size: { w: 6, h: 4 },
    fields: ["devices", "keys", "aggregation", "style", ...APPEARANCE, "axis"],
  },
  value: {
    View: ValueWidget,
    stacked: "half",
    size: { w: 3, h: 2 },
    fields: ["devices", "key", "reduce", ...APPEARANCE, "limits"],
    config: { aggregation: "avg", maxDataPoints: 60 },
  },
  energy: {
    View: EnergyWidget,
    stacked: "chart",
    size: { w: 6, h: 4 },
    fields: ["devices", "keys", "period", ...APPEARANCE, "price"],
    config: { interval: "1d", timezone: ownZone(), maxDataPoints: 2_000 },
  },
  gauge: {
    View: GaugeWidget,
    stacked: "half",
    size: { w: 3, h: 3 },
    fields: ["devices", "key", "reduce", ...APPEARANCE, "scale", "limits"],
  },
  level: {
    View: LevelWidget,
    size: { w: 4, h: 3 },
    fields: ["devices", "key", ...APPEARANCE, "scale", "limits"],
  },
  stateTimeline: {
    View: StateTimelineWidget,
    size: { w: 12, h: 3 },
    fields: ["devices", "keys"],
    config: { maxDataPoints: 2_000 },
  },
  statePie: { View: StatePieWidget, size: { w: 4, h: 3 }, fields: ["devices", "key", "share"] },
  statusGrid: {
    View: StatusGridWidget,
    size: { w: 6, h: 3 },
    fields: ["devices", "key", ...APPEARANCE, "limits"],
  },
  deviceTable: { View: DeviceTableWidget, size: { w: 6, h: 4 }, fields: ["devices", "keys", ...APPEARANCE] },
  alarmList: { View: AlarmListWidget, size: { w: 4, h: 3 }, fields: ["devices", "showCleared"] },
  commandButton: {
    View: CommandButtonWidget,
    stacked: "half",
    size: { w: 3, h: 2 },
    fields: ["devices", "method", "params", "confirm"],
  },
  slider: {
    View: SliderWidget,
    size: { w: 4, h: 2 },
    fields: ["devices", "key", "as", ...APPEARANCE, "scale", "step"],
  },
  markdown: { View: MarkdownWidget, size: { w: 4, h: 3 }, fields: ["text", "image"] },
  floorPlan: {
    View: FloorPlanWidget,
    size: { w: 8, h: 6 },
    fields: ["devices", "key", ...APPEARANCE, "limits", "image", "places"],
  },
  map: {
    View: MapWidget,
    size: { w: 8, h: 6 },
    fields: ["devices", "key", ...APPEARANCE, "limits", "coordinates", "image", "corners"],
  },
} as const satisfies Record<string, WidgetKind>;

export type WidgetKindId = keyof typeof widgetKinds;
export const kindIds = Object.keys(widgetKinds) as WidgetKindId[];

export const isKind = (type: string): type is WidgetKindId => Object.hasOwn(widgetKinds, type);
export const kindOf = (type: string): WidgetKind | undefined =>
  isKind(type) ? widgetKinds[type] : undefined;

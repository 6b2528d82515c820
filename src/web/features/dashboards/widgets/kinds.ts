import { ownZone } from "../../../lib/zoned-time.ts";
import type { StackedForm } from "../board/stacked.ts";
import { windowOfChoice } from "../board/window-picker.tsx";
import type { WidgetPart } from "../editor/widget-form.tsx";
import { CommandButtonWidget, SliderWidget } from "./act-widgets.tsx";
import { StateTimelineWidget } from "./chart-widgets.tsx";
import { EnergyWidget } from "./energy-widget.tsx";
import { FloorPlanWidget } from "./floor-plan-widget.tsx";
import { AlarmListWidget, DeviceTableWidget, StatusGridWidget } from "./list-widgets.tsx";
import { MapWidget } from "./map-widget.tsx";
import { MarkdownWidget } from "./note-widgets.tsx";
import { StatePieWidget } from "./state-pie-widget.tsx";
import { SynopticWidget } from "./synoptic-widget.tsx";
import { TimeSeriesWidget } from "./time-series-widget.tsx";
import { GaugeWidget, LevelWidget, ValueWidget } from "./value-widgets.tsx";
import type { WidgetView } from "./widget.types.ts";

interface WidgetKind {
  readonly View: WidgetView;
  /** Size in cells. */
  readonly size: { readonly w: number; readonly h: number };
  /** Sorted parts of its form. */
  readonly parts: readonly WidgetPart[];
  /** True if it is empty without a key. */
  readonly needsKey?: true;
  /** Default: `content`. */
  readonly stacked?: StackedForm;
  /** Config of a new widget. */
  readonly config?: Readonly<Record<string, unknown>>;
}

export const widgetKinds = {
  timeseries: {
    View: TimeSeriesWidget,
    needsKey: true,
    stacked: "chart",
    size: { w: 6, h: 4 },
    parts: ["devices", "keys", "window", "lines", "appearance", "axis"],
  },
  value: {
    View: ValueWidget,
    needsKey: true,
    stacked: "half",
    size: { w: 3, h: 2 },
    parts: ["devices", "key", "window", "reduce", "appearance", "limits"],
    config: { aggregation: "avg", maxDataPoints: 60 },
  },
  energy: {
    View: EnergyWidget,
    needsKey: true,
    stacked: "chart",
    size: { w: 6, h: 4 },
    parts: ["devices", "keys", "window", "period", "compare", "appearance", "price"],
    config: { timeWindow: windowOfChoice("today"), timezone: ownZone(), compare: true, maxDataPoints: 2_000 },
  },
  gauge: {
    View: GaugeWidget,
    needsKey: true,
    stacked: "half",
    size: { w: 3, h: 3 },
    parts: ["devices", "key", "reduce", "appearance", "scale", "limits"],
  },
  level: {
    View: LevelWidget,
    needsKey: true,
    size: { w: 4, h: 3 },
    parts: ["devices", "key", "appearance", "scale", "limits"],
  },
  stateTimeline: {
    View: StateTimelineWidget,
    needsKey: true,
    size: { w: 12, h: 3 },
    parts: ["devices", "keys", "window"],
    config: { maxDataPoints: 2_000 },
  },
  statePie: {
    View: StatePieWidget,
    needsKey: true,
    size: { w: 4, h: 3 },
    parts: ["devices", "key", "share", "window"],
  },
  statusGrid: {
    View: StatusGridWidget,
    size: { w: 6, h: 3 },
    parts: ["devices", "key", "appearance", "limits"],
  },
  deviceTable: { View: DeviceTableWidget, size: { w: 6, h: 4 }, parts: ["devices", "keys", "appearance"] },
  alarmList: { View: AlarmListWidget, size: { w: 4, h: 3 }, parts: ["devices", "showCleared"] },
  commandButton: {
    View: CommandButtonWidget,
    stacked: "half",
    size: { w: 3, h: 2 },
    parts: ["devices", "method", "params", "label", "confirm"],
  },
  slider: {
    View: SliderWidget,
    size: { w: 4, h: 2 },
    parts: ["devices", "key", "as", "appearance", "scale", "step"],
  },
  markdown: { View: MarkdownWidget, size: { w: 4, h: 3 }, parts: ["text", "image"] },
  floorPlan: {
    View: FloorPlanWidget,
    size: { w: 8, h: 6 },
    parts: ["devices", "key", "appearance", "limits", "image", "places"],
  },
  synoptic: { View: SynopticWidget, size: { w: 8, h: 6 }, parts: ["devices", "image", "symbols"] },
  map: {
    View: MapWidget,
    size: { w: 8, h: 6 },
    parts: ["devices", "key", "appearance", "limits", "coordinates", "image", "corners"],
  },
} as const satisfies Record<string, WidgetKind>;

export type WidgetKindId = keyof typeof widgetKinds;
export const kindIds = Object.keys(widgetKinds) as WidgetKindId[];

export const isKind = (type: string): type is WidgetKindId => Object.hasOwn(widgetKinds, type);
export const kindOf = (type: string): WidgetKind | undefined =>
  isKind(type) ? widgetKinds[type] : undefined;

// The Explore view as an unsaved dashboard.

import { BARS_MAX } from "../../lib/consumption.ts";
import { type ExploreView, type Pane, seriesId } from "../../lib/explore-view.ts";
import { BAND_INTERVALS } from "../../lib/line-styles.ts";
import type { JsonValue } from "../../lib/wire.ts";
import { ownZone } from "../../lib/zoned-time.ts";
import type { Board } from "../dashboards/board/board.ts";
import type { Widget } from "../dashboards/dashboards-api.ts";

const INTERVALS = 300;
const POINTS = 2_000;
const LINES_ROWS = 5;
const LANES_ROWS = 2;
const DURATIONS_ROWS = 3;
const COLUMNS = 12;

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

function intervalsOf({ aggregation }: ExploreView, { style }: Pane): number {
  if (aggregation === "delta" || aggregation === "timeIn") return BARS_MAX;
  return style === "band" ? BAND_INTERVALS : INTERVALS;
}

function widgetOf(pane: Pane, index: number, view: ExploreView): Widget {
  const { kind, series, style, min, max } = pane;
  const isOfDurations = view.aggregation === "timeIn";
  const isAggregated =
    isOfDurations || (kind === "lines" && (view.aggregation !== "none" || style === "band"));
  const keys = unique(series.map(({ key }) => key));
  const config: Record<string, JsonValue> = {
    aliasId: `devices-${index + 1}`,
    keys,
    series: series.map(seriesId),
    maxDataPoints: isAggregated ? intervalsOf(view, pane) : POINTS,
    ...(isAggregated && view.aggregation !== "none" && { aggregation: view.aggregation }),
    ...(kind === "lines" && {
      ...(style !== undefined && { style }),
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
    }),
    ...(kind === "lines" && view.compare && { compare: view.compare, timezone: ownZone() }),
  };
  const type = kind === "lines" || isOfDurations ? "timeseries" : "stateTimeline";
  return { widgetId: `pane-${index + 1}`, type, name: keys.join(", "), config };
}

/** Returns the view as a dashboard with one widget per pane. */
export function boardOfView(view: ExploreView, name: string): Board {
  let y = 0;
  const layout = view.panes.map(({ kind, series }, index) => {
    const lanes = view.aggregation === "timeIn" ? DURATIONS_ROWS : LANES_ROWS;
    const h = kind === "lines" ? LINES_ROWS : Math.max(lanes, Math.ceil(series.length / 2) + 1);
    const place = { i: `pane-${index + 1}`, x: 0, y, w: COLUMNS, h };
    y += h;
    return place;
  });
  return {
    name,
    tags: [],
    widgets: view.panes.map((pane, index) => widgetOf(pane, index, view)),
    layout,
    aliases: view.panes.map(({ series }, index) => ({
      id: `devices-${index + 1}`,
      name: `devices-${index + 1}`,
      type: "deviceList",
      deviceIds: unique(series.map(({ deviceId }) => deviceId)),
    })),
    states: [{ id: "default", name }],
    timeWindow: view.window,
    texts: { states: [], layout: [], widgets: [], aliases: [] },
  };
}

/** Returns the board with the names of the keys as titles. */
export const withTitles = (
  board: Board,
  { panes }: ExploreView,
  nameOf: (deviceId: string, key: string) => string,
): Board => ({
  ...board,
  widgets: board.widgets.map((widget, index) => {
    const names = panes[index]?.series.map(({ deviceId, key }) => nameOf(deviceId, key)) ?? [];
    return { ...widget, name: unique(names).join(", ") };
  }),
});

import type { ComponentType } from "preact";
import type { LatestSnapshot } from "../../../lib/api-types.ts";
import type { TimeBounds } from "../../../lib/time-window.ts";
import type { ChartWindow } from "../../../ui/chart/chart-gestures.ts";
import type { WidgetFeed } from "../board-feed.ts";
import type { Widget } from "../dashboards-api.ts";

export type Bounds = TimeBounds;

/** Where a widget stands: in a cell of the grid, in one column on a phone, or on a wall, where nothing scrolls. */
export type WidgetPlace = "cell" | "stack" | "wall";

/** Props of all widgets; a widget reads `feed.version` to be drawn again when something is new. */
export interface WidgetProps {
  readonly widget: Widget;
  readonly feed: WidgetFeed;
  readonly latestOf: (deviceId: string) => LatestSnapshot | undefined;
  /** The time that the dashboard shows, as of now. */
  readonly boundsNow: () => Bounds;
  /** The charts were asked to show another time, or with `onReset` the time before. Without them they show one time only. */
  readonly onWindow?: ChartWindow["onWindow"] | undefined;
  readonly onReset: () => void;
  /** A cell by default. */
  readonly place?: WidgetPlace;
}

export type WidgetView = ComponentType<WidgetProps>;

import type { ComponentType } from "preact";
import type { LatestSnapshot } from "../../../lib/api-types.ts";
import type { TimeBounds } from "../../../lib/time-window.ts";
import type { ChartWindow } from "../../../ui/chart/chart-gestures.ts";
import type { WidgetFeed } from "../board/board-feed.ts";
import type { Widget } from "../dashboards-api.ts";

export type Bounds = TimeBounds;

/** Place of a widget: a cell of the grid, one column on a phone, or a wall, where nothing scrolls. */
export type WidgetPlace = "cell" | "stack" | "wall";

/** Props of all widgets. A widget reads `feed.version` to be redrawn with new data. */
export interface WidgetProps {
  readonly widget: Widget;
  readonly feed: WidgetFeed;
  readonly latestOf: (deviceId: string) => LatestSnapshot | undefined;
  /** Returns the displayed time of the dashboard as of now. */
  readonly boundsNow: () => Bounds;
  /** Called when charts should show another time, or with `onReset` the previous time. Without them, they show a single time. */
  readonly onWindow?: ChartWindow["onWindow"] | undefined;
  readonly onReset: () => void;
  /** Default: a cell. */
  readonly place?: WidgetPlace;
}

export type WidgetView = ComponentType<WidgetProps>;

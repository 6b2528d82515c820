import type { ComponentType } from "preact";
import type { LatestSnapshot } from "../../../lib/api-types.ts";
import type { WidgetFeed } from "../board-feed.ts";
import type { Widget } from "../dashboards-api.ts";

export interface Bounds {
  readonly from: number;
  readonly to: number;
}

/** Where a widget stands: in a cell of the grid, in one column on a phone, or on a wall, where nothing scrolls. */
export type WidgetPlace = "cell" | "stack" | "wall";

/** Props of all widgets; a widget reads `feed.version` to be drawn again when something is new. */
export interface WidgetProps {
  readonly widget: Widget;
  readonly feed: WidgetFeed;
  readonly latestOf: (deviceId: string) => LatestSnapshot | undefined;
  /** The time that the dashboard shows, as of now. */
  readonly boundsNow: () => Bounds;
  /** The charts were asked to show another time. */
  readonly onZoom: (bounds: Bounds) => void;
  readonly onReset: () => void;
  /** A cell by default. */
  readonly place?: WidgetPlace;
}

export type WidgetView = ComponentType<WidgetProps>;

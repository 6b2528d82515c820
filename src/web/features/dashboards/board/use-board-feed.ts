import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLive } from "../../../platform/live.ts";
import { serverNow } from "../../../platform/now.ts";
import { useCoalesced } from "../../../platform/use-coalesced.ts";
import {
  dashboardsApi,
  type Executed,
  type SharedDashboard,
  type Widget,
  type WindowSpec,
} from "../dashboards-api.ts";
import type { Bounds } from "../widgets/widget.types.ts";
import { type Board, widgetsIn } from "./board.ts";
import { BoardFeed, needsRefresh, type WidgetFeed } from "./board-feed.ts";

/** Min. interval of queries for aggregates. Values are pushed. */
const REFRESH_MS_MIN = 10_000;
const REFRESHES_A_WINDOW = 300;
/** Min. interval of complete queries, because pushed points are denser than the thinned ones of the server. */
const RELOAD_MS_MIN = 60_000;
const RELOADS_A_WINDOW = 10;
/** Max. duration of a timer. A timer beyond the limit of browsers would fire immediately and repeatedly. */
const TIMER_MS_MAX = 3_600_000;
const MOVE_MS = 1_000;

const showsAlarms = ({ type }: Widget): boolean =>
  ["alarmList", "statusGrid", "deviceTable", "floorPlan", "map", "synoptic"].includes(type);

export interface FeedRequest {
  readonly window: WindowSpec;
  readonly stateId: string;
  readonly deviceId: string | undefined;
  /** True during editing: the feed shows the edited version. */
  readonly isDraft: boolean;
  /** Called with each response of a shared dashboard, because it may have changed. */
  readonly onShared?: (response: SharedDashboard) => void;
  /** Content before the first query of the feed, which is then not needed at first. */
  readonly first?: Executed | SharedDashboard;
  /** Min. interval between drawings of a widget, in ms. */
  readonly restMs?: number;
}

export interface BoardView {
  readonly feed: BoardFeed;
  readonly window: WindowSpec;
  /** Returns the displayed time as of now. */
  readonly boundsNow: () => Bounds;
  readonly isMoving: boolean;
  readonly error: unknown;
  readonly isLoaded: boolean;
  readonly reload: () => void;
}

/** Returns whether a window ends now, and therefore moves. */
const moves = ({ mode }: WindowSpec): boolean => mode === "live" || mode === "relative";

/** Returns the length of the shortest window in ms. Calendar and fixed windows count as 0, because a new day may begin at any moment. */
export const shortestMs = (windows: readonly WindowSpec[]): number =>
  Math.min(...windows.map(({ durationMs }) => Number(durationMs ?? 0)));

/** Returns the time window of a widget that does not follow its dashboard. */
export const ownWindowOf = ({ config: { timeWindow } }: Widget): WindowSpec | undefined =>
  typeof timeWindow === "object" ? ((timeWindow ?? undefined) as WindowSpec | undefined) : undefined; // an object

/** Returns the current time range of a widget. */
export function widgetBounds(
  widget: Widget,
  { ownWindow: own }: WidgetFeed,
  boundsNow: () => Bounds,
): Bounds {
  const spec = ownWindowOf(widget);
  if (own === undefined || spec === undefined) return boundsNow();
  const to = serverNow();
  return moves(spec) ? { from: to - (own.to - own.from), to } : own;
}

function fillFeed(
  feed: BoardFeed,
  response: Executed | SharedDashboard,
  { widgets, isPart }: { readonly widgets: readonly Widget[]; readonly isPart: boolean },
): void {
  feed.windowMs = response.timeWindow.to - response.timeWindow.from;
  feed.fill(response, widgets, isPart);
}

function newFeed({ first, restMs }: FeedRequest, widgets: readonly Widget[]): BoardFeed {
  const feed = new BoardFeed(restMs);
  if (first !== undefined) fillFeed(feed, first, { widgets, isPart: false });
  return feed;
}

/** Runs each action at its interval while the page is visible. Returns a function that ends it. */
function runWhileVisible(timers: ReadonlyArray<readonly [everyMs: number, run: () => void]>): () => void {
  const running = timers.map(([everyMs, run]) =>
    setInterval(() => document.visibilityState === "visible" && run(), Math.min(everyMs, TIMER_MS_MAX)),
  );
  return () => running.forEach(clearInterval);
}

/** Runs one query and one subscription for all widgets of a dashboard. */
export function useBoardFeed(dashboardId: string, board: Board, request: FeedRequest): BoardView {
  const { window, stateId, deviceId, isDraft, onShared, first } = request;
  const widgets = widgetsIn(board, stateId);
  const feed = useMemo(() => newFeed(request, widgets), [dashboardId]);
  /** Number of complete responses. */
  const [filled, setFilled] = useState(first === undefined ? 0 : 1);
  const span = useRef<Bounds | undefined>(first?.timeWindow);
  const isDue = useRef(first === undefined);
  const [error, setError] = useState<unknown>(undefined);
  const newest = useRef(0);
  const isMoving = moves(window);
  const ownWindows = widgets.map(ownWindowOf).filter((own) => own !== undefined);
  const hasMoving = isMoving || ownWindows.some(moves);
  const load = (only?: readonly string[]) => {
    const mine = only ? newest.current : ++newest.current;
    const how = {
      timeRange: window,
      dashboardStateId: stateId,
      ...(only && { widgetIds: only }),
      ...(deviceId !== undefined && { context: { deviceId } }),
    };
    const ask = (): Promise<SharedDashboard> => {
      if (onShared) return dashboardsApi.shared({ ...how, dashboardId });
      return isDraft
        ? dashboardsApi.preview({ widgets: board.widgets, aliases: board.aliases }, how)
        : dashboardsApi.execute(dashboardId, how);
    };
    ask().then(
      (response) => {
        if (mine !== newest.current) return;
        fillFeed(feed, response, { widgets, isPart: only !== undefined });
        span.current = response.timeWindow;
        setFilled((before) => (only ? before : before + 1));
        setError(undefined);
        onShared?.(response);
      },
      (failure: unknown) => mine === newest.current && setError(failure),
    );
  };
  const current = useRef(load);
  current.current = load;
  const refreshed = useRef<string[]>([]);
  // A dashboard that is opened by a link gets no live messages about alarms.
  refreshed.current = widgets
    .filter((widget) => needsRefresh(widget) || (onShared !== undefined && showsAlarms(widget)))
    .map(({ widgetId }) => widgetId);
  const drawn = isDraft ? [board.widgets, board.aliases] : [];
  const wanted = JSON.stringify([dashboardId, window, stateId, deviceId, isDraft, drawn]);
  useEffect(() => {
    if (isDue.current) current.current();
    isDue.current = true;
    const durationMs = shortestMs([window, ...ownWindows]);
    const part = () => {
      const ids = refreshed.current;
      if (ids.length > 0) current.current(ids);
    };
    return runWhileVisible([
      [Math.max(REFRESH_MS_MIN, durationMs / REFRESHES_A_WINDOW), part],
      [Math.max(RELOAD_MS_MIN, durationMs / RELOADS_A_WINDOW), () => current.current()],
      ...(hasMoving ? [[MOVE_MS, () => feed.moveOn()] as const] : []),
    ]);
  }, [wanted]);
  useEffect(() => {
    const draw = () => feed.drawAll();
    addEventListener("beforeprint", draw);
    return () => removeEventListener("beforeprint", draw);
  }, [feed]);
  const reload = useCoalesced(() => current.current());

  const deviceIds = filled === 0 ? [] : feed.deviceIds().sort();
  useLive(
    deviceIds.length === 0
      ? undefined
      : { topics: onShared ? ["telemetry"] : ["telemetry", "devices", "alarms"], deviceIds },
    (message) => {
      if (message.type === "snapshot") reload();
      else if (message.topic === "telemetry") feed.append(message);
      else if (message.topic === "alarms") reload();
      else if (message.topic === "devices" && message.event === "state" && message.active !== undefined)
        feed.setActive(message.deviceId, message.active);
      else if (message.topic === "devices" && message.event === "maintenance") reload();
    },
  );
  const boundsNow = useCallback((): Bounds => {
    const timeMs = serverNow();
    const { from, to } = span.current ?? { from: timeMs - 3_600_000, to: timeMs };
    return isMoving ? { from: timeMs - (to - from), to: timeMs } : { from, to };
  }, [isMoving]);
  return { feed, window, boundsNow, isMoving, error, isLoaded: filled > 0, reload };
}

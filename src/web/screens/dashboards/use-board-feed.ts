import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Board, widgetsIn } from "../../lib/board.ts";
import { BoardFeed } from "../../state/board-feed.ts";
import {
  dashboardsApi,
  type Executed,
  type SharedDashboard,
  type WindowSpec,
} from "../../state/dashboards-api.ts";
import { useLive } from "../../state/live.ts";
import { serverNow } from "../../state/now.ts";
import { useGathered } from "../../state/use-gathered.ts";
import type { Bounds } from "./widgets/widget.types.ts";

/** Aggregates and alarms are asked for anew; values come by themselves. */
const REFRESH_MS_MIN = 10_000;
const REFRESHES_A_WINDOW = 300;

export interface FeedRequest {
  readonly window: WindowSpec;
  readonly stateId: string;
  readonly deviceId: string | undefined;
  /** It is being changed: what it would show. */
  readonly isDraft: boolean;
  /** It is looked at by a link; told of each answer, for it may have been changed. */
  readonly onShared?: (answer: SharedDashboard) => void;
}

export interface BoardView {
  readonly feed: BoardFeed;
  readonly bounds: Bounds;
  readonly isMoving: boolean;
  readonly error: unknown;
  readonly isLoaded: boolean;
  readonly reload: () => void;
}

/** One query and one subscription for all widgets of a dashboard. */
export function useBoardFeed(dashboardId: string, board: Board, request: FeedRequest): BoardView {
  const { window, stateId, deviceId, isDraft, onShared } = request;
  const feed = useMemo(() => new BoardFeed(), [dashboardId]);
  const [executed, setExecuted] = useState<Pick<Executed, "timeWindow"> | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const newest = useRef(0);
  const isMoving = window.mode === "live" || window.mode === "relative";
  const widgets = widgetsIn(board, stateId);
  const load = () => {
    const mine = ++newest.current;
    const how = {
      timeRange: window,
      dashboardStateId: stateId,
      ...(deviceId !== undefined && { context: { deviceId } }),
    };
    const ask = (): Promise<SharedDashboard> => {
      if (onShared) return dashboardsApi.shared(how);
      return isDraft
        ? dashboardsApi.preview({ widgets: board.widgets, aliases: board.aliases }, how)
        : dashboardsApi.execute(dashboardId, how);
    };
    ask().then(
      (answer) => {
        if (mine !== newest.current) return;
        feed.windowMs = answer.timeWindow.to - answer.timeWindow.from;
        feed.fill(answer, widgets);
        setExecuted(answer);
        setError(undefined);
        onShared?.(answer);
      },
      (failure: unknown) => mine === newest.current && setError(failure),
    );
  };
  const current = useRef(load);
  current.current = load;
  const drawn = isDraft ? [board.widgets, board.aliases] : [];
  const wanted = JSON.stringify([dashboardId, window, stateId, deviceId, isDraft, drawn]);
  useEffect(() => {
    current.current();
    const { durationMs } = window;
    const every = Math.max(REFRESH_MS_MIN, Number(durationMs ?? 0) / REFRESHES_A_WINDOW);
    const timer = setInterval(() => document.visibilityState === "visible" && current.current(), every);
    return () => clearInterval(timer);
  }, [wanted]);
  const reload = useGathered(() => current.current());

  const deviceIds = executed === undefined ? [] : feed.deviceIds().sort();
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
    },
  );
  const at = serverNow();
  const span = executed?.timeWindow ?? { from: at - 3_600_000, to: at };
  const bounds = isMoving ? { from: at - (span.to - span.from), to: at } : span;
  return { feed, bounds, isMoving, error, isLoaded: executed !== undefined, reload };
}

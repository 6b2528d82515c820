import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ApiError } from "../../../platform/api-client.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { ConnectionBanner, useIsDisconnected } from "../../../ui/page/connection-banner.tsx";
import { ErrorNote } from "../../../ui/page/error-note.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { boardOf, layoutIn, widgetsIn } from "../board/board.ts";
import { WALL_MS } from "../board/board-feed.ts";
import { BoardWidgets } from "../board/board-widgets.tsx";
import { rowsOf } from "../board/grid.ts";
import { useBoardFeed } from "../board/use-board-feed.ts";
import { type Dashboard, dashboardsApi, type Executed, type WindowSpec } from "../dashboards-api.ts";
import { addressOf, type Query, rotationOf } from "./rotation.ts";
import { useRotation } from "./use-rotation.ts";
import { useWallScale } from "./use-wall-scale.ts";
import { WallHead } from "./wall-head.tsx";

/** Dashboard with its initial data. */
interface Slide {
  readonly dashboard: Dashboard;
  readonly stateId: string;
  readonly deviceId: string | undefined;
  readonly first: Executed;
}

async function loadSlide(id: string, { state, device }: Query): Promise<Slide> {
  const dashboard = await dashboardsApi.get(id);
  const { states, timeWindow } = boardOf(dashboard);
  const stateId = states.find((candidate) => candidate.id === state)?.id ?? states[0]?.id ?? "default";
  const first = await dashboardsApi.execute(id, {
    timeRange: timeWindow,
    dashboardStateId: stateId,
    ...(device !== undefined && { context: { deviceId: device } }),
  });
  return { dashboard, stateId, deviceId: device, first };
}

/** Dashboard on the whole screen, or several in turn. Only one is mounted, without active controls. */
export function WallPage({ dashboardId }: { dashboardId: string }) {
  const { query, path, route } = useLocation();
  const { state, device } = query;
  const load = (id: string) => loadSlide(id, query);
  const { slide, error } = useRotation(rotationOf(dashboardId, query), load, [state, device]);
  const isStale = useIsDisconnected();
  useWall(() => route(addressOf(path, { device: query.device, state: query.state }), true));
  return (
    <div class="fixed inset-0 z-40 flex flex-col overflow-auto bg-base-200">
      <ConnectionBanner isPassive />
      <div
        class={`wall flex min-h-0 flex-1 flex-col gap-3 p-4 ${isStale ? "grayscale" : ""}`}
        data-testid="wall"
      >
        <Loaded of={{ data: slide, error: slide ? undefined : error }}>
          {(shown) => <WallBoard key={`${shown.dashboard.id} ${shown.dashboard.updatedAt}`} slide={shown} />}
        </Loaded>
      </div>
    </div>
  );
}

function WallBoard({ slide }: { slide: Slide }) {
  const { dashboard, stateId, deviceId, first } = slide;
  const board = useMemo(() => boardOf(dashboard), []);
  const [window, setWindow] = useState<WindowSpec>(board.timeWindow);
  const view = useBoardFeed(dashboard.id, board, {
    window,
    stateId,
    deviceId,
    isDraft: false,
    first,
    restMs: WALL_MS,
  });
  const isScaled = useWallScale(rowsOf(layoutIn(board, stateId)));
  const page = board.states.length > 1 ? board.states.find(({ id }) => id === stateId) : undefined;
  // The banner says that there is no connection.
  const isUnreachable = view.error instanceof ApiError && view.error.status === 0;
  const widgets = useMemo(
    () => <BoardWidgets isFitted board={board} stateId={stateId} view={view} onWindow={setWindow} />,
    [view.isLoaded, view.boundsNow, view.feed],
  );
  return (
    <>
      <WallHead title={board.name} detail={page?.name} feed={view.feed} isLoaded={view.isLoaded} />
      {view.error !== undefined && !isUnreachable && <ErrorNote error={view.error} />}
      {widgetsIn(board, stateId).length === 0 ? (
        <p class="panel p-4 text-soft">{t("board.empty")}</p>
      ) : (
        isScaled && widgets
      )}
    </>
  );
}

/** Leaves the full screen unless the address is still that of a wall, as between the dashboards of a rotation. */
function leaveFullScreen(): void {
  const isWall = new URLSearchParams(location.search).has("wall");
  if (!isWall && document.fullscreenElement !== null) document.exitFullscreen().catch(() => undefined);
}

/** Enters full screen for a wall, if the browser allows it. Called on a click. */
export function enterFullScreen(): void {
  // Somebody may have left the wall before the browser was done.
  document.documentElement.requestFullscreen?.().then(leaveFullScreen, () => undefined);
}

/**
 * Shows only the dashboard on a wall display, and keeps the screen on if the browser allows it. Escape ends it. In full screen, a browser may handle
 * that key itself, so leaving full screen ends the wall as well.
 */
export function useWall(leave: () => void): void {
  // A layout effect, so that Escape works from the first paint on.
  useLayoutEffect(() => {
    let lock: WakeLockSentinel | undefined;
    const hold = () =>
      navigator.wakeLock?.request("screen").then(
        (held) => {
          lock = held;
        },
        () => undefined,
      );
    hold();
    const press = (e: KeyboardEvent) => e.key === "Escape" && leave();
    const change = () => document.fullscreenElement === null && leave();
    addEventListener("keydown", press);
    document.addEventListener("fullscreenchange", change);
    document.addEventListener("visibilitychange", hold);
    return () => {
      lock?.release();
      removeEventListener("keydown", press);
      document.removeEventListener("fullscreenchange", change);
      leaveFullScreen();
      document.removeEventListener("visibilitychange", hold);
    };
  }, []);
}

import { useEffect, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../../platform/i18n/i18n.ts";
import { live } from "../../platform/live.ts";
import { useResource } from "../../platform/resource.ts";
import { hasShareEnded, shareToken } from "../../platform/session.ts";
import { ConnectionBanner, useIsDisconnected } from "../../ui/page/connection-banner.tsx";
import { Entrance } from "../../ui/page/entrance.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { boardOf, layoutIn } from "./board/board.ts";
import { BoardWidgets, PageChoice } from "./board/board-widgets.tsx";
import { rowsOf } from "./board/grid.ts";
import { useBoardFeed } from "./board/use-board-feed.ts";
import { WindowPicker } from "./board/window-picker.tsx";
import {
  dashboardsApi,
  type SharedDashboard,
  type ShareRotation,
  type WindowSpec,
} from "./dashboards-api.ts";
import { useRotation } from "./wall/use-rotation.ts";
import { useWallScale } from "./wall/use-wall-scale.ts";
import { useWall } from "./wall/wall.tsx";
import { WallHead } from "./wall/wall-head.tsx";

/** Dashboard of a link. Its token is after the `#`, so that servers and logs on the way do not get it with the address. */
export function SharedScreen() {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const begin = () => {
      live.stop();
      shareToken.value = location.hash.slice(1) || "none";
      hasShareEnded.value = false;
      live.start();
      setReady(true);
    };
    begin();
    addEventListener("hashchange", begin);
    return () => {
      removeEventListener("hashchange", begin);
      live.stop();
      shareToken.value = undefined;
    };
  }, []);
  if (hasShareEnded.value)
    return (
      <Entrance title={t("share.ended")}>
        <p>{t("share.endedHint")}</p>
      </Entrance>
    );
  return isReady ? <Opened key={shareToken.value} /> : null;
}

function Opened() {
  // Loads the definition only; the widgets' data is loaded next.
  const first = useResource(() => dashboardsApi.shared({ widgetIds: [] }), []);
  const [newer, setNewer] = useState<SharedDashboard | undefined>(undefined);
  const isStale = useIsDisconnected();
  return (
    <div class="flex h-dvh flex-col overflow-auto bg-base-200">
      <ConnectionBanner />
      <main class={`flex min-h-0 flex-1 flex-col gap-3 p-4 ${isStale ? "grayscale" : ""}`}>
        <Loaded of={{ ...first, data: newer ?? first.data }}>
          {(dashboard) =>
            dashboard.rotation ? (
              <SharedRotation {...dashboard.rotation} />
            ) : (
              <SharedBoard key={dashboard.updatedAt} dashboard={dashboard} onShared={setNewer} />
            )
          }
        </Loaded>
      </main>
    </div>
  );
}

/** Rotation of a link, without active controls. */
function SharedRotation({ dashboardIds, seconds }: ShareRotation) {
  const load = (dashboardId: string) => dashboardsApi.shared({ dashboardId });
  const { slide, error } = useRotation({ ids: dashboardIds, everyMs: seconds * 1_000 }, load, []);
  return (
    <Loaded of={{ data: slide, error: slide ? undefined : error }}>
      {(shown) => <SharedBoard key={`${shown.id} ${shown.updatedAt}`} dashboard={shown} isSlide />}
    </Loaded>
  );
}

function SharedBoard(props: {
  dashboard: SharedDashboard;
  /** True in a rotation: the dashboard comes with its data, and changes of it appear at its next turn. */
  isSlide?: boolean;
  onShared?: (update: (now: SharedDashboard | undefined) => SharedDashboard | undefined) => void;
}) {
  const { dashboard, isSlide = false, onShared } = props;
  const { query } = useLocation();
  const board = useMemo(() => {
    const { timeWindow: _, ...rest } = dashboard;
    return boardOf({ ...rest, aliases: [], ...(dashboard.ownWindow && { timeWindow: dashboard.ownWindow }) });
  }, []);
  const [window, setWindow] = useState<WindowSpec>(board.timeWindow);
  const [selected, setSelected] = useState(query.state);
  const stateId = board.states.find(({ id }) => id === selected)?.id ?? board.states[0]?.id ?? "default";
  const view = useBoardFeed(dashboard.id, board, {
    window,
    stateId,
    deviceId: undefined,
    isDraft: false,
    ...(isSlide && { first: dashboard }),
    onShared: (response) =>
      onShared?.((now) => (response.updatedAt === (now ?? dashboard).updatedAt ? now : response)),
  });
  useWall(() => undefined);
  const isScaled = useWallScale(rowsOf(layoutIn(board, stateId)));
  return (
    <>
      <WallHead title={board.name} feed={view.feed} isLoaded={view.isLoaded}>
        {!isSlide && (
          <>
            <PageChoice states={board.states} stateId={stateId} onSelect={setSelected} />
            <WindowPicker window={window} boundsNow={view.boundsNow} onChange={setWindow} />
          </>
        )}
      </WallHead>
      <ErrorNote error={view.error} onRetry={view.reload} />
      {isScaled && <BoardWidgets isFitted board={board} stateId={stateId} view={view} onWindow={setWindow} />}
    </>
  );
}

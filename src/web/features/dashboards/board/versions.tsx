import { History } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { formatDate, toMs } from "../../../platform/i18n/format.ts";
import { plural, t } from "../../../platform/i18n/i18n.ts";
import { useResource } from "../../../platform/resource.ts";
import { may } from "../../../platform/session.ts";
import { toast } from "../../../platform/toasts.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorNote } from "../../../ui/page/error-note.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageHead } from "../../../ui/page/page-head.tsx";
import {
  type Dashboard,
  type DashboardVersion,
  dashboardsApi,
  type VersionEntry,
} from "../dashboards-api.ts";
import { addressOf } from "../wall/rotation.ts";
import { boardOf } from "./board.ts";
import { BoardWidgets, PageChoice } from "./board-widgets.tsx";
import { useSaving } from "./conflict-dialog.tsx";
import { drafts } from "./drafts.ts";
import { useBoardFeed } from "./use-board-feed.ts";
import { WindowPicker } from "./window-picker.tsx";

const savedText = ({ savedBy, savedAt }: Pick<VersionEntry, "savedBy" | "savedAt">): string => {
  const time = formatDate(toMs(savedAt) ?? 0, "stamp");
  return savedBy === "" ? time : t("versions.saved", { time, who: savedBy });
};

/** Lists the versions of a dashboard, each of which can be opened. */
export function VersionsDialog({ dashboard, onClose }: { dashboard: Dashboard; onClose: () => void }) {
  const { path, query } = useLocation();
  const list = useResource(() => dashboardsApi.versions(dashboard.id), [dashboard.id]);
  return (
    <Dialog title={t("versions.title")} onClose={onClose}>
      <p class="mb-4 text-soft">{t("versions.hint")}</p>
      <Loaded of={list}>
        {(versions) => (
          <ol class="flex flex-col divide-y divide-base-300">
            {versions.map((entry, index) => (
              <li key={entry.version} class="flex items-center gap-3 py-2">
                <span class="min-w-0 flex-1">
                  <span class="block font-medium wrap-anywhere">
                    {t("versions.entry", { version: entry.version, name: entry.name })}
                  </span>
                  <span class="block text-sm text-soft wrap-anywhere">
                    {savedText(entry)} · {plural("dashboards.widgets", entry.widgets)}
                  </span>
                </span>
                {index === 0 ? (
                  <span class="badge badge-sm">{t("versions.current")}</span>
                ) : (
                  <a
                    class="btn btn-sm"
                    href={addressOf(path, { ...query, version: String(entry.version) })}
                    aria-label={t("versions.lookAt", { version: entry.version })}
                    onClick={onClose}
                  >
                    {t("versions.look")}
                  </a>
                )}
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </Dialog>
  );
}

interface VersionProps {
  readonly dashboard: Dashboard;
  /** Address of the current version. */
  readonly back: string;
  /** Called with the current version to show it again. */
  readonly onEnd: (dashboard: Dashboard) => void;
}

/** An earlier version of a dashboard, with current values. */
export function VersionBoard(props: VersionProps & { version: number }) {
  const { dashboard, version } = props;
  const loaded = useResource(() => dashboardsApi.version(dashboard.id, version), [dashboard.id, version]);
  return (
    <Loaded of={loaded} isPage>
      {(content) => <LoadedVersion {...props} content={content} />}
    </Loaded>
  );
}

function LoadedVersion(props: VersionProps & { content: DashboardVersion }) {
  const { dashboard, back, content } = props;
  const { query, route } = useLocation();
  const [board] = useState(() => boardOf(content));
  const [window, setWindow] = useState(board.timeWindow);
  const [stateId, setStateId] = useState(board.states[0]?.id ?? "default");
  const deviceId = query.device;
  const view = useBoardFeed(dashboard.id, board, { window, stateId, deviceId, isDraft: true });
  const restoring = useSaving({
    dashboard,
    save: async (base) => {
      const restored = await dashboardsApi.restore(dashboard.id, content.version, base);
      drafts.delete(dashboard.id);
      toast("success", t("versions.restored", { version: content.version }));
      return restored;
    },
    isRestoring: true,
    onEnd: (shown) => {
      props.onEnd(shown);
      route(back, true);
    },
  });
  return (
    <>
      <PageHead title={content.name}>
        <a class="btn btn-ghost btn-sm" href={back}>
          {t("versions.back")}
        </a>
        {may("dashboards:write") && (
          <button
            type="button"
            class="btn btn-primary btn-sm"
            disabled={restoring.isBusy}
            onClick={() => restoring.save(dashboard.updatedAt)}
          >
            {t("versions.restore")}
          </button>
        )}
      </PageHead>
      <p class="panel flex items-start gap-2 p-3" role="status">
        <History size={16} class="mt-1 flex-none" aria-hidden="true" />
        <span class="wrap-anywhere">
          {t("versions.note", { version: content.version, saved: savedText(content) })}
          {drafts.has(dashboard.id) && ` ${t("versions.draft")}`}
        </span>
      </p>
      <ErrorNote error={restoring.error} />
      <ErrorNote error={view.error} onRetry={view.reload} />
      <div class="flex flex-wrap items-center justify-between gap-3">
        <PageChoice states={board.states} stateId={stateId} onSelect={setStateId} />
        <WindowPicker window={window} boundsNow={view.boundsNow} onChange={setWindow} />
      </div>
      <BoardWidgets board={board} stateId={stateId} view={view} window={window} onWindow={setWindow} />
      {restoring.question}
    </>
  );
}

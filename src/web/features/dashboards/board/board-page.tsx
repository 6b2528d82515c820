import { ArrowLeft } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../../../platform/i18n/i18n.ts";
import { type Resource, useResource } from "../../../platform/resource.ts";
import { may } from "../../../platform/session.ts";
import { toast } from "../../../platform/toasts.ts";
import { ErrorNote } from "../../../ui/page/error-note.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageHead } from "../../../ui/page/page-head.tsx";
import { AnnotationSwitch } from "../../annotations/annotation-switch.tsx";
import {
  type Dashboard,
  type DashboardForm,
  dashboardsApi,
  type Widget,
  type WindowSpec,
} from "../dashboards-api.ts";
import { WidgetDialog } from "../editor/widget-dialog.tsx";
import { PartsDialog } from "../pages-dialog.tsx";
import { addressOf, type Query } from "../wall/rotation.ts";
import { type Board, boardOf, formOf, widgetsIn } from "./board.ts";
import { EditTools, NameField, NoWidgets, ViewTools } from "./board-tools.tsx";
import { BoardWidgets, PageChoice } from "./board-widgets.tsx";
import { useSaving } from "./conflict-dialog.tsx";
import { baseOf, drafts, historyOf } from "./drafts.ts";
import { begin, type EditHistory, redo, step, undo } from "./edit-history.ts";
import { type BoardView, useBoardFeed } from "./use-board-feed.ts";
import { VersionBoard } from "./versions.tsx";
import { WindowPicker } from "./window-picker.tsx";

export function BoardPage({ dashboardId }: { dashboardId: string }) {
  const { query, path } = useLocation();
  const loaded = useResource(() => dashboardsApi.get(dashboardId), [dashboardId]);
  const version = Number(query.version);
  const back = (
    <a
      class="link link-hover inline-flex items-center gap-1.5 self-start text-sm text-soft print:hidden"
      href="/dashboards"
    >
      <ArrowLeft size={14} aria-hidden="true" />
      {t("dashboards.all")}
    </a>
  );
  return (
    <div class="flex min-h-full flex-col gap-4 p-4 lg:p-6">
      {back}
      <Loaded of={loaded} isPage>
        {(dashboard) =>
          version > 0 ? (
            <VersionBoard
              key={version}
              dashboard={dashboard}
              version={version}
              back={addressOf(path, { ...query, version: undefined })}
              onEnd={loaded.set}
            />
          ) : (
            <LoadedBoard key={dashboard.updatedAt} dashboard={dashboard} loaded={loaded} />
          )
        }
      </Loaded>
    </div>
  );
}

function LoadedBoard({ dashboard, loaded }: { dashboard: Dashboard; loaded: Resource<Dashboard> }) {
  const { query, path, route } = useLocation();
  const isEditing = query.edit === "1" && may("dashboards:write");
  const [history, setHistory] = useState(() => historyOf(dashboard));
  const board = history.now;
  const [window, setWindow] = useState<WindowSpec>(board.timeWindow);
  const [dialog, setDialog] = useState<Subject | undefined>(undefined);
  const stateId = board.states.find(({ id }) => id === query.state)?.id ?? board.states[0]?.id ?? "default";
  const feed = { window, stateId, deviceId: query.device, isDraft: isEditing };
  const view = useBoardFeed(dashboard.id, board, feed);
  const change = (next: Board) => setHistory((before) => step(before, next));
  const go = (changes: Query) => route(addressOf(path, { ...query, ...changes }), true);
  useUndoKeys(isEditing, setHistory);
  useDraft(dashboard, isEditing, history, () => go({ edit: "1" }));
  // Renders only when the board changes, not with the rest of the page.
  const widgets = useMemo(
    () => (
      <BoardWidgets
        dashboardId={dashboard.id}
        board={board}
        stateId={stateId}
        view={view}
        isEditing={isEditing}
        window={window}
        onChange={change}
        onOpen={setDialog}
        onWindow={setWindow}
      />
    ),
    [board, stateId, isEditing, window, view.isLoaded, view.boundsNow, view.feed],
  );
  const endEditing = (shown: Dashboard) => {
    drafts.delete(dashboard.id);
    setHistory(begin(boardOf(shown)));
    go({ edit: undefined });
    loaded.set(shown);
  };
  const form = { ...formOf(board), timeWindow: window };
  const saving = useSaving({ dashboard, save: (base) => save(dashboard.id, form, base), onEnd: endEditing });
  return (
    <>
      <BoardHead
        title={board.name}
        field={isEditing && <NameField board={board} onChange={change} />}
        isOneRow={!isEditing && board.states.length < 2}
        pages={<PageChoice states={board.states} stateId={stateId} onSelect={(id) => go({ state: id })} />}
        chartTools={<ChartTools board={board} window={window} view={view} onChange={setWindow} />}
      >
        {isEditing ? (
          <EditTools
            history={history}
            isBusy={saving.isBusy}
            onHistory={setHistory}
            onAdd={() => setDialog("new")}
            onParts={() => setDialog("parts")}
            onSave={() => saving.save(baseOf(dashboard))}
            onDiscard={() => endEditing(dashboard)}
          />
        ) : (
          <ViewTools
            dashboard={dashboard}
            deviceId={query.device}
            onEdit={() => go({ edit: "1" })}
            onAdd={() => setDialog("new")}
            onWall={(address = addressOf(path, { ...query, wall: "1" })) => route(address, true)}
          />
        )}
      </BoardHead>
      <ErrorNote error={saving.error} />
      <ErrorNote error={view.error} onRetry={view.reload} />
      {widgetsIn(board, stateId).length === 0 ? (
        <NoWidgets isEditing={isEditing} onAdd={() => setDialog("new")} onEdit={() => go({ edit: "1" })} />
      ) : (
        widgets
      )}
      {saving.question}
      <BoardDialog
        board={board}
        stateId={stateId}
        subject={dialog}
        onChange={change}
        onClose={() => setDialog(undefined)}
      />
    </>
  );
}

/** Subject of a dialog: a widget, a new one, or the pages and device groups. */
type Subject = Widget | "new" | "parts";

interface DialogProps {
  readonly board: Board;
  readonly stateId: string;
  readonly subject: Subject | undefined;
  readonly onChange: (board: Board) => void;
  readonly onClose: () => void;
}

function BoardDialog({ subject, ...props }: DialogProps) {
  if (subject === undefined) return null;
  if (subject === "parts") return <PartsDialog {...props} />;
  return <WidgetDialog {...props} {...(subject !== "new" && { widget: subject })} />;
}

async function save(dashboardId: string, form: DashboardForm, base: string): Promise<Dashboard> {
  const saved = await dashboardsApi.update(dashboardId, form, base);
  toast("success", t("common.nameIsSaved", { name: saved.name }));
  return saved;
}

/** Head of a dashboard, on one row if possible, so that more widgets are visible. */
function BoardHead(props: {
  title: string;
  field: ComponentChildren;
  isOneRow: boolean;
  pages: ComponentChildren;
  chartTools: ComponentChildren;
  children: ComponentChildren;
}) {
  const { title, field, isOneRow, pages, chartTools, children } = props;
  return (
    <>
      <PageHead title={title} field={field}>
        {isOneRow && chartTools}
        {children}
      </PageHead>
      {!isOneRow && (
        <div class="flex flex-wrap items-center justify-between gap-3">
          {pages}
          {chartTools}
        </div>
      )}
    </>
  );
}

/** Controls for all charts of a dashboard: time window, and display of alarms and commands. */
function ChartTools(props: {
  board: Board;
  window: WindowSpec;
  view: BoardView;
  onChange: (window: WindowSpec) => void;
}) {
  const { board, window, view, onChange } = props;
  return (
    <div class="flex flex-wrap items-center gap-4">
      {board.widgets.some(({ type }) => type === "timeseries") && <AnnotationSwitch />}
      <WindowPicker window={window} boundsNow={view.boundsNow} onChange={onChange} />
    </div>
  );
}

/** Keeps the changes of an edited dashboard, and asks before they are lost. */
function useDraft(
  dashboard: Dashboard,
  isEditing: boolean,
  history: EditHistory<Board>,
  edit: () => void,
): void {
  const isChanged = history.past.length > 0;
  // A draft differs from what others see: users who return, or who have added a widget, continue editing.
  useEffect(() => {
    if (isChanged && !isEditing && may("dashboards:write")) edit();
  }, [history]);
  // A layout effect, so that the draft is saved before a click can leave the page.
  useLayoutEffect(() => {
    if (!isEditing) return;
    if (isChanged) drafts.set(dashboard.id, { of: baseOf(dashboard), history });
    else drafts.delete(dashboard.id);
  }, [history, isEditing]);
  useUnloadQuestion(isEditing && isChanged);
}

/** Asks before the page is left with unsaved changes. */
function useUnloadQuestion(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    const ask = (e: Event) => e.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isOn]);
}

/** Ctrl+Z undoes, Ctrl+Y and Ctrl+Shift+Z redo, except while typing. */
function useUndoKeys(
  isOn: boolean,
  set: (of: (history: EditHistory<Board>) => EditHistory<Board>) => void,
): void {
  useEffect(() => {
    if (!isOn) return;
    const press = (e: KeyboardEvent) => {
      const isWriting = e.target instanceof HTMLElement && e.target.matches("input, textarea, select");
      if (!(e.ctrlKey || e.metaKey) || isWriting) return;
      const key = e.key.toLowerCase();
      if (key === "y" || (key === "z" && e.shiftKey)) set(redo);
      else if (key === "z") set(undo);
      else return;
      e.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [isOn]);
}

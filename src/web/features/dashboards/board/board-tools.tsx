import {
  Copy,
  Download,
  GalleryHorizontalEnd,
  History,
  House,
  Layers,
  type LucideIcon,
  Maximize,
  Pencil,
  Plus,
  Redo2,
  Share2,
  Undo2,
} from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { maxLengthOf } from "../../../lib/form-schema.macro.ts" with { type: "macro" };
import { ownAddress } from "../../../platform/base.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { useResource } from "../../../platform/resource.ts";
import { may } from "../../../platform/session.ts";
import { toast } from "../../../platform/toasts.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Empty } from "../../../ui/page/empty.tsx";
import { errorText } from "../../../ui/page/error-text.ts";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { MENU_ITEM, MoreMenu } from "../../../ui/page/more-menu.tsx";
import { type Dashboard, dashboardsApi } from "../dashboards-api.ts";
import { ShareDialog } from "../share-dialog.tsx";
import { addressOf, rotationQuery } from "../wall/rotation.ts";
import { newRotation, RotationFields } from "../wall/rotation-fields.tsx";
import { enterFullScreen } from "../wall/wall.tsx";
import type { Board } from "./board.ts";
import { type EditHistory, redo, undo } from "./edit-history.ts";
import { VersionsDialog } from "./versions.tsx";

export function NameField({ board, onChange }: { board: Board; onChange: (board: Board) => void }) {
  return (
    // Keeps typed input while live values rerender the dashboard.
    <input
      key={board.name}
      class="input w-80 max-w-full text-lg font-semibold"
      aria-label={t("common.name")}
      maxLength={maxLengthOf("dashboards/dashboards.schemas.ts", "createDashboardBody", "name")}
      defaultValue={board.name}
      onChange={(e) => {
        const name = e.currentTarget.value.trim();
        if (name === "") e.currentTarget.value = board.name;
        else onChange({ ...board, name });
      }}
    />
  );
}

/** Max. characters of a name, with room for the suffix of a copy. */
const NAME_KEPT = 240;

/** Creates a copy of a dashboard, and opens it. */
export async function duplicate(dashboard: Dashboard, route: (path: string) => void): Promise<void> {
  try {
    const { id, updatedAt, updatedBy, ...content } = dashboard;
    const name = t("dashboards.copyName", { name: content.name.slice(0, NAME_KEPT) });
    const copy = await dashboardsApi.create({ ...content, name });
    toast("success", t("dashboards.created", { name: copy.name }));
    route(`/dashboards/${copy.id}`);
  } catch (error) {
    toast("error", errorText(error));
  }
}

export function ViewTools(props: {
  dashboard: Dashboard;
  deviceId: string | undefined;
  onEdit: () => void;
  onAdd: () => void;
  /** Called with an address for a wall that rotates through several dashboards. */
  onWall: (address?: string) => void;
}) {
  const { dashboard, deviceId, onEdit } = props;
  const { route } = useLocation();
  const mayWrite = may("dashboards:write");
  const [dialog, setDialog] = useState<"share" | "rotate" | "versions" | undefined>(undefined);
  const close = () => setDialog(undefined);
  const showWall = (address?: string) => {
    enterFullScreen();
    props.onWall(address);
  };
  const save = async () => {
    const url = URL.createObjectURL(await dashboardsApi.exportFile(dashboard.id));
    const link = document.createElement("a");
    link.href = url;
    link.download = `${dashboard.name}.json`;
    link.click();
    URL.revokeObjectURL(url);
  };
  const choices = useResource(dashboardsApi.choices, []);
  const isStart = choices.data?.start === dashboard.id;
  const chooseStart = async () => {
    try {
      choices.set(await dashboardsApi.choose(dashboard.id, { isStart: !isStart }));
      toast("success", t(isStart ? "dashboards.startOff" : "dashboards.startOn", { name: dashboard.name }));
    } catch (error) {
      toast("error", errorText(error));
    }
  };
  const lines: ReadonlyArray<readonly [label: string, icon: LucideIcon, run: () => void]> = [
    [t("rotation.title"), GalleryHorizontalEnd, () => setDialog("rotate")],
    [t("versions.title"), History, () => setDialog("versions")],
    ...(mayWrite ? [[t("dashboards.duplicate"), Copy, () => duplicate(dashboard, route)] as const] : []),
    [t("board.export"), Download, save],
    [t(isStart ? "dashboards.noStart" : "dashboards.useAsStart"), House, chooseStart],
  ];
  return (
    <>
      <Tool label={t("board.wall")} hasText onClick={() => showWall()}>
        <Maximize size={16} aria-hidden="true" />
      </Tool>
      {may("dashboards:share") && (
        <Tool label={t("share.title")} hasText onClick={() => setDialog("share")}>
          <Share2 size={16} aria-hidden="true" />
        </Tool>
      )}
      {mayWrite && (
        <>
          <Tool label={t("board.add")} hasText onClick={props.onAdd}>
            <Plus size={16} aria-hidden="true" />
          </Tool>
          <Button icon={Pencil} class="btn btn-sm print:hidden" onClick={onEdit}>
            {t("board.edit")}
          </Button>
        </>
      )}
      <MoreMenu label={t("board.more")}>
        {(closeMenu) =>
          lines.map(([label, Icon, run]) => (
            <Button
              key={label}
              icon={Icon}
              class={MENU_ITEM}
              onClick={() => {
                closeMenu();
                run();
              }}
            >
              {label}
            </Button>
          ))
        }
      </MoreMenu>
      {dialog === "rotate" && (
        <RotationDialog dashboard={dashboard} deviceId={deviceId} onStart={showWall} onClose={close} />
      )}
      {dialog === "versions" && <VersionsDialog dashboard={dashboard} onClose={close} />}
      {dialog === "share" && <ShareDialog dashboardId={dashboard.id} deviceId={deviceId} onClose={close} />}
    </>
  );
}

export function EditTools(props: {
  history: EditHistory<Board>;
  isBusy: boolean;
  onHistory: (history: EditHistory<Board>) => void;
  onAdd: () => void;
  onParts: () => void;
  onSave: () => void;
  onDiscard: () => void;
}) {
  const { history, isBusy, onHistory } = props;
  return (
    <>
      <Tool
        hasText
        label={t("board.undo")}
        isOff={history.past.length === 0}
        onClick={() => onHistory(undo(history))}
      >
        <Undo2 size={16} aria-hidden="true" />
      </Tool>
      <Tool
        hasText
        label={t("board.redo")}
        isOff={history.future.length === 0}
        onClick={() => onHistory(redo(history))}
      >
        <Redo2 size={16} aria-hidden="true" />
      </Tool>
      <Tool label={t("board.parts")} hasText onClick={props.onParts}>
        <Layers size={16} aria-hidden="true" />
      </Tool>
      <Button icon={Plus} onClick={props.onAdd}>
        {t("board.add")}
      </Button>
      <button type="button" class="btn btn-ghost btn-sm" onClick={props.onDiscard}>
        {t("board.discard")}
      </button>
      <button type="button" class="btn btn-primary btn-sm" disabled={isBusy} onClick={props.onSave}>
        {t("common.save")}
      </button>
    </>
  );
}

export function Tool(props: {
  label: string;
  onClick: () => void;
  isOff?: boolean;
  isGrave?: boolean;
  /** True to show the label beside the icon if there is room. */
  hasText?: boolean;
  children: ComponentChildren;
}) {
  return (
    <button
      type="button"
      class={`btn btn-ghost btn-sm print:hidden ${props.hasText ? "max-xl:btn-square" : "btn-square"} ${props.isGrave && !props.isOff ? "text-error" : ""}`}
      aria-label={props.label}
      title={props.label}
      disabled={props.isOff ?? false}
      onClick={props.onClick}
    >
      {props.children}
      {props.hasText && <span class="max-xl:hidden">{props.label}</span>}
    </button>
  );
}

export function NoWidgets(props: { isEditing: boolean; onAdd: () => void; onEdit: () => void }) {
  return (
    <div class="panel">
      <Empty title={t("board.empty")} hint={t("board.emptyHint")}>
        {may("dashboards:write") && (
          <button
            type="button"
            class="btn btn-primary"
            onClick={props.isEditing ? props.onAdd : props.onEdit}
          >
            {t(props.isEditing ? "board.add" : "board.edit")}
          </button>
        )}
      </Empty>
    </div>
  );
}

interface Props {
  readonly dashboard: Dashboard;
  /** Device for which the dashboards are opened. */
  readonly deviceId: string | undefined;
  readonly onStart: (address: string) => void;
  readonly onClose: () => void;
}

/** Selects the dashboards of a rotation and the seconds per dashboard, and shows the address of the wall. */
function RotationDialog({ dashboard, deviceId, onStart, onClose }: Props) {
  const { path } = useLocation();
  const list = useResource(dashboardsApi.list, []);
  const [form, setForm] = useState(newRotation);
  const { ids, seconds } = form;
  const address = addressOf(path, { ...rotationQuery(ids, Number(seconds)), device: deviceId });
  const url = ownAddress() + address;
  const submit = (e: Event) => {
    e.preventDefault();
    onStart(address);
  };
  return (
    <Dialog title={t("rotation.title")} onClose={onClose}>
      <form class="flex flex-col gap-5" onSubmit={submit}>
        <p>{t("rotation.hint", { name: dashboard.name })}</p>
        <Loaded of={list} />
        <RotationFields dashboardId={dashboard.id} dashboards={list.data} form={form} onChange={setForm} />
        {ids.length > 0 && (
          <div class="flex items-start gap-2 rounded-field bg-base-200 p-3">
            <a class="link min-w-0 flex-1 text-sm break-all" href={url} target="_blank" rel="noreferrer">
              {url}
            </a>
            <CopyButton text={url} label={t("rotation.copy")} />
          </div>
        )}
        <div class="flex justify-end gap-2">
          <button type="button" class="btn btn-ghost" onClick={onClose}>
            {t("common.close")}
          </button>
          <button type="submit" class="btn btn-primary" disabled={ids.length === 0}>
            {t("common.start")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

import { Pencil, Plus, SlidersHorizontal, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { AttributeDialog } from "../../components/attribute-dialog.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { Age, Dialog, Empty, Segments } from "../../components/parts.tsx";
import { useAction } from "../../components/use-form.ts";
import { formatValue, toMs } from "../../i18n/format.ts";
import { t } from "../../i18n/i18n.ts";
import { api } from "../../state/api.ts";
import type { AttributeEntry, Scope } from "../../state/api-types.ts";
import { useLive } from "../../state/live.ts";
import { useResource } from "../../state/resource.ts";
import { mayWrite } from "../../state/session.ts";
import { useGathered } from "../../state/use-gathered.ts";
import type { DeviceTabProps } from "../device.tsx";

const SCOPES: readonly Scope[] = ["SHARED", "SERVER", "CLIENT"];

type Editing =
  | { readonly kind: "edit" | "delete"; readonly entry: AttributeEntry }
  | { readonly kind: "add" };

export function AttributesTab({ device }: DeviceTabProps) {
  const { query, path, route } = useLocation();
  const scope = SCOPES.find((s) => s === query.scope?.toUpperCase()) ?? "SHARED";
  const [editing, setEditing] = useState<Editing | undefined>(undefined);
  const list = useResource(() => api.attributes(device.deviceId, scope), [device.deviceId, scope]);
  const reloadSoon = useGathered(list.reload);
  useLive({ topics: ["attributes"], deviceIds: [device.deviceId] }, (message) => {
    if (message.type === "snapshot" || (message.topic === "attributes" && message.scope === scope))
      reloadSoon();
  });
  const writable = scope !== "CLIENT" && mayWrite.value;
  const done = () => {
    setEditing(undefined);
    list.reload();
  };
  return (
    <div class="flex flex-col gap-4">
      <div class="flex flex-wrap items-center justify-between gap-3">
        <Segments
          label={t("attributes.scope")}
          items={SCOPES.map((id) => ({ id, text: t(`scope.${id}`) }))}
          current={scope}
          onChoose={(id) => route(`${path}?scope=${id}`, true)}
        />
        {writable && (
          <button type="button" class="btn btn-primary btn-sm" onClick={() => setEditing({ kind: "add" })}>
            <Plus size={16} aria-hidden="true" /> {t("attributes.add")}
          </button>
        )}
      </div>
      <p class="text-sm text-soft">{t(`scopeHint.${scope}`)}</p>
      {list.error !== undefined && <ErrorNote error={list.error} onRetry={list.reload} />}
      {list.data && (
        <AttributeTable
          entries={list.data.filter((e) => e.scope === scope)}
          writable={writable}
          scope={scope}
          onEdit={setEditing}
        />
      )}
      {editing?.kind === "delete" && (
        <DeleteDialog
          deviceId={device.deviceId}
          entry={editing.entry}
          onClose={() => setEditing(undefined)}
          onDone={done}
        />
      )}
      {(editing?.kind === "add" || editing?.kind === "edit") && (
        <AttributeDialog
          deviceId={device.deviceId}
          scope={scope}
          {...(editing.kind === "edit" && { entry: editing.entry })}
          onClose={() => setEditing(undefined)}
          onDone={done}
        />
      )}
    </div>
  );
}

function AttributeTable(props: {
  entries: readonly AttributeEntry[];
  writable: boolean;
  scope: Scope;
  onEdit: (editing: Editing) => void;
}) {
  if (props.entries.length === 0) {
    return (
      <div class="panel">
        <Empty
          icon={<SlidersHorizontal size={32} aria-hidden="true" />}
          title={t("attributes.none")}
          hint={t(`scopeEmpty.${props.scope}`)}
        />
      </div>
    );
  }
  const sorted = props.entries.toSorted((a, b) => a.key.localeCompare(b.key));
  return (
    <div class="panel divide-y divide-base-300">
      <ul class="divide-y divide-base-300">
        {sorted.map((entry) => (
          <li key={entry.key} class="flex items-center gap-4 px-4 py-2.5">
            <div class="grid min-w-0 flex-1 items-baseline gap-x-4 sm:grid-cols-[minmax(0,1fr)_minmax(0,1.5fr)_7rem]">
              <span class="font-medium break-all">{entry.key}</span>
              <span class="reading break-all">{formatValue(entry.value)}</span>
              <span class="text-sm text-soft sm:text-right">
                <Age ts={toMs(entry.updatedAt)} />
              </span>
            </div>
            {props.writable && (
              <div class="flex flex-none gap-1">
                <button
                  type="button"
                  class="btn btn-ghost btn-sm btn-square"
                  aria-label={t("attributes.edit", { key: entry.key })}
                  onClick={() => props.onEdit({ kind: "edit", entry })}
                >
                  <Pencil size={15} aria-hidden="true" />
                </button>
                <button
                  type="button"
                  class="btn btn-ghost btn-sm btn-square"
                  aria-label={t("attributes.delete", { key: entry.key })}
                  onClick={() => props.onEdit({ kind: "delete", entry })}
                >
                  <Trash2 size={15} aria-hidden="true" />
                </button>
              </div>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function DeleteDialog(props: {
  deviceId: string;
  entry: AttributeEntry;
  onClose: () => void;
  onDone: () => void;
}) {
  const action = useAction();
  const remove = () =>
    action.run(async () => {
      await api.deleteAttribute(props.deviceId, props.entry.scope, props.entry.key);
      props.onDone();
    });
  return (
    <Dialog title={t("attributes.delete", { key: props.entry.key })} onClose={props.onClose}>
      <p>{t(props.entry.scope === "SHARED" ? "attributes.deleteShared" : "attributes.deleteServer")}</p>
      {action.error !== undefined && <ErrorNote error={action.error} />}
      <div class="mt-5 flex justify-end gap-2">
        <button type="button" class="btn btn-ghost" onClick={props.onClose}>
          {t("common.cancel")}
        </button>
        <button type="button" class="btn btn-error" onClick={remove} disabled={action.busy}>
          {t("common.delete")}
        </button>
      </div>
    </Dialog>
  );
}

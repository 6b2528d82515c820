import { Check, CircleAlert, History, Pencil, Plus, SlidersHorizontal, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { AttributeEntry, Scope } from "../../lib/api-types.ts";
import { formatValue, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { useResource } from "../../platform/resource.ts";
import { mayWrite } from "../../platform/session.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { ask } from "../../ui/confirmation.tsx";
import { EmptyPanel } from "../../ui/empty.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Segments } from "../../ui/segments.tsx";
import type { DeviceTabProps } from "../devices/device-tab.types.ts";
import { AttributeDialog } from "./attribute-dialog.tsx";
import { AttributeHistoryDialog } from "./attribute-history.tsx";
import { attributesApi, type DesiredState } from "./attributes-api.ts";

const SCOPES: readonly Scope[] = ["SHARED", "SERVER", "CLIENT"];

type Editing =
  | { readonly kind: "edit" | "history"; readonly entry: AttributeEntry }
  | { readonly kind: "add" };

export function AttributesTab({ device }: DeviceTabProps) {
  const { query, path, route } = useLocation();
  const scope = SCOPES.find((s) => s === query.scope?.toUpperCase()) ?? "SHARED";
  const [editing, setEditing] = useState<Editing | undefined>(undefined);
  const list = useResource(() => attributesApi.list(device.deviceId, scope), [device.deviceId, scope]);
  // What the device reports of a shared attribute shows beside what is desired.
  const isShared = scope === "SHARED";
  const states = useResource(
    () => (isShared ? attributesApi.desired(device.deviceId) : Promise.resolve([])),
    [device.deviceId, isShared],
  );
  const reload = () => {
    list.reload();
    states.reload();
  };
  const reloadSoon = useCoalesced(reload);
  useLive({ topics: ["attributes"], deviceIds: [device.deviceId] }, (message) => {
    const isShown =
      message.type === "snapshot" || (message.topic === "attributes" && message.scope === scope);
    const isReported =
      isShared && message.type === "data" && message.topic === "attributes" && message.scope === "CLIENT";
    if (isShown || isReported) reloadSoon();
  });
  const writable = scope !== "CLIENT" && mayWrite.value;
  const done = () => {
    setEditing(undefined);
    reload();
  };
  return (
    <div class="flex flex-col gap-4">
      <div class="flex flex-wrap items-center justify-between gap-3">
        <Segments
          label={t("attributes.scope")}
          items={SCOPES.map((id) => ({ id, text: t(`scope.${id}`) }))}
          current={scope}
          onSelect={(id) => route(`${path}?scope=${id}`, true)}
        />
        {writable && (
          <Button icon={Plus} class="btn btn-primary btn-sm" onClick={() => setEditing({ kind: "add" })}>
            {" "}
            {t("attributes.add")}
          </Button>
        )}
      </div>
      <p class="text-sm text-soft">{t(`scopeHint.${scope}`)}</p>
      <Loaded of={list}>
        {(entries) => (
          <AttributeTable
            entries={entries.filter((e) => e.scope === scope)}
            states={states.data ?? []}
            writable={writable}
            scope={scope}
            onEdit={setEditing}
            onDelete={({ key }) =>
              ask({
                title: t("attributes.delete", { key }),
                warning: t(isShared ? "attributes.deleteShared" : "attributes.deleteServer"),
                onConfirm: async () => {
                  await attributesApi.delete(device.deviceId, scope, key);
                  reload();
                },
              })
            }
          />
        )}
      </Loaded>
      {editing?.kind === "history" && (
        <AttributeHistoryDialog
          deviceId={device.deviceId}
          scope={scope}
          name={editing.entry.key}
          onClose={() => setEditing(undefined)}
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
  states: readonly DesiredState[];
  writable: boolean;
  scope: Scope;
  onEdit: (editing: Editing) => void;
  onDelete: (entry: AttributeEntry) => void;
}) {
  if (props.entries.length === 0) {
    return (
      <EmptyPanel
        icon={SlidersHorizontal}
        title={t("attributes.none")}
        hint={t(`scopeEmpty.${props.scope}`)}
      />
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
              <span class="min-w-0">
                <span class="reading break-all">{formatValue(entry.value)}</span>
                <TakenUp state={props.states.find(({ key }) => key === entry.key)} />
              </span>
              <span class="text-sm text-soft sm:text-right">
                <Age ts={toMs(entry.updatedAt)} />
              </span>
            </div>
            <div class="flex flex-none gap-1">
              <IconButton
                icon={History}
                size={15}
                label={t("common.historyOfKey", { key: entry.key })}
                class="btn btn-ghost btn-sm btn-square"
                onClick={() => props.onEdit({ kind: "history", entry })}
              />
              {props.writable && (
                <IconButton
                  icon={Pencil}
                  size={15}
                  label={t("common.editKey", { key: entry.key })}
                  class="btn btn-ghost btn-sm btn-square"
                  onClick={() => props.onEdit({ kind: "edit", entry })}
                />
              )}
              {props.writable && (
                <IconButton
                  icon={Trash2}
                  size={15}
                  label={t("attributes.delete", { key: entry.key })}
                  class="btn btn-ghost btn-sm btn-square"
                  onClick={() => props.onDelete(entry)}
                />
              )}
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Shows whether the device reports the desired value. */
function TakenUp({ state }: { state: DesiredState | undefined }) {
  if (state === undefined) return null;
  const { reported } = state;
  if (state.state === "NOT_REPORTED")
    return <span class="block text-sm text-soft">{t("desired.NOT_REPORTED")}</span>;
  const isSame = state.state === "IN_SYNC";
  const Icon = isSame ? Check : CircleAlert;
  return (
    <span class={`flex items-center gap-1 text-sm ${isSame ? "text-success" : "text-warning"}`}>
      <Icon size={14} class="flex-none" aria-hidden="true" />
      <span class="break-all">{t(`desired.${state.state}`, { value: formatValue(reported) })}</span>
    </span>
  );
}

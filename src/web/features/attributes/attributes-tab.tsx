import { Check, CircleAlert, History, Pencil, Plus, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { OBSERVED_ATTRIBUTES } from "../../../lib/devices/observed-attributes.ts";
import type { AttributeEntry, Scope } from "../../lib/api-types.ts";
import { formatCount, formatDate, formatValue, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { useKept } from "../../platform/resource.ts";
import { mayWrite } from "../../platform/session.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";
import { Button } from "../../ui/button.tsx";
import { ask } from "../../ui/confirmation.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Age } from "../../ui/state/age.tsx";
import type { DeviceTabProps } from "../devices/device-tab.types.ts";
import { AttributeDialog } from "./attribute-dialog.tsx";
import { AttributeHistoryDialog } from "./attribute-history.tsx";
import { attributesApi, type DesiredState } from "./attributes-api.ts";

const SCOPES: readonly Scope[] = ["SHARED", "SERVER", "CLIENT"];

type Editing =
  | { readonly kind: "edit" | "history"; readonly entry: AttributeEntry }
  | { readonly kind: "add" };

/** The attributes of a device in one list, grouped by their scope. */
export function AttributesTab({ device }: DeviceTabProps) {
  const { deviceId } = device;
  const [editing, setEditing] = useState<Editing | undefined>(undefined);
  const list = useKept(() => attributesApi.list(deviceId), [deviceId]);
  // What the device reports of a shared attribute shows beside what is desired.
  const states = useKept(() => attributesApi.desired(deviceId), [deviceId]);
  const reload = () => {
    list.reload();
    states.reload();
  };
  const reloadSoon = useCoalesced(reload);
  useLive({ topics: ["attributes"], deviceIds: [deviceId] }, (message) => {
    if (message.type === "snapshot" || message.topic === "attributes") reloadSoon();
  });
  const done = () => {
    setEditing(undefined);
    reload();
  };
  const remove = ({ scope, key }: AttributeEntry) =>
    ask({
      title: t("attributes.delete", { key }),
      warning: t(scope === "SHARED" ? "attributes.deleteShared" : "attributes.deleteServer"),
      onConfirm: async () => {
        await attributesApi.delete(deviceId, scope, key);
        reload();
      },
    });
  return (
    <div class="flex flex-col gap-5">
      {mayWrite.value && (
        <Button
          icon={Plus}
          class="btn btn-primary btn-sm self-start"
          onClick={() => setEditing({ kind: "add" })}
        >
          {t("attributes.add")}
        </Button>
      )}
      <Loaded of={list}>
        {(entries) =>
          SCOPES.map((scope) => (
            <AttributeGroup
              key={scope}
              scope={scope}
              entries={entries.filter((entry) => entry.scope === scope)}
              states={scope === "SHARED" ? (states.data ?? []) : []}
              onEdit={setEditing}
              onDelete={remove}
            />
          ))
        }
      </Loaded>
      {editing?.kind === "history" && (
        <AttributeHistoryDialog
          deviceId={deviceId}
          scope={editing.entry.scope}
          name={editing.entry.key}
          onClose={() => setEditing(undefined)}
        />
      )}
      {(editing?.kind === "add" || editing?.kind === "edit") && (
        <AttributeDialog
          deviceId={deviceId}
          {...(editing.kind === "edit" && { entry: editing.entry })}
          onClose={() => setEditing(undefined)}
          onDone={done}
        />
      )}
    </div>
  );
}

interface GroupProps {
  readonly scope: Scope;
  readonly entries: readonly AttributeEntry[];
  readonly states: readonly DesiredState[];
  readonly onEdit: (editing: Editing) => void;
  readonly onDelete: (entry: AttributeEntry) => void;
}

function AttributeGroup({ scope, entries, states, onEdit, onDelete }: GroupProps) {
  const id = `attributes-${scope}`;
  const isWritable = scope !== "CLIENT" && mayWrite.value;
  return (
    <section class="flex flex-col gap-2.5" aria-labelledby={id}>
      <div>
        <h2 id={id} class="font-semibold">
          {t(`scope.${scope}`)} <span class="font-normal text-soft">{formatCount(entries.length)}</span>
        </h2>
        <p class="text-sm text-soft">
          {t(entries.length === 0 ? `scopeEmpty.${scope}` : `scopeHint.${scope}`)}
        </p>
      </div>
      {entries.length > 0 && (
        <ul class="panel divide-y divide-base-300">
          {entries
            .toSorted((a, b) => a.key.localeCompare(b.key))
            .map((entry) => (
              <AttributeRow
                key={entry.key}
                entry={entry}
                state={states.find(({ key }) => key === entry.key)}
                isWritable={isWritable}
                onEdit={onEdit}
                onDelete={onDelete}
              />
            ))}
        </ul>
      )}
    </section>
  );
}

interface RowProps extends Pick<GroupProps, "onEdit" | "onDelete"> {
  readonly entry: AttributeEntry;
  readonly state: DesiredState | undefined;
  readonly isWritable: boolean;
}

function AttributeRow({ entry, state, onEdit, onDelete, ...row }: RowProps) {
  const { key, value, scope } = entry;
  // The gateway writes these itself: nothing to edit, and no history.
  const isObserved = scope === "SERVER" && OBSERVED_ATTRIBUTES.has(key);
  const isWritable = row.isWritable && !isObserved;
  const square = "btn btn-ghost btn-sm btn-square";
  return (
    <li class="flex items-center gap-4 px-4 py-2.5">
      <div class="grid min-w-0 flex-1 items-baseline gap-x-4 sm:grid-cols-[minmax(0,1fr)_minmax(0,1.5fr)_7rem]">
        <span class="font-medium break-all">{key}</span>
        <span class="min-w-0">
          <span class="reading break-all">
            {isObserved && typeof value === "number" ? formatDate(value, "full") : formatValue(value)}
          </span>
          <TakenUp state={state} />
        </span>
        <span class="text-sm text-soft sm:text-right">
          <Age ts={toMs(entry.updatedAt)} />
        </span>
      </div>
      <div class="flex flex-none justify-end gap-1 sm:w-32">
        {!isObserved && (
          <IconButton
            icon={History}
            size={15}
            label={t("common.historyOfKey", { key })}
            class={square}
            onClick={() => onEdit({ kind: "history", entry })}
          />
        )}
        {isWritable && (
          <>
            <IconButton
              icon={Pencil}
              size={15}
              label={t("common.editKey", { key })}
              class={square}
              onClick={() => onEdit({ kind: "edit", entry })}
            />
            <IconButton
              icon={Trash2}
              size={15}
              label={t("attributes.delete", { key })}
              class={square}
              onClick={() => onDelete(entry)}
            />
          </>
        )}
      </div>
    </li>
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

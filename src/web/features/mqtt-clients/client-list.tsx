import { Plus, Radio, Trash2 } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { formatDate } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EditLink } from "../../ui/edit-link.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { type MqttClient, mqttClientsApi } from "./mqtt-clients-api.ts";

export function ClientList({ search, tabs }: { search: string; tabs: ComponentChildren }) {
  const [deleting, setDeleting] = useState<MqttClient | undefined>(undefined);
  const list = useResource(() => mqttClientsApi.list(search), [search]);
  const clients = useKept(list);
  return (
    <>
      <ListScreen
        title={t("nav.mqttClients")}
        tabs={tabs}
        intro={t("mqttClients.intro")}
        list={list}
        count={clients?.rows.length}
        search={search}
        searchLabel={t("mqttClients.search")}
        countText={clients && plural("mqttClients.count", clients.total)}
        icon={Radio}
        none={[t("mqttClients.none"), t("mqttClients.noneHint")]}
        noMatch={[t("mqttClients.noMatch"), t("mqttClients.noMatchHint")]}
        create={
          may("mqtt-clients:write") && (
            <a class="btn btn-primary btn-sm" href="/mqtt-clients/clients/new">
              <Plus size={16} aria-hidden="true" />
              {t("mqttClients.create")}
            </a>
          )
        }
      >
        {clients?.rows.map((client) => (
          <Row key={client.mqttClientId} client={client} onDelete={() => setDeleting(client)} />
        ))}
      </ListScreen>
      {deleting && (
        <DeleteDialog
          client={deleting}
          onClose={(isDeleted) => {
            setDeleting(undefined);
            if (isDeleted) list.reload();
          }}
        />
      )}
    </>
  );
}

function Patterns({ name, patterns }: { name: string; patterns: readonly string[] }) {
  if (patterns.length === 0) return <p class="text-soft">{t("mqttClients.noPattern")}</p>;
  return (
    <ul class="flex flex-wrap gap-1" aria-label={name}>
      {patterns.map((pattern) => (
        <li key={pattern} class="flex min-w-0 max-w-full">
          <span class="reading badge badge-sm max-w-full border-base-300 bg-base-200" title={pattern}>
            <span class="truncate">{pattern}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function Row({ client, onDelete }: { client: MqttClient; onDelete: () => void }) {
  const { name, signIn, username, publish, subscribe, enabled, connections, refused } = client;
  return (
    <li class="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3" data-testid="mqtt-client">
      <div class="min-w-0 flex-[2_1_12rem]">
        <p class="truncate font-medium">{name}</p>
        <p class="truncate text-sm text-soft">
          {t(`fieldOption.mqttClient.signIn.${signIn}`)}
          {username !== null && <span class="reading"> · {username}</span>}
        </p>
      </div>
      <dl class="grid min-w-0 flex-[3_1_16rem] grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1.5 text-sm">
        <dt class="text-soft">{t("mqttClients.publishes")}</dt>
        <dd class="min-w-0">
          <Patterns name={t("mqttClients.publishes")} patterns={publish} />
        </dd>
        <dt class="text-soft">{t("mqttClients.subscribes")}</dt>
        <dd class="min-w-0">
          <Patterns name={t("mqttClients.subscribes")} patterns={subscribe} />
        </dd>
      </dl>
      <p
        class={`flex min-w-0 flex-[1_1_8rem] items-center gap-2 text-sm ${connections > 0 ? "" : "text-soft"}`}
      >
        <span class={`lamp ${connections > 0 ? "lamp-on" : ""}`} aria-hidden="true" />
        {!enabled
          ? t("mqttClients.disabled")
          : connections === 0
            ? t("mqttClients.notConnected")
            : plural("mqttClients.connections", connections)}
      </p>
      {refused && (
        <p class="order-last basis-full text-sm text-warning wrap-anywhere">
          {plural("mqttClients.refused", refused.messages)}{" "}
          {t("mqttClients.newestRefused", {
            topic: refused.topic,
            time: formatDate(Date.parse(refused.refusedAt), "stamp"),
          })}
        </p>
      )}
      {may("mqtt-clients:write") && (
        <div class="flex gap-1">
          <EditLink
            href={`/mqtt-clients/clients/${client.mqttClientId}`}
            label={t("common.editName", { name })}
          />
          <IconButton
            icon={Trash2}
            label={t("common.deleteName", { name })}
            class="btn btn-ghost btn-sm text-error"
            onClick={onDelete}
          />
        </div>
      )}
    </li>
  );
}

function DeleteDialog({ client, onClose }: { client: MqttClient; onClose: (changed: boolean) => void }) {
  const { name, mqttClientId } = client;
  return (
    <ConfirmDialog
      title={t("common.deleteName", { name })}
      warning={t("mqttClients.deleteWarning", { name })}
      onCancel={() => onClose(false)}
      onConfirm={async () => {
        await mqttClientsApi.delete(mqttClientId);
        toast("success", t("common.nameIsDeleted", { name }));
        onClose(true);
      }}
    />
  );
}

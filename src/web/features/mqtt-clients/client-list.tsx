import { Radio } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { formatDate } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { confirmDelete } from "../../ui/confirmation.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { CreateLink, DeleteButton, EditLink } from "../../ui/page/row-buttons.tsx";
import { type MqttClient, mqttClientsApi } from "./mqtt-clients-api.ts";

export function ClientList({ search, tabs }: { search: string; tabs: ComponentChildren }) {
  const list = useKept(() => mqttClientsApi.list(search), [search]);
  return (
    <ResourceList
      title={t("nav.mqttClients")}
      tabs={tabs}
      intro={t("mqttClients.intro")}
      list={list}
      search={search}
      searchLabel={t("mqttClients.search")}
      countText={(total) => plural("mqttClients.count", total)}
      icon={Radio}
      none={[t("mqttClients.none"), t("mqttClients.noneHint")]}
      noMatch={[t("mqttClients.noMatch"), t("mqttClients.noMatchHint")]}
      create={
        may("mqtt-clients:write") && (
          <CreateLink href="/mqtt-clients/clients/new">{t("mqttClients.create")}</CreateLink>
        )
      }
    >
      {(client) => <Row key={client.mqttClientId} client={client} onDeleted={list.reload} />}
    </ResourceList>
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

function Row({ client, onDeleted }: { client: MqttClient; onDeleted: () => void }) {
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
          <DeleteButton
            label={t("common.deleteName", { name })}
            onClick={() =>
              confirmDelete({
                name,
                warning: t("mqttClients.deleteWarning", { name }),
                onDelete: () => mqttClientsApi.delete(client.mqttClientId),
                onDeleted,
              })
            }
          />
        </div>
      )}
    </li>
  );
}

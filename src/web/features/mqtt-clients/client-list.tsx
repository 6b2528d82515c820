import { Pencil, Plus, Radio, Trash2 } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { ClientDialog } from "./client-dialog.tsx";
import { type MqttClient, mqttClientsApi } from "./mqtt-clients-api.ts";

type Question =
  | { readonly kind: "create" }
  | { readonly kind: "edit" | "delete"; readonly client: MqttClient };

export function ClientList({ search, tabs }: { search: string; tabs: ComponentChildren }) {
  const [question, setQuestion] = useState<Question | undefined>(undefined);
  const list = useResource(() => mqttClientsApi.list(search), [search]);
  const clients = useKept(list);
  const answered = (changed: boolean) => {
    setQuestion(undefined);
    if (changed) list.reload();
  };
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
            <Button
              icon={Plus}
              class="btn btn-primary btn-sm"
              onClick={() => setQuestion({ kind: "create" })}
            >
              {t("mqttClients.create")}
            </Button>
          )
        }
      >
        {clients?.rows.map((client) => (
          <Row key={client.mqttClientId} client={client} onAsk={(kind) => setQuestion({ kind, client })} />
        ))}
      </ListScreen>
      {question?.kind === "create" && <ClientDialog onClose={answered} />}
      {question?.kind === "edit" && <ClientDialog client={question.client} onClose={answered} />}
      {question?.kind === "delete" && <DeleteDialog client={question.client} onClose={answered} />}
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

function Row({ client, onAsk }: { client: MqttClient; onAsk: (kind: "edit" | "delete") => void }) {
  const { name, signIn, username, publish, subscribe, enabled, connections } = client;
  return (
    <li class="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3" data-testid="mqtt-client">
      <div class="min-w-0 flex-[2_1_12rem]">
        <p class="truncate font-medium">{name}</p>
        <p class="truncate text-sm text-soft">
          {t(`mqttSignIn.${signIn}`)}
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
      {may("mqtt-clients:write") && (
        <div class="flex gap-1">
          <IconButton icon={Pencil} label={t("mqttClients.editOf", { name })} onClick={() => onAsk("edit")} />
          <IconButton
            icon={Trash2}
            label={t("mqttClients.deleteOf", { name })}
            class="btn btn-ghost btn-sm text-error"
            onClick={() => onAsk("delete")}
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
      title={t("mqttClients.deleteOf", { name })}
      warning={t("mqttClients.deleteWarning", { name })}
      onCancel={() => onClose(false)}
      onConfirm={async () => {
        await mqttClientsApi.delete(mqttClientId);
        toast("success", t("mqttClients.deleted", { name }));
        onClose(true);
      }}
    />
  );
}

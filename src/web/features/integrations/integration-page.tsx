import { Star } from "lucide-preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { FormValues } from "../../lib/form-schema.ts";
import { serverPhrase } from "../../platform/i18n/error-texts.ts";
import { formatCount, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { type Resource, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { confirmDelete } from "../../ui/confirmation.tsx";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { SectionForm } from "../../ui/form/section-form.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { NotFoundScreen } from "../../ui/page/not-found.tsx";
import { ResourcePage } from "../../ui/page/resource-page.tsx";
import { DeleteButton } from "../../ui/page/row-buttons.tsx";
import { Tabs } from "../../ui/page/tabs.tsx";
import { Age } from "../../ui/state/age.tsx";
import { NewestError } from "../../ui/state/newest-error.tsx";
import { ThingFaults } from "../faults/fault-list.tsx";
import { ConnectTab } from "./connect-tab.tsx";
import { DownlinkTab } from "./downlink-tab.tsx";
import { IntegrationButtons } from "./integration-buttons.tsx";
import { changesOf, nameForm, settingsForm, settingsOf, valuesOf } from "./integration-form.tsx";
import { type Integration, integrationsApi } from "./integrations-api.ts";
import { MessagesTab } from "./messages-tab.tsx";
import { isLorawan, networkName, statusText } from "./networks.ts";
import { TransformTab } from "./transform-tab.tsx";
import { useIntegrationEvents } from "./use-integration-events.ts";

/** Reloads the integration after each of its messages. */
function useIntegration(integrationId: string): Resource<Integration> {
  const loaded = useResource(() => integrationsApi.get(integrationId), [integrationId]);
  useIntegrationEvents(integrationId, loaded.reload);
  return loaded;
}

const tabsOf = ({ integrationId, type }: Integration) => {
  const base = `/integrations/${integrationId}`;
  return [
    { id: "connect", text: t("integration.tabConnect"), href: base },
    { id: "messages", text: t("integration.tabMessages"), href: `${base}/messages` },
    ...(isLorawan(type)
      ? [{ id: "downlinks", text: t("integration.tabDownlinks"), href: `${base}/downlinks` }]
      : []),
    { id: "transform", text: t("integration.tabTransform"), href: `${base}/transform` },
    ...(may("integrations:write")
      ? [{ id: "settings", text: t("integration.tabSettings"), href: `${base}/settings` }]
      : []),
  ];
};

export function IntegrationPage({ integrationId, tab }: { integrationId: string; tab: string }) {
  const loaded = useIntegration(integrationId);
  const [transformed, setTransformed] = useState(false);
  useEffect(() => {
    if (tab === "transform") setTransformed(true);
  }, [tab]);
  if (loaded.data && !tabsOf(loaded.data).some(({ id }) => id === tab)) return <NotFoundScreen />;
  return (
    <ResourcePage
      of={loaded}
      back={{ href: "/integrations", text: t("nav.integrations") }}
      title={({ name }) => name}
      detail={(integration) => <Summary integration={integration} />}
      actions={(integration) =>
        may("integrations:write") && <Actions integration={integration} loaded={loaded} />
      }
    >
      {(integration) => (
        <>
          <Tabs label={t("integration.tabs")} items={tabsOf(integration)} current={tab} />
          {tab === "connect" && <ConnectTab integration={integration} onSecretCreated={loaded.reload} />}
          {tab === "messages" && <ThingFaults kind="integration" id={integrationId} />}
          {tab === "messages" && <MessagesTab integration={integration} />}
          {tab === "downlinks" && <DownlinkTab integration={integration} />}
          {tab === "settings" && <SettingsTab integration={integration} onSaved={loaded.set} />}
          {/* Stays while another tab is shown: unsaved changes must not get lost. */}
          {(tab === "transform" || transformed) && (
            <div class={tab === "transform" ? "contents" : "hidden"}>
              <TransformTab integration={integration} onSaved={loaded.set} />
            </div>
          )}
        </>
      )}
    </ResourcePage>
  );
}

function Actions({ integration, loaded }: { integration: Integration; loaded: Resource<Integration> }) {
  const { route } = useLocation();
  const { integrationId, name, status, isDefault, webhookUrl } = integration;
  const isRunning = status === "active" || status === "error";
  return (
    <>
      <IntegrationButtons integration={integration} onChanged={loaded.reload} />
      {!isDefault && isRunning && webhookUrl !== null && (
        <Button
          icon={Star}
          class="btn btn-ghost btn-sm"
          onClick={async () => {
            loaded.set(await integrationsApi.setDefault(integrationId));
            toast("success", t("integrations.setAsDefault", { name }));
          }}
        >
          {t("integrations.setDefault")}
        </Button>
      )}
      <DeleteButton
        label={t("integrations.delete")}
        onClick={() =>
          confirmDelete({
            name,
            title: t("integrations.delete"),
            warning: t("integrations.deleteWarning", { name }),
            onDelete: () => integrationsApi.delete(integrationId),
            onDeleted: () => route("/integrations"),
          })
        }
      />
    </>
  );
}

function Summary({ integration }: { integration: Integration }) {
  const { stats, isDefault, webhookUrl, lastErrorText, lastErrorAt, scriptBlockedText } = integration;
  const counters = [
    [stats.received, t("integrations.received")],
    [stats.stored, t("integrations.stored")],
    [stats.dropped, t("common.dropped")],
    [stats.failed, t("integrations.failed")],
    ...(stats.sent > 0 ? [[stats.sent, t("integrations.sent")] as const] : []),
  ] as const;
  return (
    <div class="flex flex-col gap-1 text-soft">
      <p>
        {statusText(integration)} · {networkName(integration)}
        {isDefault && webhookUrl !== null && ` · ${t("integrations.isDefault")}`}
      </p>
      <p class="text-sm" data-testid="counters">
        {counters.map(([count, text]) => `${formatCount(count)} ${text}`).join(" · ")} ·{" "}
        {t("integrations.newest")}: <Age ts={toMs(stats.lastMessageAt)} never={t("integrations.never")} />
      </p>
      <NewestError error={lastErrorText} at={lastErrorAt} class="max-w-2xl" />
      {scriptBlockedText !== null && (
        <p class="max-w-2xl text-sm wrap-anywhere text-base-content">
          {t("integrations.scriptBlocked", { reason: serverPhrase(scriptBlockedText) })}
        </p>
      )}
    </div>
  );
}

interface Props {
  readonly integration: Integration;
  readonly onSaved: (integration: Integration) => void;
}

function SettingsTab({ integration, onSaved }: Props) {
  const { integrationId, type, settings_json } = integration;
  const form = useMemo(() => settingsForm(type, settings_json), [type]);
  const [name, setName] = useState<FormValues>({ name: integration.name });
  const [values, setValues] = useState(() => valuesOf(settings_json));
  const action = useAction();
  const submit = () =>
    action.run(async () => {
      const saved = await integrationsApi.update(integrationId, {
        name: String(name.name).trim(),
        settings_json: changesOf(settings_json, settingsOf(form, values)),
      });
      setValues(valuesOf(saved.settings_json));
      toast("success", t("common.nameIsSaved", { name: saved.name }));
      onSaved(saved);
    });
  return (
    <div class="panel max-w-2xl p-4">
      <SectionForm busy={action.busy} error={action.error} onSubmit={submit}>
        <SchemaFields form={nameForm} values={name} onChange={setName} />
        <SchemaFields form={form} values={values} onChange={setValues} />
      </SectionForm>
    </div>
  );
}

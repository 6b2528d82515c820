import { Cable, FileCode } from "lucide-preact";
import { useRoute } from "preact-iso";
import { INTEGRATION_TABS, oneOf } from "../../../lib/console/console-routes.ts";
import { formatCount, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { useKept } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";
import { NotFoundScreen } from "../../ui/page/not-found.tsx";
import { Page } from "../../ui/page/page.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { CreateLink } from "../../ui/page/row-buttons.tsx";
import { Age } from "../../ui/state/age.tsx";
import { NewestError } from "../../ui/state/newest-error.tsx";
import { IntegrationButtons } from "./integration-buttons.tsx";
import { IntegrationPage } from "./integration-page.tsx";
import { type Integration, integrationsApi } from "./integrations-api.ts";
import { isWaiting, networkName, statusText } from "./networks.ts";
import { NewIntegrationPage } from "./new-integration-page.tsx";

/** Integrations: the list, one with its messages, or a new one. */
export function IntegrationsScreen() {
  const { integrationId, integrationTab } = useRoute().params;
  const tab = oneOf(INTEGRATION_TABS, integrationTab || INTEGRATION_TABS[0]);
  if (tab === undefined) return <NotFoundScreen />;
  return (
    <Page>
      {integrationId === "new" && <NewIntegrationPage />}
      {integrationId && integrationId !== "new" && (
        <IntegrationPage key={integrationId} integrationId={integrationId} tab={tab} />
      )}
      {!integrationId && <IntegrationsPage />}
    </Page>
  );
}

function IntegrationsPage() {
  const list = useKept(integrationsApi.list, []);
  const reloadSoon = useCoalesced(list.reload);
  useLive({ topics: ["events"] }, (message) => {
    if (message.type === "snapshot") reloadSoon();
    else if (message.topic === "events" && message.event === "integration") reloadSoon();
  });
  return (
    <ResourceList
      title={t("nav.integrations")}
      intro={t("integrations.intro")}
      list={list}
      icon={Cable}
      none={[t("integrations.none"), t("integrations.noneHint")]}
      actions={
        <a class="btn btn-ghost btn-sm" href="/integrations/codecs">
          <FileCode size={16} aria-hidden="true" />
          {t("nav.codecs")}
        </a>
      }
      create={
        may("integrations:write") && (
          <CreateLink href="/integrations/new">{t("integrations.create")}</CreateLink>
        )
      }
    >
      {(integration) => (
        <Row key={integration.integrationId} integration={integration} onChanged={list.reload} />
      )}
    </ResourceList>
  );
}

function Row({ integration, onChanged }: { integration: Integration; onChanged: () => void }) {
  const { integrationId, name, isDefault, webhookUrl, status, stats, lastErrorText, lastErrorAt } =
    integration;
  const isOn = status === "active" && !isWaiting(integration);
  return (
    <li class="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3" data-testid="integration">
      <div class="min-w-0 flex-[2_1_16rem]">
        <a class="link link-hover font-medium wrap-anywhere" href={`/integrations/${integrationId}`}>
          {name}
        </a>
        <p class="text-sm text-soft">
          {networkName(integration)}
          {isDefault && webhookUrl !== null && ` · ${t("integrations.isDefault")}`}
        </p>
        <NewestError error={lastErrorText} at={lastErrorAt} class="line-clamp-2" />
      </div>
      <div class="min-w-0 flex-[1_1_9rem]">
        <p class="flex items-center gap-2.5">
          <span
            class={`lamp ${isOn ? "lamp-on" : isWaiting(integration) ? "lamp-wait" : ""}`}
            aria-hidden="true"
          />
          <span class={isOn ? "" : "text-soft"}>{statusText(integration)}</span>
        </p>
        <p class="text-sm text-soft">
          {t("integrations.newest")}: <Age ts={toMs(stats.lastMessageAt)} never={t("integrations.never")} />
        </p>
      </div>
      <div class="min-w-0 flex-[1_1_12rem] text-sm text-soft">
        {formatCount(stats.stored)} {t("integrations.stored")}
        {stats.failed > 0 && (
          <>
            {" · "}
            <a class="link" href={`/integrations/${integrationId}/messages?status=ERROR`}>
              {formatCount(stats.failed)} {t("integrations.failed")}
            </a>
          </>
        )}
      </div>
      {may("integrations:write") && (
        <IntegrationButtons integration={integration} onChanged={onChanged} small />
      )}
    </li>
  );
}

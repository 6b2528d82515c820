import { Cable, FileCode, Plus } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { integrationTabs, oneOf } from "../../../lib/console-routes.ts";
import { formatCount, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { useGathered } from "../../platform/use-gathered.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { NotFoundScreen } from "../../ui/not-found.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { IntegrationButtons } from "./integration-buttons.tsx";
import { IntegrationPage } from "./integration-page.tsx";
import { type Integration, integrationsApi } from "./integrations-api.ts";
import { isWaiting, networkName, statusText } from "./networks.ts";
import { Wizard } from "./wizard.tsx";

/** Other networks and programs: all of them, or one with its messages. */
export function IntegrationsScreen() {
  const { integrationId, integrationTab } = useRoute().params;
  const tab = oneOf(integrationTabs, integrationTab || integrationTabs[0]);
  if (tab === undefined) return <NotFoundScreen />;
  return (
    <div class="mx-auto flex min-h-full max-w-6xl flex-col gap-5 p-4 3xl:max-w-[100rem] lg:p-8">
      {integrationId ? (
        <IntegrationPage key={integrationId} integrationId={integrationId} tab={tab} />
      ) : (
        <IntegrationsPage />
      )}
    </div>
  );
}

function IntegrationsPage() {
  const { path, query, route } = useLocation();
  const [creating, setCreating] = useState(false);
  useEffect(() => {
    if (query.create) setCreating(true);
  }, [query.create]);
  const list = useResource(integrationsApi.list, []);
  const integrations = useKept(list);
  const reloadSoon = useGathered(list.reload);
  useLive({ topics: ["events"] }, (message) => {
    if (message.type === "snapshot") reloadSoon();
    else if (message.topic === "events" && message.event === "integration") reloadSoon();
  });
  const create = may("integrations:write") && (
    <Button icon={Plus} class="btn btn-primary btn-sm" onClick={() => setCreating(true)}>
      {t("integrations.create")}
    </Button>
  );
  const isEmpty = integrations?.length === 0;
  return (
    <>
      <PageHead title={t("nav.integrations")}>
        <a class="btn btn-ghost btn-sm" href="/integrations/codecs">
          <FileCode size={16} aria-hidden="true" />
          {t("nav.codecs")}
        </a>
        {!isEmpty && create}
      </PageHead>
      <p class="-mt-2 max-w-2xl text-soft">{t("integrations.intro")}</p>
      {list.error !== undefined && <ErrorNote error={list.error} onRetry={list.reload} />}
      {isEmpty && (
        <div class="panel">
          <Empty
            icon={<Cable size={32} aria-hidden="true" />}
            title={t("integrations.none")}
            hint={t("integrations.noneHint")}
          >
            {create}
          </Empty>
        </div>
      )}
      {integrations && !isEmpty && (
        <ul class="panel divide-y divide-base-300/60" aria-label={t("nav.integrations")}>
          {integrations.map((integration) => (
            <Row key={integration.integrationId} integration={integration} onChanged={list.reload} />
          ))}
        </ul>
      )}
      {creating && (
        <Wizard
          onClose={(made) => {
            setCreating(false);
            if (query.create) route(path, true);
            if (made) route(`/integrations/${made.integrationId}`);
          }}
        />
      )}
    </>
  );
}

function Row({ integration, onChanged }: { integration: Integration; onChanged: () => void }) {
  const { integrationId, name, isDefault, webhookUrl, status, stats, lastError, lastErrorAt } = integration;
  const isOn = status === "active" && integration.missing === null;
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
        {lastError !== null && (
          <p class="line-clamp-2 text-sm break-words">
            {t("integrations.newestError")} (<Age ts={toMs(lastErrorAt)} />
            ): {lastError}
          </p>
        )}
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

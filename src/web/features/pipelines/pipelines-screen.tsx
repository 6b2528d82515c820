import { Plus, Workflow } from "lucide-preact";
import { useLocation, useRoute } from "preact-iso";
import { oneOf, PIPELINE_TABS } from "../../../lib/console/console-routes.ts";
import { formatCount } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { useCreateDialog } from "../../platform/use-create-dialog.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { Button } from "../../ui/button.tsx";
import { NotFoundScreen } from "../../ui/page/not-found.tsx";
import { Page } from "../../ui/page/page.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { NewestError } from "../../ui/state/newest-error.tsx";
import { StateLamp } from "../../ui/state/state-lamp.tsx";
import { PipelineButtons } from "./pipeline-buttons.tsx";
import { PipelineDialog } from "./pipeline-dialog.tsx";
import { PipelinePage } from "./pipeline-page.tsx";
import { type Pipeline, pipelinesApi } from "./pipelines-api.ts";
import { ScopeText } from "./scope-text.tsx";

/** Data pipelines: all of them, or one with its steps. */
export function PipelinesScreen() {
  const { pipelineId, pipelineTab } = useRoute().params;
  const tab = oneOf(PIPELINE_TABS, pipelineTab || PIPELINE_TABS[0]);
  if (tab === undefined) return <NotFoundScreen />;
  return (
    <Page>
      {pipelineId ? <PipelinePage key={pipelineId} pipelineId={pipelineId} tab={tab} /> : <PipelinesPage />}
    </Page>
  );
}

const REFRESH_MS = 5_000;

function PipelinesPage() {
  const { route } = useLocation();
  const creating = useCreateDialog();
  const list = useKept(pipelinesApi.list, []);
  useRefresh(list.reload, REFRESH_MS);
  const create = may("pipelines:write") && (
    <Button icon={Plus} class="btn btn-primary btn-sm" onClick={creating.open}>
      {t("pipelines.create")}
    </Button>
  );
  return (
    <>
      <ResourceList
        title={t("nav.pipelines")}
        intro={t("pipelines.intro")}
        list={list}
        icon={Workflow}
        none={[t("pipelines.none"), t("pipelines.noneHint")]}
        create={create}
        isOrdered
      >
        {(pipeline) => <PipelineRow key={pipeline.pipelineId} pipeline={pipeline} onChanged={list.reload} />}
      </ResourceList>
      {creating.isOpen && (
        <PipelineDialog
          onClose={(created) => {
            creating.close();
            if (created) route(`/pipelines/${created.pipelineId}`);
          }}
        />
      )}
    </>
  );
}

function PipelineRow({ pipeline, onChanged }: { pipeline: Pipeline; onChanged: () => void }) {
  const { pipelineId, name, status, order, steps, scope, stats, webhooks, lastErrorText, lastErrorAt } =
    pipeline;
  return (
    <li class="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3">
      <div class="min-w-0 flex-[2_1_16rem]">
        <a class="link link-hover font-medium wrap-anywhere" href={`/pipelines/${pipelineId}`}>
          {name}
        </a>
        <p class="text-sm text-soft">
          <ScopeText scope={scope} /> · {plural("pipelines.steps", steps.length)}
        </p>
        <NewestError error={lastErrorText} at={lastErrorAt} class="line-clamp-2" />
      </div>
      <div class="min-w-0 flex-[1_1_9rem]">
        <p class="flex items-center gap-2.5">
          {status === "active" ? (
            <StateLamp state="ACTIVE" />
          ) : (
            <span class="text-soft">{t(`pipelineStatus.${status}`)}</span>
          )}
        </p>
        {order !== 0 && <p class="text-sm text-soft">{t("pipelines.order", { n: order })}</p>}
      </div>
      <div class="min-w-0 flex-[1_1_12rem] text-sm">
        <Stats stats={stats} />
        {webhooks.waiting > 0 && (
          <p class="text-soft">{plural("pipelines.webhooksWait", webhooks.waiting)}</p>
        )}
        {webhooks.dead > 0 && (
          <a class="link" href={`/pipelines/${pipelineId}/webhooks`}>
            {plural("pipelines.webhooksDead", webhooks.dead)}
          </a>
        )}
      </div>
      {may("pipelines:write") && <PipelineButtons pipeline={pipeline} onChanged={onChanged} small />}
    </li>
  );
}

function Stats({ stats }: Pick<Pipeline, "stats">) {
  return (
    <p class="text-soft">
      {formatCount(stats.in)} {t("pipelines.in")} · {formatCount(stats.out)} {t("pipelines.out")}
      {stats.dropped > 0 && ` · ${formatCount(stats.dropped)} ${t("common.dropped")}`}
      {stats.errors > 0 && ` · ${formatCount(stats.errors)} ${t("pipelines.errorCount")}`}
    </p>
  );
}

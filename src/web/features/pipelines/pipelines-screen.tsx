import { Plus, Workflow } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { oneOf, pipelineTabs } from "../../../lib/console-routes.ts";
import { formatCount, toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { NotFoundScreen } from "../../ui/not-found.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { StateLamp } from "../../ui/state-lamp.tsx";
import { PipelineButtons } from "./pipeline-buttons.tsx";
import { PipelineDialog } from "./pipeline-dialog.tsx";
import { PipelinePage } from "./pipeline-page.tsx";
import { type Pipeline, pipelinesApi } from "./pipelines-api.ts";
import { ScopeText } from "./scope-text.tsx";
import { useEvery } from "./use-every.ts";

/** Data pipelines: all of them, or one with its steps. */
export function PipelinesScreen() {
  const { pipelineId, pipelineTab } = useRoute().params;
  const tab = oneOf(pipelineTabs, pipelineTab || pipelineTabs[0]);
  if (tab === undefined) return <NotFoundScreen />;
  return (
    <div class="mx-auto flex min-h-full max-w-6xl flex-col gap-5 p-4 3xl:max-w-[100rem] lg:p-8">
      {pipelineId ? <PipelinePage key={pipelineId} pipelineId={pipelineId} tab={tab} /> : <PipelinesPage />}
    </div>
  );
}

function PipelinesPage() {
  const { path, query, route } = useLocation();
  const [creating, setCreating] = useState(false);
  useEffect(() => {
    if (query.create) setCreating(true);
  }, [query.create]);
  const list = useResource(pipelinesApi.list, []);
  const pipelines = useKept(list);
  useEvery(list.reload);
  const create = may("pipelines:write") && (
    <Button icon={Plus} class="btn btn-primary btn-sm" onClick={() => setCreating(true)}>
      {t("pipelines.create")}
    </Button>
  );
  const isEmpty = pipelines?.length === 0;
  return (
    <>
      <PageHead title={t("nav.pipelines")}>{!isEmpty && create}</PageHead>
      <p class="-mt-2 max-w-2xl text-soft">{t("pipelines.intro")}</p>
      {list.error !== undefined && <ErrorNote error={list.error} onRetry={list.reload} />}
      {isEmpty && (
        <div class="panel">
          <Empty
            icon={<Workflow size={32} aria-hidden="true" />}
            title={t("pipelines.none")}
            hint={t("pipelines.noneHint")}
          >
            {create}
          </Empty>
        </div>
      )}
      {pipelines && !isEmpty && (
        <ol class="panel divide-y divide-base-300/60" aria-label={t("nav.pipelines")}>
          {pipelines.map((pipeline) => (
            <PipelineRow key={pipeline.pipelineId} pipeline={pipeline} onChanged={list.reload} />
          ))}
        </ol>
      )}
      {creating && (
        <PipelineDialog
          onClose={(saved) => {
            setCreating(false);
            if (query.create) route(path, true);
            if (saved) route(`/pipelines/${saved.pipelineId}`);
          }}
        />
      )}
    </>
  );
}

function PipelineRow({ pipeline, onChanged }: { pipeline: Pipeline; onChanged: () => void }) {
  const { pipelineId, name, status, order, steps, scope, stats, webhooks, lastError, lastErrorAt } = pipeline;
  return (
    <li class="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3">
      <div class="min-w-0 flex-[2_1_16rem]">
        <a class="link link-hover font-medium wrap-anywhere" href={`/pipelines/${pipelineId}`}>
          {name}
        </a>
        <p class="text-sm text-soft">
          <ScopeText scope={scope} /> · {plural("pipelines.steps", steps.length)}
        </p>
        {lastError !== null && (
          <p class="line-clamp-2 text-sm break-words">
            {t("pipelines.newestError")} (<Age ts={toMs(lastErrorAt)} />
            ): {lastError}
          </p>
        )}
      </div>
      <div class="min-w-0 flex-[1_1_9rem]">
        <p class="flex items-center gap-2.5">
          {status === "active" ? (
            <StateLamp active />
          ) : (
            <span class="text-soft">{t(`pipelineStatus.${status}`)}</span>
          )}
        </p>
        <p class="text-sm text-soft">{t("pipelines.order", { n: order })}</p>
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
      {stats.dropped > 0 && ` · ${formatCount(stats.dropped)} ${t("pipelines.droppedCount")}`}
      {stats.errors > 0 && ` · ${formatCount(stats.errors)} ${t("pipelines.errorCount")}`}
    </p>
  );
}

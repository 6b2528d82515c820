import { Pencil } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { formatCount, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { Button } from "../../ui/button.tsx";
import { confirmDelete } from "../../ui/confirmation.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { errorText } from "../../ui/page/error-text.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { ResourcePage } from "../../ui/page/resource-page.tsx";
import { DeleteButton } from "../../ui/page/row-buttons.tsx";
import { Tabs } from "../../ui/page/tabs.tsx";
import { TimelineItem } from "../../ui/page/timeline.tsx";
import { NewestError } from "../../ui/state/newest-error.tsx";
import { ThingFaults } from "../faults/fault-list.tsx";
import { DeliveriesTab } from "./deliveries-tab.tsx";
import { PipelineButtons } from "./pipeline-buttons.tsx";
import { PipelineDialog } from "./pipeline-dialog.tsx";
import { type Pipeline, type PipelineVersion, pipelinesApi } from "./pipelines-api.ts";
import { ScopeText } from "./scope-text.tsx";
import { stepText } from "./step-texts.ts";
import { StepsEditor } from "./steps-editor.tsx";

const REFRESH_MS = 5_000;

export function PipelinePage({ pipelineId, tab }: { pipelineId: string; tab: string }) {
  const { route } = useLocation();
  const [isEditing, setEditing] = useState(false);
  const loaded = useResource(() => pipelinesApi.get(pipelineId), [pipelineId]);
  useRefresh(loaded.reload, REFRESH_MS);
  const base = `/pipelines/${pipelineId}`;
  const askToDelete = ({ name }: Pipeline) =>
    confirmDelete({
      name,
      title: t("pipelines.delete"),
      warning: t("pipelines.deleteWarning", { name }),
      onDelete: () => pipelinesApi.delete(pipelineId),
      onDeleted: () => route("/pipelines"),
    });
  return (
    <ResourcePage
      of={loaded}
      back={{ href: "/pipelines", text: t("nav.pipelines") }}
      title={({ name }) => name}
      detail={(pipeline) => <Summary pipeline={pipeline} />}
      actions={(pipeline) =>
        may("pipelines:write") && (
          <>
            <PipelineButtons pipeline={pipeline} onChanged={loaded.reload} />
            <Button icon={Pencil} onClick={() => setEditing(true)}>
              {t("pipeline.details")}
            </Button>
            <DeleteButton label={t("pipelines.delete")} onClick={() => askToDelete(pipeline)} />
          </>
        )
      }
    >
      {(pipeline) => (
        <>
          <Tabs
            label={t("pipeline.tabs")}
            items={[
              { id: "steps", text: t("pipeline.tabSteps"), href: base },
              { id: "webhooks", text: t("common.webhooks"), href: `${base}/webhooks` },
              { id: "versions", text: t("versions.title"), href: `${base}/versions` },
            ]}
            current={tab}
          />
          {tab === "webhooks" && <ThingFaults kind="pipeline" id={pipelineId} />}
          {tab === "webhooks" && <DeliveriesTab pipeline={pipeline} onChanged={loaded.reload} />}
          {tab === "versions" && <VersionsTab pipeline={pipeline} onChanged={loaded.reload} />}
          {/* Stays while another tab is shown: unsaved changes must not get lost. */}
          <div class={tab === "steps" ? "contents" : "hidden"}>
            <StepsEditor pipeline={pipeline} onSaved={loaded.set} />
          </div>
          {isEditing && (
            <PipelineDialog
              pipeline={pipeline}
              onClose={(saved) => {
                setEditing(false);
                if (saved) loaded.set(saved);
              }}
            />
          )}
        </>
      )}
    </ResourcePage>
  );
}

function Summary({ pipeline }: { pipeline: Pipeline }) {
  const { status, scope, order, stats, lastErrorText, lastErrorAt, description } = pipeline;
  const counters = [
    [stats.in, t("pipelines.in")],
    [stats.out, t("pipelines.out")],
    [stats.dropped, t("common.dropped")],
    [stats.errors, t("pipelines.errorCount")],
  ] as const;
  return (
    <div class="flex flex-col gap-1 text-soft">
      <p>
        {t(`pipelineStatus.${status}`)} · <ScopeText scope={scope} />
        {order !== 0 && ` · ${t("pipelines.order", { n: order })}`}
      </p>
      {description !== "" && <p class="max-w-2xl wrap-anywhere">{description}</p>}
      <p class="text-sm" data-testid="counters">
        {counters.map(([count, text]) => `${formatCount(count)} ${text}`).join(" · ")}
      </p>
      <NewestError error={lastErrorText} at={lastErrorAt} class="max-w-2xl" />
    </div>
  );
}

/** Earlier versions of steps and scope, each of which can be restored. */
function VersionsTab({ pipeline, onChanged }: { pipeline: Pipeline; onChanged: () => void }) {
  const { pipelineId, version: current } = pipeline;
  const list = useKept(() => pipelinesApi.versions(pipelineId), [pipelineId, current]);
  const action = useAction();
  const bringBack = ({ version }: PipelineVersion) =>
    action.run(async () => {
      try {
        await pipelinesApi.rollBack(pipelineId, version);
        toast("success", t("version.broughtBack", { n: version }));
      } catch (error) {
        toast("error", errorText(error));
      }
      onChanged();
    });
  return (
    <Loaded of={list}>
      {(versions) => (
        <ol class="panel divide-y divide-base-300/60" aria-label={t("versions.title")}>
          {versions.map((version) => (
            <TimelineItem
              key={version.version}
              at={toMs(version.createdAt) ?? 0}
              state={t("version.number", { n: version.version })}
              aside={version.by}
            >
              <p>
                {version.steps.length === 0
                  ? t("version.empty")
                  : version.steps.map(({ type }) => stepText(type).title).join(" → ")}
              </p>
              <p class="text-sm text-soft">
                <ScopeText scope={version.scope} />
              </p>
              {version.version === current ? (
                <span class="badge badge-sm">{t("version.current")}</span>
              ) : (
                may("pipelines:write") && (
                  <button
                    type="button"
                    class="btn btn-sm mt-1"
                    disabled={action.busy}
                    aria-label={t("version.rollBackOf", { n: version.version })}
                    onClick={() => bringBack(version)}
                  >
                    {t("common.restore")}
                  </button>
                )
              )}
            </TimelineItem>
          ))}
        </ol>
      )}
    </Loaded>
  );
}

import { Pencil, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { serverPhrase } from "../../platform/i18n/error-texts.ts";
import { formatCount, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Age } from "../../ui/age.tsx";
import { BackLink } from "../../ui/back-link.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Pending } from "../../ui/pending.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { ThingFaults } from "../faults/fault-list.tsx";
import { DeliveriesTab } from "./deliveries-tab.tsx";
import { PipelineButtons } from "./pipeline-buttons.tsx";
import { PipelineDialog } from "./pipeline-dialog.tsx";
import { type Pipeline, pipelinesApi } from "./pipelines-api.ts";
import { ScopeText } from "./scope-text.tsx";
import { StepsEditor } from "./steps-editor.tsx";
import { useEvery } from "./use-every.ts";
import { VersionsTab } from "./versions-tab.tsx";

export function PipelinePage({ pipelineId, tab }: { pipelineId: string; tab: string }) {
  const [open, setOpen] = useState<"edit" | "delete" | undefined>(undefined);
  const loaded = useResource(() => pipelinesApi.get(pipelineId), [pipelineId]);
  const pipeline = useKept(loaded);
  useEvery(loaded.reload);
  const back = <BackLink href="/pipelines">{t("pipelines.all")}</BackLink>;
  if (!pipeline)
    return (
      <>
        {back}
        <Pending resource={loaded} />
      </>
    );
  const base = `/pipelines/${pipelineId}`;
  const mayChange = may("pipelines:write");
  return (
    <>
      {back}
      <PageHead title={pipeline.name} detail={<Summary pipeline={pipeline} />}>
        {mayChange && (
          <>
            <PipelineButtons pipeline={pipeline} onChanged={loaded.reload} />
            <Button icon={Pencil} onClick={() => setOpen("edit")}>
              {t("pipeline.details")}
            </Button>
            <IconButton
              icon={Trash2}
              label={t("pipelines.delete")}
              class="btn btn-ghost btn-sm text-error"
              onClick={() => setOpen("delete")}
            />
          </>
        )}
      </PageHead>
      <Tabs
        label={t("pipeline.tabs")}
        items={[
          { id: "steps", text: t("pipeline.tabSteps"), href: base },
          { id: "webhooks", text: t("common.webhooks"), href: `${base}/webhooks` },
          { id: "versions", text: t("pipeline.tabVersions"), href: `${base}/versions` },
        ]}
        current={tab}
      />
      {tab === "webhooks" && <ThingFaults kind="pipeline" id={pipeline.pipelineId} />}
      {tab === "webhooks" && <DeliveriesTab pipeline={pipeline} onChanged={loaded.reload} />}
      {tab === "versions" && <VersionsTab pipeline={pipeline} onChanged={loaded.reload} />}
      {/* Stays while another tab is looked at: what is not saved yet must not get lost. */}
      <div class={tab === "steps" ? "contents" : "hidden"}>
        <StepsEditor pipeline={pipeline} onSaved={loaded.set} />
      </div>
      {open === "edit" && (
        <PipelineDialog
          pipeline={pipeline}
          onClose={(saved) => {
            setOpen(undefined);
            if (saved) loaded.set(saved);
          }}
        />
      )}
      {open === "delete" && <DeleteDialog pipeline={pipeline} onClose={() => setOpen(undefined)} />}
    </>
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
      {lastErrorText !== null && (
        <p class="max-w-2xl text-sm wrap-anywhere text-base-content">
          {t("common.newestError")} (<Age ts={toMs(lastErrorAt)} />
          ): {serverPhrase(lastErrorText)}
        </p>
      )}
    </div>
  );
}

function DeleteDialog({ pipeline, onClose }: { pipeline: Pipeline; onClose: () => void }) {
  const { route } = useLocation();
  const { name, pipelineId } = pipeline;
  return (
    <ConfirmDialog
      title={t("pipelines.delete")}
      warning={t("pipelines.deleteWarning", { name })}
      onCancel={onClose}
      onConfirm={async () => {
        await pipelinesApi.delete(pipelineId);
        toast("success", t("common.nameIsDeleted", { name }));
        route("/pipelines");
      }}
    />
  );
}

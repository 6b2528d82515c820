import { toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Age } from "../../ui/age.tsx";
import { errorText } from "../../ui/error-text.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { useAction } from "../../ui/use-form.ts";
import { type Pipeline, type PipelineVersion, pipelinesApi } from "./pipelines-api.ts";
import { ScopeText } from "./scope-text.tsx";
import { stepText } from "./step-texts.ts";

/** Steps and scope as they were; each can be brought back. */
export function VersionsTab({ pipeline, onChanged }: { pipeline: Pipeline; onChanged: () => void }) {
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
        <ol class="panel divide-y divide-base-300/60" aria-label={t("pipeline.tabVersions")}>
          {versions.map((version) => (
            <li key={version.version} class="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3">
              <div class="min-w-0 flex-1">
                <p class="font-medium">
                  {t("version.number", { n: version.version })}
                  {version.version === current && (
                    <span class="font-normal text-soft"> · {t("version.current")}</span>
                  )}
                </p>
                <p class="text-sm text-soft wrap-anywhere">
                  {version.by} · <Age ts={toMs(version.createdAt)} /> · <ScopeText scope={version.scope} />
                </p>
                <p class="text-sm wrap-anywhere">
                  {version.steps.length === 0
                    ? t("version.empty")
                    : version.steps.map(({ type }) => stepText(type).title).join(" → ")}
                </p>
              </div>
              {may("pipelines:write") && version.version !== current && (
                <button
                  type="button"
                  class="btn btn-sm"
                  disabled={action.busy}
                  aria-label={t("version.rollBackOf", { n: version.version })}
                  onClick={() => bringBack(version)}
                >
                  {t("common.restore")}
                </button>
              )}
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  );
}

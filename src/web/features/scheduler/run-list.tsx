import { useState } from "preact/hooks";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useAction } from "../../ui/form/use-form.ts";
import { errorText } from "../../ui/page/error-text.ts";
import { TimelineItem } from "../../ui/page/timeline.tsx";
import { type JobRun, type RunStatus, type RunTarget, schedulerApi } from "./scheduler-api.ts";

const COLORS: Record<RunStatus, string> = {
  RUNNING: "text-primary",
  SUCCESS: "text-success",
  PARTIAL: "text-warning",
  FAILED: "text-error",
  SKIPPED: "text-soft",
};
const TARGETS_MAX = 10_000;

export const RunWord = ({ status }: { status: RunStatus }) => (
  <span class={`text-sm font-semibold ${COLORS[status]}`}>{t(`runStatus.${status}`)}</span>
);

/** Lists runs, the newest first. Each can be opened to show the results of its devices. */
export function RunList({
  jobId,
  runs,
  timezone,
}: {
  jobId: string;
  runs: readonly JobRun[];
  timezone: string;
}) {
  return (
    <ul class="panel divide-y divide-base-300" data-testid="runs">
      {runs.map((run) => (
        <TimelineItem
          key={run.runId}
          at={toMs(run.scheduledFor) ?? 0}
          timeZone={timezone}
          state={t(run.waiting ? "command.QUEUED" : `runStatus.${run.status}`)}
          color={COLORS[run.status]}
          more={
            <div class="flex flex-col gap-2">
              {run.errorText && <p class="break-words">{serverText(run.errorText)}</p>}
              {run.missed > 0 && run.status !== "SKIPPED" && (
                <p class="text-sm text-soft">{plural("run.missed", run.missed)}</p>
              )}
              <Targets jobId={jobId} run={run} />
            </div>
          }
        >
          {devicesText(run)}
          {run.trigger === "MANUAL" && <span class="text-soft"> · {t("run.manual")}</span>}
        </TimelineItem>
      ))}
    </ul>
  );
}

function devicesText({ targetCount, failedCount }: JobRun): string {
  if (targetCount === 0) return "";
  if (failedCount === 0) return plural("run.devices", targetCount);
  return t("run.failed", { failed: failedCount, count: targetCount });
}

function Targets({ jobId, run }: { jobId: string; run: JobRun }) {
  const [all, setAll] = useState<readonly RunTarget[] | undefined>(undefined);
  const action = useAction();
  const shown = all ?? run.targets;
  const load = () =>
    action.run(async () => setAll((await schedulerApi.targets(jobId, run.runId, TARGETS_MAX)).rows));
  if (run.targetCount > 0 && shown.length === 0) return <p class="text-sm text-soft">{t("run.notKept")}</p>;
  return (
    <>
      <ul class="divide-y divide-base-300/60 rounded-field border border-base-300 empty:hidden">
        {shown.map((target) => (
          <TargetRow key={target.deviceId} target={target} />
        ))}
      </ul>
      {shown.some(({ commandId }) => commandId !== null) && (
        <p class="text-sm text-soft">{t("run.commandHint")}</p>
      )}
      {run.hiddenTargets > 0 && <p class="text-sm text-soft">{plural("jobs.hidden", run.hiddenTargets)}</p>}
      {action.error !== undefined && (
        <p role="alert" class="text-error">
          {errorText(action.error)}
        </p>
      )}
      {shown.length < run.targetCount && (
        <button type="button" class="btn btn-sm self-start" disabled={action.busy} onClick={load}>
          {t("run.allTargets", { count: run.targetCount })}
        </button>
      )}
    </>
  );
}

function TargetRow({ target }: { target: RunTarget }) {
  const { deviceId, name, status, errorText: error, commandId } = target;
  return (
    <li class="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-3 py-2">
      <RunWord status={status} />
      <span class="min-w-0 flex-1 wrap-anywhere">
        {name === null ? (
          <span class="text-soft">{t("run.gone")}</span>
        ) : (
          <a class="link link-hover" href={`/devices/${deviceId}`}>
            {name}
          </a>
        )}
        {error && <span class="block text-sm text-error">{serverText(error)}</span>}
      </span>
      {commandId !== null && (
        <a class="link text-sm" href={`/devices/${deviceId}/commands`}>
          {t("run.command")}
        </a>
      )}
    </li>
  );
}

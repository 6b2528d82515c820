import { History } from "lucide-preact";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { formatNumber, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import type { PagedResource } from "../../platform/resource.ts";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { TimelineItem } from "../../ui/page/timeline.tsx";
import { RunSize } from "./backup-state.tsx";
import type { BackupRun } from "./backups-api.ts";

const COLORS: Record<BackupRun["state"], string> = {
  RUNNING: "text-primary",
  DONE: "text-success",
  DAMAGED: "text-error",
  FAILED: "text-error",
};

/** Runs of backups with their results, newest first. */
export function RunList({ runs }: { runs: PagedResource<{ rows: readonly BackupRun[]; total: number }> }) {
  return (
    <section class="flex flex-col gap-3" aria-labelledby="backup-runs">
      <h2 id="backup-runs" class="font-semibold">
        {t("backups.runs")}
      </h2>
      <ResourceList
        title={t("backups.runs")}
        isWithin
        list={runs}
        icon={History}
        none={[t("backups.noRuns"), t("backups.noRunsHint")]}
        moreText={t("common.showOlderRuns")}
      >
        {(run) => <RunRow key={run.runId} run={run} />}
      </ResourceList>
    </section>
  );
}

/** Formats seconds with two digits, or minutes and seconds. */
function durationOf(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 60) return `${formatNumber(seconds, 2)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

function RunRow({ run }: { run: BackupRun }) {
  const startedAt = toMs(run.startedAt) ?? 0;
  const finishedAt = toMs(run.finishedAt);
  return (
    <TimelineItem
      at={startedAt}
      state={t(`backupState.${run.state}`)}
      color={COLORS[run.state]}
      aside={<RunSize run={run} />}
    >
      {t(run.trigger === "USER" ? "backups.byUser" : "backups.bySchedule")}
      {finishedAt !== undefined &&
        ` · ${t("backups.took", { duration: durationOf(finishedAt - startedAt) })}`}
      {run.state === "DONE" && run.openedAll && <p class="text-sm text-soft">{t("backups.openedAll")}</p>}
      {run.error && (
        <p class={`text-sm ${run.state === "DONE" ? "text-warning" : "text-error"}`}>
          {serverText(run.error, run.error.message)}
        </p>
      )}
    </TimelineItem>
  );
}

import { CalendarClock, Pencil, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { formatValue } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";
import { BackLink } from "../../ui/back-link.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyPanel } from "../../ui/empty-panel.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Pending } from "../../ui/pending.tsx";
import { ThingFaults } from "../faults/fault-list.tsx";
import { JobButtons } from "./job-buttons.tsx";
import { NextRuns } from "./next-runs.tsx";
import { RunList } from "./run-list.tsx";
import { actionText, scheduleText, zonedTime } from "./schedule-text.ts";
import { type JobDetail, schedulerApi } from "./scheduler-api.ts";

const RUNS_AT_ONCE = 25;
const NAMES_SHOWN = 12;

export function JobPage({ jobId }: { jobId: string }) {
  const { route } = useLocation();
  const [limit, setLimit] = useState(RUNS_AT_ONCE);
  const [isDeleting, setDeleting] = useState(false);
  const loaded = useResource(() => schedulerApi.get(jobId), [jobId]);
  const listed = useResource(() => schedulerApi.runs(jobId, limit), [jobId, limit]);
  const job = useKept(loaded);
  const runs = useKept(listed);
  const reload = () => {
    loaded.reload();
    listed.reload();
  };
  const reloadSoon = useCoalesced(reload);
  useLive({ topics: ["events"] }, (message) => {
    if (message.type !== "data" || message.topic !== "events" || message.event !== "job-run") return;
    if (message.jobId === jobId) reloadSoon();
  });
  const back = <BackLink href="/scheduler">{t("jobs.all")}</BackLink>;
  if (!job)
    return (
      <>
        {back}
        <Pending resource={loaded} />
      </>
    );
  const mayChange = may("scheduler:write") && job.hiddenTargets === 0;
  return (
    <>
      {back}
      <PageHead title={job.name} detail={<p class="text-soft">{t(`jobStatus.${job.status}`)}</p>}>
        {mayChange && (
          <>
            <JobButtons job={job} onChanged={reload} />
            <a class="btn btn-sm" href={`/scheduler/${jobId}/edit`}>
              <Pencil size={16} aria-hidden="true" />
              {t("common.edit")}
            </a>
            <IconButton
              icon={Trash2}
              label={t("jobs.delete")}
              class="btn btn-ghost btn-sm text-error"
              onClick={() => setDeleting(true)}
            />
          </>
        )}
      </PageHead>
      <About job={job} />
      <h2 class="text-lg font-semibold">{t("common.history")}</h2>
      <ErrorNote of={listed} />
      {runs?.rows.length === 0 && (
        <EmptyPanel icon={CalendarClock} title={t("job.noRuns")} hint={t("job.noRunsHint")} />
      )}
      {runs && runs.rows.length > 0 && (
        <RunList jobId={jobId} runs={runs.rows} timezone={job.schedule.timezone} />
      )}
      {runs && runs.total > runs.rows.length && (
        <button
          type="button"
          class="btn btn-sm self-center"
          onClick={() => setLimit(Math.min(limit * 2, 1000))}
        >
          {t("common.showOlderRuns")}
        </button>
      )}
      {isDeleting && (
        <DeleteDialog
          job={job}
          onClose={(deleted) => {
            setDeleting(false);
            if (deleted) route("/scheduler");
          }}
        />
      )}
    </>
  );
}

/** What a job does, and what went wrong with it. */
const About = ({ job }: { job: JobDetail }) => (
  <>
    <div class="grid gap-4 lg:grid-cols-2">
      <When job={job} />
      <What job={job} />
    </div>
    <ThingFaults kind="job" id={job.jobId} />
  </>
);

function When({ job }: { job: JobDetail }) {
  return (
    <section class="panel flex flex-col gap-2 p-4" aria-labelledby="job-when">
      <h2 id="job-when" class="panel-label">
        {t("common.schedule")}
      </h2>
      <p class="font-medium first-letter:uppercase">{scheduleText(job.schedule)}</p>
      <p class="text-sm text-soft">
        {t("job.zone")}: {job.schedule.timezone}
      </p>
      <p class="text-sm text-soft">{t(job.misfire === "once" ? "job.missedOnce" : "job.missedSkip")}</p>
      {job.status === "active" && <NextRuns schedule={job.schedule} />}
      <p class="text-sm text-soft">
        {t("jobs.last")}:{" "}
        {job.lastRunAt === null ? t("common.never") : zonedTime(job.lastRunAt, job.schedule.timezone)}
      </p>
    </section>
  );
}

function What({ job }: { job: JobDetail }) {
  const { action, devices, hiddenTargets } = job;
  const gone = (action.deviceIds?.length ?? devices.length) - devices.length;
  return (
    <section class="panel flex flex-col gap-2 p-4" aria-labelledby="job-what">
      <h2 id="job-what" class="panel-label">
        {t("common.action")}
      </h2>
      <p class="font-medium wrap-anywhere first-letter:uppercase">{actionText(action)}</p>
      {action.type === "attributes" ? (
        <dl class="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
          {Object.entries(action.attributes ?? {}).map(([key, value]) => (
            <div key={key} class="contents">
              <dt class="text-soft wrap-anywhere">{key}</dt>
              <dd class="reading wrap-anywhere">{formatValue(value)}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <pre class="reading overflow-x-auto rounded-field bg-base-200 p-3 text-sm whitespace-pre-wrap">
          {JSON.stringify(action.command, null, 2)}
        </pre>
      )}
      <ul class="flex flex-wrap gap-x-3 gap-y-1 text-sm">
        {devices.slice(0, NAMES_SHOWN).map(({ deviceId, name }) => (
          <li key={deviceId} class="min-w-0 wrap-anywhere">
            <a class="link" href={`/devices/${deviceId}`}>
              {name}
            </a>
          </li>
        ))}
        {devices.length > NAMES_SHOWN && (
          <li class="text-soft">{t("access.more", { count: devices.length - NAMES_SHOWN })}</li>
        )}
      </ul>
      {gone > 0 && <p class="text-sm text-warning">{t("job.gone", { count: gone })}</p>}
      {hiddenTargets > 0 && <p class="text-sm text-soft">{plural("jobs.hidden", hiddenTargets)}</p>}
    </section>
  );
}

function DeleteDialog({ job, onClose }: { job: JobDetail; onClose: (deleted: boolean) => void }) {
  const { name, jobId } = job;
  return (
    <ConfirmDialog
      title={t("jobs.delete")}
      warning={t("jobs.deleteWarning", { name })}
      onCancel={() => onClose(false)}
      onConfirm={async () => {
        await schedulerApi.delete(jobId);
        toast("success", t("common.nameIsDeleted", { name }));
        onClose(true);
      }}
    />
  );
}

import { CalendarClock, Pencil } from "lucide-preact";
import { useLocation } from "preact-iso";
import { formatValue } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { usePages, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";
import { confirmDelete } from "../../ui/confirmation.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { ResourcePage } from "../../ui/page/resource-page.tsx";
import { DeleteButton } from "../../ui/page/row-buttons.tsx";
import { ThingFaults } from "../faults/fault-list.tsx";
import { JobButtons } from "./job-buttons.tsx";
import { NextRuns } from "./next-runs.tsx";
import { RunList } from "./run-list.tsx";
import { actionText, scheduleText, zonedTime } from "./schedule-text.ts";
import { type JobDetail, schedulerApi } from "./scheduler-api.ts";

const RUNS_PER_PAGE = 25;
const NAMES_SHOWN = 12;

export function JobPage({ jobId }: { jobId: string }) {
  const { route } = useLocation();
  const loaded = useResource(() => schedulerApi.get(jobId), [jobId]);
  const runs = usePages((limit) => schedulerApi.runs(jobId, limit), [jobId], RUNS_PER_PAGE);
  const reload = () => {
    loaded.reload();
    runs.reload();
  };
  const reloadSoon = useCoalesced(reload);
  useLive({ topics: ["events"] }, (message) => {
    if (message.type !== "data" || message.topic !== "events" || message.event !== "job-run") return;
    if (message.jobId === jobId) reloadSoon();
  });
  const askToDelete = ({ name }: JobDetail) =>
    confirmDelete({
      name,
      title: t("jobs.delete"),
      warning: t("jobs.deleteWarning", { name }),
      onDelete: () => schedulerApi.delete(jobId),
      onDeleted: () => route("/scheduler"),
    });
  return (
    <ResourcePage
      of={loaded}
      back={{ href: "/scheduler", text: t("nav.scheduler") }}
      title={({ name }) => name}
      detail={({ status }) => <p class="text-soft">{t(`jobStatus.${status}`)}</p>}
      actions={(job) =>
        may("scheduler:write") &&
        job.hiddenTargets === 0 && (
          <>
            <JobButtons job={job} onChanged={reload} />
            <a class="btn btn-sm" href={`/scheduler/${jobId}/edit`}>
              <Pencil size={16} aria-hidden="true" />
              {t("common.edit")}
            </a>
            <DeleteButton label={t("jobs.delete")} onClick={() => askToDelete(job)} />
          </>
        )
      }
    >
      {(job) => (
        <>
          <div class="grid gap-4 lg:grid-cols-2">
            <When job={job} />
            <What job={job} />
          </div>
          <ThingFaults kind="job" id={jobId} />
          <h2 class="text-lg font-semibold">{t("common.history")}</h2>
          <ResourceList
            title={t("common.history")}
            isWithin
            list={runs}
            icon={CalendarClock}
            none={[t("job.noRuns"), t("job.noRunsHint")]}
            moreText={t("common.showOlderRuns")}
            table={(rows) => <RunList jobId={jobId} runs={rows} timezone={job.schedule.timezone} />}
          />
        </>
      )}
    </ResourcePage>
  );
}

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

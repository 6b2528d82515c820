import { CalendarClock, Plus } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { useGathered } from "../../platform/use-gathered.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { JobButtons } from "./job-buttons.tsx";
import { JobDialog } from "./job-dialog.tsx";
import { JobPage } from "./job-page.tsx";
import { RunWord } from "./run-list.tsx";
import { actionText, scheduleText, zonedTime } from "./schedule-text.ts";
import { type Job, schedulerApi } from "./scheduler-api.ts";

/** Timed jobs: all of them, or one with its history. */
export function SchedulerScreen() {
  const { jobId } = useRoute().params;
  return (
    <div class="mx-auto flex min-h-full max-w-6xl flex-col gap-5 p-4 3xl:max-w-[100rem] lg:p-8">
      {jobId ? <JobPage key={jobId} jobId={jobId} /> : <JobsPage />}
    </div>
  );
}

function JobsPage() {
  const { path, query, route } = useLocation();
  const search = query.search ?? "";
  const [creating, setCreating] = useState(false);
  useEffect(() => {
    if (query.create) setCreating(true);
  }, [query.create]);
  const list = useResource(() => schedulerApi.list(search), [search]);
  const jobs = useKept(list);
  const reloadSoon = useGathered(list.reload);
  useLive({ topics: ["events"] }, (message) => {
    if (message.type === "data" && message.topic === "events" && message.event === "job-run") reloadSoon();
  });
  const create = may("scheduler:write") && (
    <Button icon={Plus} class="btn btn-primary btn-sm" onClick={() => setCreating(true)}>
      {t("jobs.create")}
    </Button>
  );
  const isEmpty = jobs?.rows.length === 0;
  return (
    <>
      <PageHead title={t("nav.scheduler")}>{(!isEmpty || search !== "") && create}</PageHead>
      <p class="-mt-2 max-w-2xl text-soft">{t("jobs.intro")}</p>
      {(search !== "" || (jobs?.rows.length ?? 0) > 0) && (
        <div class="flex flex-wrap items-center gap-3">
          <SearchBox
            label={t("jobs.search")}
            value={search}
            onSearch={(text) => route(text ? `${path}?search=${encodeURIComponent(text)}` : path, true)}
          />
          {jobs && <span class="text-sm text-soft">{plural("jobs.count", jobs.total)}</span>}
        </div>
      )}
      {list.error !== undefined && <ErrorNote error={list.error} onRetry={list.reload} />}
      {isEmpty && (
        <div class="panel">
          <Empty
            icon={<CalendarClock size={32} aria-hidden="true" />}
            title={t(search === "" ? "jobs.none" : "jobs.noMatch")}
            hint={t(search === "" ? "jobs.noneHint" : "jobs.noMatchHint")}
          >
            {search === "" && create}
          </Empty>
        </div>
      )}
      {jobs && !isEmpty && (
        <ul class="panel divide-y divide-base-300/60" aria-label={t("nav.scheduler")}>
          {jobs.rows.map((job) => (
            <JobRow key={job.jobId} job={job} onChanged={list.reload} />
          ))}
        </ul>
      )}
      {creating && (
        <JobDialog
          onClose={(made) => {
            setCreating(false);
            if (query.create) route(path, true);
            if (made) route(`/scheduler/${made.jobId}`);
          }}
        />
      )}
    </>
  );
}

function JobRow({ job, onChanged }: { job: Job; onChanged: () => void }) {
  return (
    <li class="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3">
      <div class="min-w-0 flex-[2_1_16rem]">
        <a class="link link-hover font-medium wrap-anywhere" href={`/scheduler/${job.jobId}`}>
          {job.name}
        </a>
        <p class="text-sm text-soft first-letter:uppercase">{scheduleText(job.schedule)}</p>
        <p class="truncate text-sm text-soft">{actionText(job.action)}</p>
      </div>
      <div class="min-w-0 flex-[1_1_11rem]">
        <p class={job.status === "active" ? "" : "text-soft"}>{t(`jobStatus.${job.status}`)}</p>
        <p class="text-sm text-soft">
          {t("jobs.next")}:{" "}
          {job.nextRunAt === null ? t("jobs.noNext") : zonedTime(job.nextRunAt, job.schedule.timezone)}
        </p>
      </div>
      <div class="min-w-0 flex-[1_1_8rem] text-sm">
        {job.lastStatus === null ? (
          <p class="text-soft">
            {t("jobs.last")}: {t("jobs.never")}
          </p>
        ) : (
          <>
            <RunWord status={job.lastStatus} />
            <p class="text-soft">
              <Age ts={toMs(job.lastRunAt)} />
            </p>
          </>
        )}
      </div>
      {may("scheduler:write") && job.hiddenTargets === 0 && (
        <JobButtons job={job} onChanged={onChanged} small />
      )}
    </li>
  );
}

import { CalendarClock } from "lucide-preact";
import { useLocation, useRoute } from "preact-iso";
import { toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { useKept } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";
import { NotFoundScreen } from "../../ui/page/not-found.tsx";
import { Page } from "../../ui/page/page.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { CreateLink } from "../../ui/page/row-buttons.tsx";
import { Age } from "../../ui/state/age.tsx";
import { JobButtons } from "./job-buttons.tsx";
import { EditJobPage, JobFormPage } from "./job-form-page.tsx";
import { JobPage } from "./job-page.tsx";
import { RunWord } from "./run-list.tsx";
import { actionText, scheduleText, zonedTime } from "./schedule-text.ts";
import { type Job, schedulerApi } from "./scheduler-api.ts";

/** Timed jobs: the list, one job with its history, or the form of one. */
export function SchedulerScreen() {
  const { jobId, jobTab } = useRoute().params;
  return <Page>{contentOf(jobId, jobTab)}</Page>;
}

function contentOf(jobId: string | undefined, jobTab: string | undefined) {
  if (!jobId) return <JobsPage />;
  if (jobTab === "edit") return <EditJobPage key={jobId} jobId={jobId} />;
  if (jobTab) return <NotFoundScreen />;
  return jobId === "new" ? <JobFormPage /> : <JobPage key={jobId} jobId={jobId} />;
}

function JobsPage() {
  const search = useLocation().query.search ?? "";
  const list = useKept(() => schedulerApi.list(search), [search]);
  const reloadSoon = useCoalesced(list.reload);
  useLive({ topics: ["events"] }, (message) => {
    if (message.type === "data" && message.topic === "events" && message.event === "job-run") reloadSoon();
  });
  return (
    <ResourceList
      title={t("nav.scheduler")}
      intro={t("jobs.intro")}
      list={list}
      search={search}
      searchLabel={t("jobs.search")}
      countText={(total) => plural("jobs.count", total)}
      icon={CalendarClock}
      none={[t("jobs.none"), t("jobs.noneHint")]}
      noMatch={[t("jobs.noMatch"), t("common.tryFewerLetters")]}
      create={may("scheduler:write") && <CreateLink href="/scheduler/new">{t("jobs.create")}</CreateLink>}
    >
      {(job) => <JobRow key={job.jobId} job={job} onChanged={list.reload} />}
    </ResourceList>
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
            {t("jobs.last")}: {t("common.never")}
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

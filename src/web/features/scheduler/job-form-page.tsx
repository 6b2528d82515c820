import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { isZone, ownZone } from "../../lib/zoned-time.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { serverNow } from "../../platform/now.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { fieldProblem } from "../../ui/error-text.ts";
import { FormPage } from "../../ui/form-page.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Section } from "../../ui/section.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { rememberNames } from "../devices/device-names.ts";
import { ActionFields, TargetFields } from "./action-fields.tsx";
import { type ActionForm, actionFormOf, actionOf } from "./action-form.ts";
import { NextRuns } from "./next-runs.tsx";
import { ScheduleFields } from "./schedule-fields.tsx";
import { formOf, newForm, type ScheduleForm, scheduleOf } from "./schedule-form.ts";
import { scheduleText } from "./schedule-text.ts";
import { type JobDetail, type JobForm, type JobSchedule, schedulerApi } from "./scheduler-api.ts";

type Problem = Parameters<typeof ActionFields>[0]["problem"];

export function EditJobPage({ jobId }: { jobId: string }) {
  const resource = useResource(() => schedulerApi.get(jobId), [jobId]);
  return (
    <Loaded of={resource} isPage>
      {(job) => <JobFormPage job={job} />}
    </Loaded>
  );
}

/** Action of the job, as it is entered, and what is wrong with it. */
function useActionForm(job: JobDetail | undefined) {
  const [form, setForm] = useState<ActionForm>(() => {
    rememberNames(job?.devices ?? []);
    return actionFormOf(job?.action, job?.devices.map(({ deviceId }) => deviceId) ?? []);
  });
  const [problem, setProblem] = useState<Problem>(undefined);
  const read = () => {
    const result = actionOf(form, job?.action);
    setProblem("problem" in result ? result.problem : undefined);
    return "problem" in result ? undefined : result.action;
  };
  return { form, problem, read, change: (changes: Partial<ActionForm>) => setForm({ ...form, ...changes }) };
}

export function JobFormPage({ job }: { job?: JobDetail }) {
  const { route } = useLocation();
  const [when, setWhen] = useState<ScheduleForm>(() =>
    job ? formOf(job.schedule, serverNow()) : newForm(ownZone(), serverNow()),
  );
  const actionForm = useActionForm(job);
  const [name, setName] = useState(job?.name ?? "");
  const [once, setOnce] = useState(job?.misfire === "once");
  const saving = useAction();
  const schedule = scheduleOf(when, job?.schedule);
  const isScheduled = isZone(when.timezone) && (when.repeat !== "weekly" || when.days.length > 0);
  const refused = fieldProblem(saving.error, ["deviceType"])?.field;
  const submit = () => {
    const action = actionForm.read();
    if (action === undefined || !isScheduled) return;
    const form: JobForm = { name: name.trim(), schedule, action, misfire: once ? "once" : "skip" };
    saving.run(async () => {
      const saved = job ? await schedulerApi.update(job.jobId, form) : await schedulerApi.create(form);
      toast("success", t("common.nameIsSaved", { name: saved.name }));
      route(`/scheduler/${saved.jobId}`, true);
    });
  };
  return (
    <FormPage
      title={job ? t("common.editName", { name: job.name }) : t("jobs.create")}
      back={
        job
          ? { href: `/scheduler/${job.jobId}`, text: job.name }
          : { href: "/scheduler", text: t("jobs.all") }
      }
      submitText={t(job ? "common.save" : "jobs.create")}
      onSubmit={submit}
      busy={saving.busy}
      error={refused === undefined ? saving.error : undefined}
      isFixed={!may("scheduler:write")}
      aside={<Preview schedule={isScheduled ? schedule : undefined} />}
    >
      <div class="panel p-4 sm:p-5">
        <TextField
          label={t("common.name")}
          hint={t("job.nameHint")}
          required
          maxLength={200}
          pattern=".*\S.*"
          value={name}
          autofocus={job === undefined}
          onText={setName}
        />
      </div>
      <Section id="job-when" title={t("common.schedule")}>
        <ScheduleFields form={when} onChange={(changes) => setWhen({ ...when, ...changes })} />
        <Checkbox checked={once} onCheck={setOnce} hint={t("job.misfireHint")}>
          {t("job.misfire")}
        </Checkbox>
      </Section>
      <ActionFields form={actionForm.form} onChange={actionForm.change} problem={actionForm.problem} />
      <TargetFields
        form={actionForm.form}
        onChange={actionForm.change}
        problem={refused === "deviceType" ? "forbiddenType" : actionForm.problem}
      />
    </FormPage>
  );
}

/** The schedule in words, and its next times. */
function Preview({ schedule }: { schedule: JobSchedule | undefined }) {
  if (schedule === undefined) return null;
  return (
    <section class="panel flex flex-col gap-3 p-4 sm:p-5" aria-label={t("job.preview")}>
      {schedule.kind !== "once" && <p class="font-medium first-letter:uppercase">{scheduleText(schedule)}</p>}
      <NextRuns schedule={schedule} />
    </section>
  );
}

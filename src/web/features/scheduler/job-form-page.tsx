import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { FormPage } from "../../ui/form/form-page.tsx";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import { fieldProblem } from "../../ui/page/error-text.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Section } from "../../ui/page/section.tsx";
import { rememberNames } from "../devices/device-names.ts";
import { devicesApi } from "../devices/devices-api.ts";
import { actionForm, inputOf, jobForm, nameForm, scheduleForm, targetsForm, valuesOf } from "./job-form.tsx";
import { NextRuns } from "./next-runs.tsx";
import { scheduleText } from "./schedule-text.ts";
import { type JobDetail, type JobSchedule, schedulerApi } from "./scheduler-api.ts";

export function EditJobPage({ jobId }: { jobId: string }) {
  const resource = useResource(() => schedulerApi.get(jobId), [jobId]);
  return (
    <Loaded of={resource} isPage>
      {(job) => <JobFormPage job={job} />}
    </Loaded>
  );
}

export function JobFormPage({ job }: { job?: JobDetail }) {
  const { route } = useLocation();
  const [initial] = useState(() => {
    rememberNames(job?.devices ?? []);
    return valuesOf(job);
  });
  const form = useSchemaForm(jobForm, initial);
  const types = useResource(devicesApi.types, []);
  const refused = fieldProblem(form.error, ["deviceType"]) && t("job.typeForbidden");
  const submit = () => {
    form.state.onChange({ ...form.state.values, isTried: true });
    const input = inputOf(form.body());
    if (input === undefined) return;
    form.send(async () => {
      const saved = job ? await schedulerApi.update(job.jobId, input) : await schedulerApi.create(input);
      toast("success", t("common.nameIsSaved", { name: saved.name }));
      route(`/scheduler/${saved.jobId}`, true);
    });
  };
  const list = { href: "/scheduler", text: t("nav.scheduler") };
  const existing = [...(types.data ?? []).map(({ deviceType }) => deviceType), job?.action.deviceType ?? ""];
  return (
    <FormPage
      title={job ? t("common.editName", { name: job.name }) : t("jobs.create")}
      above={job ? [list] : []}
      back={job ? { href: `/scheduler/${job.jobId}`, text: job.name } : list}
      submitText={t(job ? "common.save" : "jobs.create")}
      onSubmit={submit}
      busy={form.busy}
      error={refused === undefined ? form.error : undefined}
      isFixed={!may("scheduler:write")}
      aside={<Preview schedule={form.state.values.schedule as JobSchedule | undefined} />} // the type of the schema
    >
      <div class="panel p-4 sm:p-5">
        <SchemaFields form={nameForm} {...form.state} />
      </div>
      <Section id="job-when" title={t("common.schedule")}>
        <SchemaFields form={scheduleForm} {...form.state} />
      </Section>
      <Section id="job-action" title={t("common.action")}>
        <SchemaFields
          form={actionForm}
          {...form.state}
          hints={{
            "action.command.method": t("fieldHint.newCommand.method"),
            "action.command.retries": t("fieldHint.newCommand.retries"),
          }}
        />
      </Section>
      <Section id="job-targets" title={t("common.devices")}>
        <SchemaFields
          form={targetsForm}
          {...form.state}
          options={{ "action.deviceType": [...new Set(existing)].filter((type) => type !== "") }}
          errorOf={(path) => (path === "action.deviceType" ? refused : undefined)}
        />
      </Section>
    </FormPage>
  );
}

/** Shows the schedule in words, and its next runs. */
function Preview({ schedule }: { schedule: JobSchedule | undefined }) {
  if (schedule === undefined) return null;
  return (
    <section class="panel flex flex-col gap-3 p-4 sm:p-5" aria-label={t("job.preview")}>
      {schedule.kind !== "once" && <p class="font-medium first-letter:uppercase">{scheduleText(schedule)}</p>}
      <NextRuns schedule={schedule} />
    </section>
  );
}

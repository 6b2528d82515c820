import { useState } from "preact/hooks";
import { isZone, ownZone } from "../../lib/zoned-time.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { serverNow } from "../../platform/now.ts";
import { toast } from "../../platform/toasts.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { fieldProblem } from "../../ui/error-text.ts";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { rememberNames } from "../devices/device-names.ts";
import { ActionFields, TargetFields } from "./action-fields.tsx";
import { type ActionForm, actionFormOf, actionOf } from "./action-form.ts";
import { NextRuns } from "./next-runs.tsx";
import { ScheduleFields } from "./schedule-fields.tsx";
import { formOf, newForm, type ScheduleForm, scheduleOf } from "./schedule-form.ts";
import { type Job, type JobDetail, type JobForm, schedulerApi } from "./scheduler-api.ts";

interface Props {
  /** Job to edit; absent for a new one. */
  readonly job?: JobDetail;
  readonly onClose: (saved: Job | undefined) => void;
}

type Problem = Parameters<typeof ActionFields>[0]["problem"];

/** Creates or changes a job. */
export function JobDialog({ job, onClose }: Props) {
  const [when, setWhen] = useState<ScheduleForm>(() =>
    job ? formOf(job.schedule, serverNow()) : newForm(ownZone(), serverNow()),
  );
  const [actionForm, setWhat] = useState<ActionForm>(() => {
    rememberNames(job?.devices ?? []);
    return actionFormOf(job?.action, job?.devices.map(({ deviceId }) => deviceId) ?? []);
  });
  const [name, setName] = useState(job?.name ?? "");
  const [once, setOnce] = useState(job?.misfire === "once");
  const [problem, setProblem] = useState<Problem>(undefined);
  const action = useAction();
  const schedule = scheduleOf(when, job?.schedule);
  const refused = fieldProblem(action.error, ["deviceType"])?.field;
  const submit = (e: Event) => {
    e.preventDefault();
    const read = actionOf(actionForm, job?.action);
    setProblem("problem" in read ? read.problem : undefined);
    const isReady = isZone(when.timezone) && (when.repeat !== "weekly" || when.days.length > 0);
    if ("problem" in read || !isReady) return;
    const form: JobForm = {
      name: name.trim(),
      schedule,
      action: read.action,
      misfire: once ? "once" : "skip",
    };
    action.run(async () => {
      const saved = job ? await schedulerApi.update(job.jobId, form) : await schedulerApi.create(form);
      toast("success", t("jobs.saved", { name: saved.name }));
      onClose(saved);
    });
  };
  return (
    <Dialog
      title={job ? t("job.edit", { name: job.name }) : t("job.new")}
      onClose={() => onClose(undefined)}
      firm
    >
      <form class="flex flex-col gap-5" onSubmit={submit}>
        <TextField
          label={t("job.name")}
          hint={t("job.nameHint")}
          required
          maxLength={200}
          pattern=".*\S.*"
          value={name}
          autofocus
          onText={setName}
        />
        <fieldset class="flex flex-col gap-3">
          <legend class="mb-2 font-semibold">{t("job.when")}</legend>
          <ScheduleFields form={when} onChange={(changes) => setWhen({ ...when, ...changes })} />
          {isZone(when.timezone) && <NextRuns schedule={schedule} />}
          <Checkbox checked={once} onCheck={setOnce} hint={t("job.misfireHint")}>
            {t("job.misfire")}
          </Checkbox>
        </fieldset>
        <ActionFields
          form={actionForm}
          onChange={(changes) => setWhat({ ...actionForm, ...changes })}
          problem={problem}
        />
        <TargetFields
          form={actionForm}
          onChange={(changes) => setWhat({ ...actionForm, ...changes })}
          problem={refused === "deviceType" ? "forbiddenType" : problem}
        />
        {action.error !== undefined && refused !== "deviceType" && <ErrorNote error={action.error} />}
        <FormButtons busy={action.busy} onCancel={() => onClose(undefined)}>
          {t("common.save")}
        </FormButtons>
      </form>
    </Dialog>
  );
}

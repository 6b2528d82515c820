import { useRef, useState } from "preact/hooks";
import { VERIFY_DAYS_MAX } from "../../../lib/backup-limits.ts";
import { ownZone } from "../../lib/zoned-time.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Section } from "../../ui/section.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { NextRuns } from "../scheduler/next-runs.tsx";
import { EncryptionFields, PlaceFields, ScheduleFields } from "./backup-fields.tsx";
import { type BackupForm, formOf, scheduleOf, settingsOf, testOf } from "./backup-form.ts";
import { type BackupSettings, backupsApi } from "./backups-api.ts";

/** Form of where and when backups are made, and how long they are kept. */
export function BackupSettingsForm(props: {
  settings: BackupSettings;
  onSaved: (settings: BackupSettings) => void;
}) {
  const { settings } = props;
  const [form, setForm] = useState(() => formOf(settings, ownZone()));
  const element = useRef<HTMLFormElement>(null);
  const saving = useAction();
  const change = (changes: Partial<BackupForm>) => setForm({ ...form, ...changes });
  const submit = (e: Event) => {
    e.preventDefault();
    saving.run(async () => {
      const saved = await backupsApi.save(settingsOf(form));
      toast("success", t("backups.saved"));
      // Together: what is typed from now on must not be lost to the answer.
      setForm(formOf(saved, ownZone()));
      props.onSaved(saved);
    });
  };
  const fields = { form, settings, onChange: change };
  const schedule = scheduleOf(form);
  return (
    <Section id="backup-settings" title={t("backups.settings")}>
      <form ref={element} class="flex flex-col gap-6" onSubmit={submit}>
        {settings.fixed.length > 0 && (
          <p class="text-sm">{t("backups.fixed", { keys: settings.fixed.join(", ") })}</p>
        )}
        <PlaceFields {...fields} />
        {form.placeKind !== "none" && (
          <>
            <EncryptionFields {...fields} />
            <ScheduleFields {...fields} />
            {schedule !== null && form.scheduleKind === "cron" && (
              <NextRuns schedule={{ kind: "cron", ...schedule }} />
            )}
            <RetentionFields {...fields} />
          </>
        )}
        <ErrorNote error={saving.error} />
        <div class="flex flex-wrap items-start justify-between gap-3">
          <PlaceTest form={form} isValid={() => element.current?.reportValidity() ?? false} />
          <div class="ml-auto">
            <SubmitButton busy={saving.busy}>{t("common.save")}</SubmitButton>
          </div>
        </div>
      </form>
    </Section>
  );
}

/** Tests the place as it is entered, before it is saved. */
function PlaceTest({ form, isValid }: { form: BackupForm; isValid: () => boolean }) {
  const action = useAction();
  const [tested, setTested] = useState<BackupForm | undefined>(undefined);
  const input = testOf(form);
  const test = () => {
    if (input === undefined || !isValid()) return;
    action.run(async () => {
      setTested(undefined);
      await backupsApi.test(input);
      setTested(form);
    });
  };
  return (
    <div class="flex min-w-0 flex-[1_1_20rem] flex-col items-start gap-3">
      {input !== undefined && (
        <button type="button" class="btn" disabled={action.busy} onClick={test}>
          {action.busy && <span class="loading loading-spinner loading-xs" aria-hidden="true" />}
          {t("backups.test")}
        </button>
      )}
      <ErrorNote error={action.error} />
      <p role="status" class="text-sm text-success empty:hidden">
        {tested === form && t("backups.testOk")}
      </p>
    </div>
  );
}

function RetentionFields({
  form,
  onChange,
}: {
  form: BackupForm;
  onChange: (changes: Partial<BackupForm>) => void;
}) {
  const number = (
    name: "daily" | "weekly" | "maxAgeHours" | "verifyDays",
    texts: { label: string; hint: string },
    range: { min: number; max: number },
  ) => (
    <TextField
      {...texts}
      {...range}
      type="number"
      step={1}
      required
      value={Number.isNaN(form[name]) ? "" : form[name]}
      onInput={(e) => onChange({ [name]: e.currentTarget.valueAsNumber })}
    />
  );
  return (
    <fieldset class="flex flex-col gap-4">
      <legend class="mb-3 font-semibold">{t("backups.retention")}</legend>
      <div class="grid gap-4 sm:grid-cols-2">
        {number("daily", { label: t("backups.daily"), hint: t("backups.dailyHint") }, { min: 1, max: 3_650 })}
        {number(
          "weekly",
          { label: t("backups.weekly"), hint: t("backups.weeklyHint") },
          { min: 0, max: 1_000 },
        )}
        {number(
          "maxAgeHours",
          { label: t("backups.maxAge"), hint: t("backups.maxAgeHint") },
          { min: 1, max: 8_784 },
        )}
        {number(
          "verifyDays",
          { label: t("backups.verify"), hint: t("backups.verifyHint") },
          { min: 1, max: VERIFY_DAYS_MAX },
        )}
      </div>
    </fieldset>
  );
}

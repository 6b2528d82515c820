import { useRef, useState } from "preact/hooks";
import type { FormValues } from "../../lib/form-schema.ts";
import { ownZone } from "../../lib/zoned-time.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { sentValues } from "../../ui/form/form-definition.ts";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { SectionForm } from "../../ui/form/section-form.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Section } from "../../ui/page/section.tsx";
import { NextRuns } from "../scheduler/next-runs.tsx";
import { backupForm, dailyTimeOf, inputOf, valuesOf } from "./backup-form.tsx";
import type { BackupSettingsInput, BackupTestInput } from "./backups-api.ts";
import { type BackupSettings, backupsApi } from "./backups-api.ts";

interface Props {
  readonly settings: BackupSettings;
  readonly onSaved: (settings: BackupSettings) => void;
}

/** Form for place, schedule and retention of backups. */
export function BackupSettingsForm({ settings, onSaved }: Props) {
  const form = useSchemaForm(backupForm, valuesOf(settings, ownZone()));
  const element = useRef<HTMLFormElement>(null);
  const { schedule } = form.state.values as unknown as Pick<BackupSettings, "schedule">; // of the schema
  const submit = () =>
    form.send(async () => {
      const saved = await backupsApi.save(inputOf(form.body()) as BackupSettingsInput); // the API checks it
      toast("success", t("backups.saved"));
      // Together: what is typed from now on must not be lost to the response.
      form.state.onChange(valuesOf(saved, ownZone()));
      onSaved(saved);
    });
  return (
    <Section id="backup-settings" title={t("backups.planTitle")}>
      <SectionForm
        formRef={element}
        {...form.dialog}
        onSubmit={submit}
        start={
          <PlaceTest values={form.state.values} isValid={() => element.current?.reportValidity() ?? false} />
        }
      >
        {settings.fixed.length > 0 && (
          <p class="text-sm">{t("backups.fixed", { keys: settings.fixed.join(", ") })}</p>
        )}
        <SchemaFields form={backupForm} {...form.state} />
        {schedule && dailyTimeOf(schedule.expression) === undefined && (
          <NextRuns schedule={{ kind: "cron", ...schedule }} />
        )}
      </SectionForm>
    </Section>
  );
}

/** Tests the entered place before it is saved. */
function PlaceTest({ values, isValid }: { values: FormValues; isValid: () => boolean }) {
  const action = useAction();
  const [tested, setTested] = useState<FormValues | undefined>(undefined);
  const test = () => {
    if (!isValid()) return;
    action.run(async () => {
      setTested(undefined);
      const { place, passphrase } = inputOf(sentValues(backupForm, values));
      await backupsApi.test({ place, ...(passphrase !== undefined && { passphrase }) } as BackupTestInput); // the API checks it
      setTested(values);
    });
  };
  return (
    <div class="flex min-w-0 flex-[1_1_20rem] flex-col items-start gap-3">
      {values.place !== null && (
        <button type="button" class="btn" disabled={action.busy} onClick={test}>
          {action.busy && <span class="loading loading-spinner loading-xs" aria-hidden="true" />}
          {t("backups.test")}
        </button>
      )}
      <ErrorNote error={action.error} />
      <p role="status" class="text-sm text-success empty:hidden">
        {tested === values && t("backups.testOk")}
      </p>
    </div>
  );
}

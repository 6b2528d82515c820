import { TriangleAlert } from "lucide-preact";
import { t } from "../../platform/i18n/i18n.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { ZoneField } from "../../ui/zone-field.tsx";
import { type BackupForm, PLACE_KINDS, SCHEDULE_KINDS } from "./backup-form.ts";
import type { BackupSettings } from "./backups-api.ts";

interface Props {
  readonly form: BackupForm;
  readonly settings: BackupSettings;
  readonly onChange: (changes: Partial<BackupForm>) => void;
}

const plainInput = { autocomplete: "off", autocapitalize: "off", spellcheck: false } as const;

export function PlaceFields(props: Props) {
  const { form, onChange } = props;
  return (
    <fieldset class="flex flex-col gap-4">
      <legend class="mb-3 font-semibold">{t("backups.place")}</legend>
      <SelectField
        label={t("backups.placeKind")}
        value={form.placeKind}
        options={PLACE_KINDS}
        text={(kind) => t(`backups.place.${kind}`)}
        onSelect={(placeKind) => onChange({ placeKind })}
      />
      {form.placeKind === "folder" && (
        <TextField
          label={t("backups.path")}
          hint={t("backups.pathHint")}
          {...plainInput}
          required
          maxLength={1_000}
          placeholder="/media/usb/backups"
          class="input reading w-full"
          value={form.path}
          onText={(path) => onChange({ path })}
        />
      )}
      {form.placeKind === "s3" && <BucketFields {...props} />}
    </fieldset>
  );
}

function BucketFields({ form, settings, onChange }: Props) {
  const isKept = settings.place?.kind === "s3" && settings.place.hasSecretAccessKey;
  const text = (name: "region" | "bucket" | "accessKeyId", label: string, maxLength: number) => (
    <TextField
      label={label}
      {...plainInput}
      required
      maxLength={maxLength}
      class="input reading w-full"
      value={form[name]}
      onText={(value) => onChange({ [name]: value })}
    />
  );
  return (
    <div class="grid gap-4 sm:grid-cols-2">
      <TextField
        label={t("backups.endpoint")}
        {...plainInput}
        type="url"
        required
        maxLength={500}
        placeholder="https://…"
        class="input reading w-full"
        value={form.endpoint}
        onText={(endpoint) => onChange({ endpoint })}
      />
      {text("region", t("backups.region"), 100)}
      {text("bucket", t("backups.bucket"), 200)}
      <TextField
        label={t("backups.prefix")}
        hint={t("backups.prefixHint")}
        {...plainInput}
        maxLength={499}
        placeholder="plant-north/"
        class="input reading w-full"
        value={form.prefix}
        onText={(prefix) => onChange({ prefix })}
      />
      {text("accessKeyId", t("backups.keyId"), 200)}
      <TextField
        label={t("backups.secret")}
        hint={isKept ? t("backups.kept") : undefined}
        type="password"
        autocomplete="new-password"
        required={!isKept}
        maxLength={500}
        placeholder={isKept ? "••••••••" : ""}
        class="input reading w-full"
        value={form.secretAccessKey}
        onText={(secretAccessKey) => onChange({ secretAccessKey })}
      />
    </div>
  );
}

/** The passphrase is shown while it is entered: a mistyped one would be found out on the day of the restore. */
export function EncryptionFields({ form, settings, onChange }: Props) {
  const isKept = settings.isEncrypted;
  return (
    <div class="flex flex-col gap-3">
      <Checkbox checked={form.isEncrypted} onCheck={(isEncrypted) => onChange({ isEncrypted })}>
        {t("backups.encrypt")}
      </Checkbox>
      {form.isEncrypted ? (
        <>
          <TextField
            label={t(isKept ? "backups.passphraseNew" : "common.passphrase")}
            hint={isKept ? t("backups.kept") : undefined}
            {...plainInput}
            required={!isKept}
            maxLength={500}
            placeholder={isKept ? "••••••••" : ""}
            class="input reading w-full"
            value={form.passphrase}
            onText={(passphrase) => onChange({ passphrase })}
          />
          <Warning text={t("backups.passphraseWarning")} />
        </>
      ) : (
        <Warning text={t("backups.notEncrypted")} />
      )}
    </div>
  );
}

const Warning = ({ text }: { text: string }) => (
  <p class="flex items-start gap-2 text-sm">
    <TriangleAlert size={16} class="mt-0.5 flex-none text-warning" aria-hidden="true" />
    {text}
  </p>
);

export function ScheduleFields({ form, onChange }: Props) {
  return (
    <fieldset class="flex flex-col gap-4">
      <legend class="mb-3 font-semibold">{t("common.schedule")}</legend>
      <div class="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t("backups.scheduleKind")}
          value={form.scheduleKind}
          options={SCHEDULE_KINDS}
          text={(kind) => t(`backups.schedule.${kind}`)}
          onSelect={(scheduleKind) => onChange({ scheduleKind })}
        />
        {form.scheduleKind === "daily" && (
          <TextField
            label={t("job.time")}
            type="time"
            required
            value={form.time}
            onText={(time) => onChange({ time })}
          />
        )}
        {form.scheduleKind === "cron" && (
          <TextField
            label={t("job.expression")}
            hint={t("job.expressionHint")}
            {...plainInput}
            required
            maxLength={200}
            class="input reading w-full"
            value={form.expression}
            onText={(expression) => onChange({ expression })}
          />
        )}
        {form.scheduleKind !== "none" && (
          <ZoneField value={form.timezone} onChange={(timezone) => onChange({ timezone })} />
        )}
      </div>
    </fieldset>
  );
}

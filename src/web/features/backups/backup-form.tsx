import { TriangleAlert } from "lucide-preact";
import { useState } from "preact/hooks";
import { formSchema, maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { type FormValues, valueAt, withoutKept, withValue } from "../../lib/form-schema.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Checkbox } from "../../ui/form/choice.tsx";
import type { ControlProps, FormDefinition } from "../../ui/form/form-definition.ts";
import { SelectField } from "../../ui/form/select-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { ZoneField } from "../../ui/form/zone-field.tsx";
import type { BackupSettings } from "./backups-api.ts";

const NIGHTLY = "30 2 * * *";
const KEPT = { kept: true };
const plain = {
  autocomplete: "off",
  autocapitalize: "off",
  spellcheck: false,
  class: "input reading w-full",
} as const;

const isKept = (value: unknown) => typeof value === "object" && value !== null;
const hasPlace = ({ place }: FormValues) => place !== null;

function PlaceKind({ label, value, onChange }: ControlProps) {
  return (
    <SelectField
      label={label}
      value={value === null ? "none" : String((value as FormValues).kind)} // an object of the schema
      options={["none", "folder", "s3"] as const}
      text={(kind) => t(`backups.place.${kind}`)}
      onSelect={(kind) =>
        onChange(kind === "none" ? null : { kind, ...(kind === "s3" && { region: "us-east-1", prefix: "" }) })
      }
    />
  );
}

const Warning = ({ text }: { text: string }) => (
  <p class="flex items-start gap-2 text-sm">
    <TriangleAlert size={16} class="mt-0.5 flex-none text-warning" aria-hidden="true" />
    {text}
  </p>
);

/** Passphrase, which is visible during input: a typing mistake would only be detected at a restore. */
function Encryption({ label, schema, value, onChange }: ControlProps) {
  const [hasOne, setHasOne] = useState(isKept(value));
  if (isKept(value) && !hasOne) setHasOne(true);
  return (
    <div class="flex flex-col gap-3">
      <Checkbox checked={value !== null} onCheck={(isOn) => onChange(isOn ? (hasOne ? KEPT : "") : null)}>
        {label}
      </Checkbox>
      {value !== null && (
        <TextField
          label={t(hasOne ? "backups.passphraseNew" : "common.passphrase")}
          hint={hasOne ? t("backups.kept") : undefined}
          {...plain}
          required={!hasOne}
          maxLength={schema.maxLength}
          placeholder={hasOne ? "••••••••" : ""}
          value={isKept(value) ? "" : String(value ?? "")}
          onText={(text) => onChange(text === "" && hasOne ? KEPT : text)}
        />
      )}
      <Warning text={t(value === null ? "backups.notEncrypted" : "backups.passphraseWarning")} />
    </div>
  );
}

/** Returns the time of day of a daily schedule; undefined for other schedules. */
export function dailyTimeOf(expression: string): string | undefined {
  const [, minute = "", hour = ""] = /^(\d{1,2}) (\d{1,2}) \* \* \*$/.exec(expression.trim()) ?? [];
  if (minute === "" || Number(minute) > 59 || Number(hour) > 23) return undefined;
  return `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
}

type Schedule = BackupSettings["schedule"];

function ScheduleFields({ value, onChange, values }: ControlProps) {
  const schedule = value as Schedule; // the type of the schema
  const time = schedule === null ? undefined : dailyTimeOf(schedule.expression);
  const [isCron, setCron] = useState(schedule !== null && time === undefined);
  const kind = schedule === null ? "none" : isCron || time === undefined ? "cron" : "daily";
  const timezone = schedule?.timezone ?? String(values.timezone);
  const select = (next: "daily" | "cron" | "none") => {
    setCron(next === "cron");
    if (next === "none") onChange(null);
    else onChange({ expression: next === "cron" ? (schedule?.expression ?? NIGHTLY) : NIGHTLY, timezone });
  };
  return (
    <div class="grid gap-4 sm:grid-cols-2">
      <SelectField
        label={t("backups.scheduleKind")}
        value={kind}
        options={["daily", "cron", "none"] as const}
        text={(id) => t(`backups.schedule.${id}`)}
        onSelect={select}
      />
      {kind === "daily" && (
        <TextField
          label={t("job.time")}
          type="time"
          required
          value={time}
          onText={(text) => {
            const [hour = "0", minute = "0"] = text.split(":");
            onChange({ ...schedule, expression: `${Number(minute)} ${Number(hour)} * * *` });
          }}
        />
      )}
      {kind === "cron" && (
        <TextField
          label={t("job.expression")}
          hint={t("job.expressionHint")}
          {...plain}
          required
          maxLength={maxLengthOf("backups/backups.schemas.ts", "settingsInput", "schedule.expression")}
          value={schedule?.expression}
          onText={(expression) => onChange({ ...schedule, expression })}
        />
      )}
      {schedule && (
        <ZoneField value={timezone} onChange={(zone) => onChange({ ...schedule, timezone: zone })} />
      )}
    </div>
  );
}

export const backupForm: FormDefinition = {
  schema: formSchema("backups/backups.schemas.ts", "settingsInput"),
  texts: ["backups"],
  fields: [
    {
      group: "place",
      fields: [
        { path: "place", control: PlaceKind },
        { path: "place.path", input: { placeholder: "/media/usb/backups", ...plain } },
        [
          { path: "place.endpoint", input: { type: "url", placeholder: "https://…", ...plain } },
          "place.region",
        ],
        [
          "place.bucket",
          {
            path: "place.prefix",
            input: { required: false, placeholder: "plant-north/", pattern: ".*", ...plain },
          },
        ],
        [
          { path: "place.accessKeyId", input: plain },
          {
            path: "place.secretAccessKey",
            isRequired: true,
            input: { ...plain, type: "password", autocomplete: "new-password" },
          },
        ],
      ],
    },
    { path: "passphrase", when: hasPlace, control: Encryption },
    { group: "schedule", when: hasPlace, fields: [{ path: "schedule", control: ScheduleFields }] },
    {
      group: "retention",
      when: hasPlace,
      fields: [
        ["daily", "weekly"],
        ["maxAgeHours", { path: "verifyDays", isRequired: true }],
      ],
    },
  ],
};

/** Returns the settings for the form; `timezone` is suggested if there is no schedule. */
export function valuesOf(settings: BackupSettings, timezone: string): FormValues {
  const { place, schedule, isEncrypted, daily, weekly, maxAgeHours, verifyDays } = settings;
  const hasSecret = place?.kind === "s3" && place.hasSecretAccessKey;
  return {
    place: place && { ...place, ...(hasSecret && { secretAccessKey: KEPT }) },
    passphrase: isEncrypted ? KEPT : null,
    schedule: schedule ?? (place === null ? { expression: NIGHTLY, timezone } : null),
    daily,
    weekly,
    maxAgeHours,
    verifyDays,
    timezone,
  };
}

/** Normalizes a prefix for the gateway: empty, or with a trailing and no leading slash. */
export function prefixOf(text: string): string {
  const inner = text.trim().replace(/^\/+|(?<!\/)\/+$/g, "");
  return inner === "" ? "" : `${inner}/`;
}

/** Returns the body of the request. A secret that was not entered is omitted, so that the gateway keeps it. */
export function inputOf({ timezone: _, ...body }: FormValues): FormValues {
  const prefix = valueAt(body, "place.prefix");
  return withoutKept(typeof prefix === "string" ? withValue(body, "place.prefix", prefixOf(prefix)) : body);
}

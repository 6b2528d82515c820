import { useState } from "preact/hooks";
import { CRON_CHARACTERS_MAX, JOB_INTERVAL_MS_MAX } from "../../../lib/console/form-limits.ts";
import { isZone } from "../../lib/zoned-time.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { serverNow } from "../../platform/now.ts";
import type { ControlProps } from "../../ui/form/form-definition.ts";
import { SelectField } from "../../ui/form/select-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { ZoneField } from "../../ui/form/zone-field.tsx";
import { formOf, REPEATS, type ScheduleForm, scheduleOf, UNITS, WEEK } from "./schedule-form.ts";
import { dayName } from "./schedule-text.ts";
import type { JobSchedule } from "./scheduler-api.ts";

interface Props {
  readonly form: ScheduleForm;
  readonly onChange: (changes: Partial<ScheduleForm>) => void;
}

/** Edits when a job runs. The value of the field is undefined while the schedule is incomplete. */
export function ScheduleControl({ value, onChange }: ControlProps) {
  const [before] = useState(value as JobSchedule); // the type of the schema
  const [form, setForm] = useState(() => formOf(before, serverNow()));
  const change = (changes: Partial<ScheduleForm>) => {
    const changed = { ...form, ...changes };
    setForm(changed);
    const isComplete = isZone(changed.timezone) && (changed.repeat !== "weekly" || changed.days.length > 0);
    onChange(isComplete ? scheduleOf(changed, before) : undefined);
  };
  return (
    <>
      <SelectField
        label={t("job.repeat")}
        value={form.repeat}
        options={REPEATS}
        text={(repeat) => t(`repeat.${repeat}`)}
        onSelect={(repeat) => change({ repeat })}
      />
      <RepeatFields form={form} onChange={change} />
      <ZoneField value={form.timezone} onChange={(timezone) => change({ timezone })} />
    </>
  );
}

function RepeatFields({ form, onChange }: Props) {
  if (form.repeat === "weekly")
    return (
      <>
        <DayFields form={form} onChange={onChange} />
        <TimeField form={form} onChange={onChange} />
      </>
    );
  if (form.repeat === "monthly")
    return (
      <div class="grid grid-cols-2 gap-4">
        <SelectField
          label={t("job.monthDay")}
          value={String(form.monthDay)}
          options={[...Array.from({ length: 31 }, (_, index) => String(index + 1)), "L"]}
          text={(day) => (day === "L" ? t("job.lastDay") : day)}
          onSelect={(day) => onChange({ monthDay: day === "L" ? "L" : Number(day) })}
        />
        <TimeField form={form} onChange={onChange} />
        {form.monthDay !== "L" && form.monthDay > 28 && (
          <p class="col-span-2 text-sm text-soft">{t("job.monthDayHint")}</p>
        )}
      </div>
    );
  if (form.repeat === "interval")
    return (
      <div class="grid grid-cols-2 gap-4">
        <TextField
          label={t("job.every")}
          type="number"
          min={1}
          max={JOB_INTERVAL_MS_MAX / UNITS[form.unit]}
          step="any"
          required
          value={form.every}
          onInput={(e) => onChange({ every: e.currentTarget.valueAsNumber })}
        />
        <SelectField
          label={t("common.unit")}
          value={form.unit}
          options={["minutes", "hours", "days"] satisfies (keyof typeof UNITS)[]}
          text={(unit) => t(`unit.${unit}`)}
          onSelect={(unit) => onChange({ unit })}
        />
      </div>
    );
  if (form.repeat === "once")
    return (
      <TextField
        label={t("job.at")}
        type="datetime-local"
        required
        value={form.at}
        onText={(text) => onChange({ at: text })}
      />
    );
  return (
    <TextField
      label={t("job.expression")}
      hint={t("job.expressionHint")}
      required
      maxLength={CRON_CHARACTERS_MAX}
      autocapitalize="off"
      spellcheck={false}
      value={form.expression}
      class="input reading w-full"
      onText={(text) => onChange({ expression: text })}
    />
  );
}

const TimeField = ({ form, onChange }: Props) => (
  <TextField
    label={t("job.time")}
    type="time"
    required
    value={form.time}
    onText={(text) => onChange({ time: text })}
  />
);

function DayFields({ form, onChange }: Props) {
  const { days } = form;
  const toggle = (day: number) =>
    onChange({ days: days.includes(day) ? days.filter((candidate) => candidate !== day) : [...days, day] });
  return (
    <fieldset class="flex flex-col gap-1.5">
      <legend class="mb-1.5 text-sm font-medium">{t("job.days")}</legend>
      <div class="grid grid-cols-7 gap-1 sm:flex sm:gap-1.5">
        {WEEK.map((day) => (
          <button
            key={day}
            type="button"
            aria-pressed={days.includes(day)}
            title={dayName(day, "long")}
            class={`btn btn-sm max-sm:px-0 ${days.includes(day) ? "btn-neutral" : ""}`}
            onClick={() => toggle(day)}
          >
            {dayName(day, "short")}
          </button>
        ))}
      </div>
      {days.length === 0 && (
        <p role="alert" class="text-sm text-error">
          {t("job.selectDay")}
        </p>
      )}
    </fieldset>
  );
}

import { t } from "../../platform/i18n/i18n.ts";
import { TextField } from "../../ui/text-field.tsx";
import { DAYS, type ScheduleForm } from "./rule-form.ts";

/** Fields of a schedule: days, start, end and time zone. */
export function ScheduleFields(props: {
  schedule: ScheduleForm;
  onChange: (schedule: ScheduleForm) => void;
}) {
  const { schedule, onChange } = props;
  const set = (changes: Partial<ScheduleForm>) => onChange({ ...schedule, ...changes });
  return (
    <div class="flex flex-col gap-3 pl-8">
      <fieldset class="flex flex-wrap gap-x-4 gap-y-2" aria-label={t("rule.days")}>
        {DAYS.map((day) => (
          <label key={day} class="flex cursor-pointer items-center gap-2 text-sm">
            <input
              type="checkbox"
              class="checkbox checkbox-sm"
              checked={schedule.days.includes(day)}
              onChange={(e) =>
                set({
                  days: DAYS.filter((text) =>
                    text === day ? e.currentTarget.checked : schedule.days.includes(text),
                  ),
                })
              }
            />
            {t(`day.${day}`)}
          </label>
        ))}
      </fieldset>
      <div class="flex flex-wrap gap-3">
        {(["from", "to"] as const).map((name) => (
          <TextField
            key={name}
            label={t(`rule.${name}`)}
            required
            pattern="([01]\d|2[0-3]):[0-5]\d|24:00"
            placeholder="06:00"
            value={schedule[name]}
            class="input w-32"
            onText={(text) => set({ [name]: text.trim() })}
          />
        ))}
        <TextField
          label={t("rule.zone")}
          required
          value={schedule.timezone}
          class="input w-56"
          onText={(text) => set({ timezone: text.trim() })}
        />
      </div>
    </div>
  );
}

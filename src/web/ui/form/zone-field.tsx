import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { isZone } from "../../lib/zoned-time.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Field } from "./field.tsx";

/** A time zone by its IANA name, with the zones that the browser knows as suggestions. */
export function ZoneField(props: { value: string; hint?: string; onChange: (timezone: string) => void }) {
  return (
    <Field
      label={t("job.zone")}
      {...(props.hint !== undefined && { hint: props.hint })}
      error={isZone(props.value) ? undefined : t("job.zoneUnknown")}
    >
      <input
        class="input w-full"
        list="time-zones"
        required
        maxLength={maxLengthOf("notifications/notifications.schemas.ts", "changeSettingsBody", "timezone")}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        value={props.value}
        onInput={(e) => props.onChange(e.currentTarget.value.trim())}
      />
      <datalist id="time-zones">
        {["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </Field>
  );
}

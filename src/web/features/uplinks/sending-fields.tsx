import { t } from "../../platform/i18n/i18n.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { Section } from "../../ui/section.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { TextAreaField } from "../../ui/text-area-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { UplinkDraft } from "./uplink-form.ts";

interface Props {
  readonly draft: UplinkDraft;
  readonly onChange: (changes: Partial<UplinkDraft>) => void;
}

const ORDERS = ["LIVE_FIRST", "NEWEST_FIRST", "OLDEST_FIRST"] as const;

/** How and when an uplink sends. */
export function SendingFields({ draft, onChange }: Props) {
  const { isLimitedInTime } = draft;
  return (
    <Section id="uplink-sending" title={t("uplink.sending")}>
      <div class="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t("uplink.site")}
          hint={t("uplinkHint.site")}
          maxLength={200}
          value={draft.site}
          onText={(site) => onChange({ site })}
        />
        <SelectField
          label={t("uplink.order")}
          value={draft.order}
          options={ORDERS}
          text={(name) => t(`uplinkOrder.${name}`)}
          onSelect={(chosen) => onChange({ order: chosen })}
        />
        <TextField
          label={t("uplink.rate")}
          hint={t("uplinkHint.rate")}
          type="number"
          min={1}
          max={1_000_000}
          step="any"
          value={draft.kilobytesPerSecond}
          onText={(kilobytesPerSecond) => onChange({ kilobytesPerSecond })}
        />
        <TextAreaField
          label={t("uplink.tags")}
          hint={t("uplinkHint.tags")}
          rows={2}
          value={draft.tags}
          onText={(tags) => onChange({ tags })}
        />
      </div>
      <Checkbox checked={isLimitedInTime} onCheck={(on) => onChange({ isLimitedInTime: on })}>
        {t("uplink.window")}
      </Checkbox>
      {isLimitedInTime && (
        <div class="grid gap-4 sm:grid-cols-2">
          {(["from", "to"] as const).map((name) => (
            <TextField
              key={name}
              label={t(`uplink.${name}`)}
              type="time"
              required
              value={draft[name]}
              onText={(clock) => onChange({ [name]: clock })}
            />
          ))}
        </div>
      )}
    </Section>
  );
}

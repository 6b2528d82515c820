import { ownZone } from "../../lib/zoned-time.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Field } from "../../ui/field.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { ZoneField } from "../../ui/zone-field.tsx";
import type { Widget, WidgetConfig } from "./dashboards-api.ts";
import { numberOf, textOf } from "./widgets/values.ts";

const PERIODS = ["1h", "shift", "1d", "1w", "1mo"] as const;
const SHIFTS_DEFAULT = "06:00,14:00,22:00";

interface Props {
  readonly widget: Widget;
  readonly onChange: (changes: WidgetConfig) => void;
}

/** The intervals of a consumption: of the calendar, or shifts. */
export function PeriodFields({ widget, onChange }: Props) {
  const interval = textOf(widget, "interval") || "1d";
  const isShift = interval.includes(":");
  const onPeriod = (period: string) => onChange({ interval: period === "shift" ? SHIFTS_DEFAULT : period });
  return (
    <>
      <SelectField
        label={t("energy.period")}
        value={isShift ? "shift" : interval}
        options={PERIODS}
        text={(period) => t(`energy.period.${period}`)}
        onSelect={onPeriod}
      />
      {isShift && (
        <TextField
          label={t("energy.shifts")}
          hint={t("energy.shiftsHint")}
          required
          maxLength={168}
          pattern="\s*\d\d:\d\d(\s*,\s*\d\d:\d\d)*\s*"
          value={interval}
          onText={(text) => onChange({ interval: text || SHIFTS_DEFAULT })}
        />
      )}
      <ZoneField
        value={textOf(widget, "timezone") || ownZone()}
        onChange={(timezone) => onChange({ timezone })}
      />
    </>
  );
}

export function PriceFields({ widget, onChange }: Props) {
  return (
    <div class="grid grid-cols-2 gap-4">
      <Field label={t("energy.price")}>
        <input
          class="input w-full"
          type="number"
          step="any"
          min={0}
          value={numberOf(widget, "costPerUnit") ?? ""}
          onInput={(e) => {
            const price = e.currentTarget.valueAsNumber;
            onChange({ costPerUnit: Number.isFinite(price) ? price : undefined });
          }}
        />
      </Field>
      <TextField
        label={t("energy.currency")}
        maxLength={8}
        value={textOf(widget, "currency")}
        onText={(text) => onChange({ currency: text || undefined })}
      />
    </div>
  );
}

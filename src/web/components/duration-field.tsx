import { useState } from "preact/hooks";
import { plural, t } from "../i18n/i18n.ts";
import { Field } from "./parts.tsx";

const UNITS = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1_000 } as const;
type Unit = keyof typeof UNITS;
const names = Object.keys(UNITS) as Unit[]; // the largest first

/** The largest unit that says it in whole numbers. */
const unitOf = (ms: number): Unit => names.find((unit) => ms % UNITS[unit] === 0) ?? "seconds";

export function durationText(ms: number): string {
  const unit = unitOf(ms);
  return plural(`duration.${unit}`, ms / UNITS[unit]);
}

interface Props {
  readonly label: string;
  readonly hint?: string;
  readonly ms: number;
  readonly onChange: (ms: number) => void;
}

/** A stretch of time as a number and a unit. */
export function DurationField({ label, hint, ms, onChange }: Props) {
  const [unit, setUnit] = useState<Unit>(() => unitOf(ms));
  return (
    <Field label={label} hint={hint}>
      <span class="flex gap-2">
        <input
          class="input min-w-0 flex-1"
          type="number"
          min={0.1}
          step="any"
          required
          value={Number.isNaN(ms) ? "" : ms / UNITS[unit]}
          onInput={(e) => onChange(Math.round(e.currentTarget.valueAsNumber * UNITS[unit]))}
        />
        <select
          class="select w-32 flex-none"
          aria-label={`${label}: ${t("job.unit")}`}
          value={unit}
          onChange={(e) => {
            const chosen = names.find((name) => name === e.currentTarget.value);
            if (!chosen) return;
            setUnit(chosen);
            onChange(Math.round((ms / UNITS[unit]) * UNITS[chosen]));
          }}
        >
          {names.map((name) => (
            <option key={name} value={name} selected={name === unit}>
              {t(`unit.${name}`)}
            </option>
          ))}
        </select>
      </span>
    </Field>
  );
}

import { useState } from "preact/hooks";
import { UNITS, type Unit, unitNames, unitOf } from "../../platform/i18n/duration-text.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Field } from "./field.tsx";
import type { ControlProps } from "./form-definition.ts";

interface Props {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly ms: number;
  /** Limits in ms. */
  readonly minMs?: number | undefined;
  readonly maxMs?: number | undefined;
  readonly onChange: (ms: number) => void;
}

/** A duration as a number and a unit. */
export function DurationField({ label, hint, error, ms, minMs, maxMs, onChange }: Props) {
  const [unit, setUnit] = useState<Unit>(() => unitOf(ms));
  return (
    <Field label={label} hint={hint} error={error}>
      <span class="flex gap-2">
        <input
          class="input min-w-0 flex-1"
          type="number"
          min={minMs === undefined ? 0.1 : minMs / UNITS[unit]}
          max={maxMs === undefined ? undefined : maxMs / UNITS[unit]}
          step="any"
          required
          value={Number.isNaN(ms) ? "" : ms / UNITS[unit]}
          onInput={(e) => onChange(Math.round(e.currentTarget.valueAsNumber * UNITS[unit]))}
        />
        <select
          class="select w-32 flex-none"
          aria-label={`${label}: ${t("common.unit")}`}
          value={unit}
          onChange={(e) => {
            const selectedItem = unitNames.find((name) => name === e.currentTarget.value);
            if (!selectedItem) return;
            setUnit(selectedItem);
            onChange(Math.round((ms / UNITS[unit]) * UNITS[selectedItem]));
          }}
        >
          {unitNames.map((name) => (
            <option key={name} value={name} selected={name === unit}>
              {t(`unit.${name}`)}
            </option>
          ))}
        </select>
      </span>
    </Field>
  );
}

/** A duration as a field of a form. */
export const DurationControl = ({ label, hint, error, value, schema, onChange }: ControlProps) => (
  <DurationField
    label={label}
    hint={hint}
    error={error}
    ms={Number(value)}
    minMs={schema?.minimum}
    maxMs={schema?.maximum}
    onChange={onChange}
  />
);

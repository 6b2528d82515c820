import { t } from "../../platform/i18n/i18n.ts";
import { DurationField } from "./duration-field.tsx";
import type { ControlProps } from "./form-definition.ts";
import { SelectField } from "./select-field.tsx";

const FIXED_DEFAULT_MS = 600_000;

/** A duration of silence: three times the observed interval (null), or a fixed one. */
export function AutomaticDuration({
  label,
  hint,
  value,
  onChange,
}: Pick<ControlProps, "label" | "hint" | "value"> & { onChange: (ms: number | null) => void }) {
  const ms = typeof value === "number" ? value : null;
  return (
    <div class="flex flex-col gap-2">
      <SelectField
        label={label}
        hint={hint}
        value={ms === null ? "automatic" : "fixed"}
        options={["automatic", "fixed"] as const}
        text={(id) => t(`silence.${id}`)}
        onSelect={(id) => onChange(id === "automatic" ? null : (ms ?? FIXED_DEFAULT_MS))}
      />
      {ms !== null && <DurationField label={t("silence.time")} ms={ms} onChange={onChange} />}
    </div>
  );
}

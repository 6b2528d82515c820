import { t } from "../../platform/i18n/i18n.ts";
import { TextField } from "../../ui/text-field.tsx";
import type { ModbusUnit } from "./modbus-api.ts";

/** Settings of a unit as the form edits them. */
export interface UnitDraft {
  readonly unitId: string;
  readonly intervalSeconds: string;
  readonly wordsMax: string;
  readonly gapMax: string;
}

export const unitDraftOf = (unit: ModbusUnit | undefined, unitId = "1"): UnitDraft => ({
  unitId: String(unit?.unitId ?? unitId),
  intervalSeconds: String((unit?.intervalMs ?? 10_000) / 1_000),
  wordsMax: String(unit?.wordsMax ?? 125),
  gapMax: String(unit?.gapMax ?? 8),
});

export const unitFieldsOf = (draft: UnitDraft) => ({
  unitId: Number(draft.unitId),
  intervalMs: Math.round(Number(draft.intervalSeconds) * 1_000),
  wordsMax: Number(draft.wordsMax),
  gapMax: Number(draft.gapMax),
});

const LIMITS = {
  unitId: [0, 255, 1],
  intervalSeconds: [0.1, 86_400, "any"],
  wordsMax: [1, 125, 1],
  gapMax: [0, 125, 1],
} as const;

export function UnitFields({ draft, onChange }: { draft: UnitDraft; onChange: (draft: UnitDraft) => void }) {
  const field = (name: keyof UnitDraft) => {
    const [min, max, step] = LIMITS[name];
    return (
      <TextField
        key={name}
        label={t(`modbusUnit.${name}`)}
        hint={t(`modbusUnitHint.${name}`)}
        type="number"
        required
        min={min}
        max={max}
        step={step}
        value={draft[name]}
        onText={(text) => onChange({ ...draft, [name]: text })}
      />
    );
  };
  return (
    <div class="grid gap-4 sm:grid-cols-2">
      {(["unitId", "intervalSeconds", "wordsMax", "gapMax"] as const).map(field)}
    </div>
  );
}

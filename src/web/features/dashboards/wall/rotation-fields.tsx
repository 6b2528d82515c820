import { ROTATION_DASHBOARDS_MAX, ROTATION_SECONDS } from "../../../../lib/console/dashboard-rotation.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { Checkbox } from "../../../ui/form/choice.tsx";
import { TextField } from "../../../ui/form/text-field.tsx";
import type { Dashboard } from "../dashboards-api.ts";

/** Following dashboards, and the seconds for each. */
export interface RotationForm {
  /** Sorted by order of selection, which is the order of display. */
  readonly ids: readonly string[];
  readonly seconds: string;
}

export const newRotation = (): RotationForm => ({ ids: [], seconds: String(ROTATION_SECONDS.usual) });

/** Selects the dashboards after the first one, and the seconds for each. */
export function RotationFields(props: {
  /** Id of the first dashboard. */
  dashboardId: string;
  /** Undefined while they are loaded. */
  dashboards: readonly Dashboard[] | undefined;
  form: RotationForm;
  onChange: (form: RotationForm) => void;
}) {
  const { dashboardId, dashboards, form, onChange } = props;
  const { ids } = form;
  const others = (dashboards ?? []).filter(({ id }) => id !== dashboardId);
  const isFull = ids.length >= ROTATION_DASHBOARDS_MAX - 1;
  const toggle = (id: string, isOn: boolean) =>
    onChange({ ...form, ids: isOn ? [...ids, id] : ids.filter((other) => other !== id) });
  return (
    <>
      {dashboards && others.length === 0 && <p class="text-soft">{t("rotation.none")}</p>}
      <fieldset class="flex max-h-72 flex-col gap-2 overflow-y-auto">
        <legend class="mb-2 text-sm font-medium">{t("rotation.then")}</legend>
        {others.map(({ id, name }) => (
          <Checkbox
            key={id}
            checked={ids.includes(id)}
            disabled={isFull && !ids.includes(id)}
            onCheck={(isOn) => toggle(id, isOn)}
          >
            {name}
          </Checkbox>
        ))}
      </fieldset>
      <TextField
        label={t("rotation.seconds")}
        type="number"
        required
        min={ROTATION_SECONDS.min}
        max={ROTATION_SECONDS.max}
        value={form.seconds}
        onText={(seconds) => onChange({ ...form, seconds })}
      />
    </>
  );
}

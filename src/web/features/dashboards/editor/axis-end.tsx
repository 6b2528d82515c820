import type { AxisLimits } from "../../../lib/line-styles.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { TextField } from "../../../ui/form/text-field.tsx";

/** End of a value axis; empty to follow the values. */
export function AxisEnd(props: {
  end: keyof AxisLimits;
  value: number | undefined;
  class?: string;
  onChange: (value: number | undefined) => void;
}) {
  return (
    <TextField
      label={t(`axis.${props.end}`)}
      type="number"
      step="any"
      placeholder={t("axis.auto")}
      value={props.value ?? ""}
      {...(props.class !== undefined && { class: props.class })}
      onInput={(e) => {
        const value = e.currentTarget.valueAsNumber;
        props.onChange(Number.isFinite(value) ? value : undefined);
      }}
    />
  );
}

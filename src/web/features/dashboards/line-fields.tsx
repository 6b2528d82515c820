import {
  type AxisLimits,
  BAND_INTERVALS,
  LINE_STYLES,
  type LineStyle,
  toLineStyle,
} from "../../lib/line-styles.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { SelectField } from "../../ui/select-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { Widget, WidgetConfig } from "./dashboards-api.ts";
import { numberOf } from "./widgets/values.ts";

/** The styles to choose from, as the options of a select. */
/** An end of a value axis; empty for one that follows the values. */
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

interface Props {
  readonly widget: Widget;
  readonly onChange: (changes: WidgetConfig) => void;
}

/** How the lines of a widget are drawn. */
export function StyleField({ widget, onChange }: Props) {
  const style: LineStyle = toLineStyle(widget.config.style);
  return (
    <SelectField
      label={t("line.style")}
      hint={style === "band" ? t("line.bandHint") : undefined}
      value={style}
      options={LINE_STYLES}
      text={(id) => t(`line.${id}`)}
      onSelect={(next) =>
        onChange({
          style: next === "line" ? undefined : next,
          maxDataPoints: next === "band" ? BAND_INTERVALS : undefined,
        })
      }
    />
  );
}

/** The ends of the value axis of a widget. */
export function AxisFields({ widget, onChange }: Props) {
  return (
    <div class="grid grid-cols-2 gap-4">
      <AxisEnd end="min" value={numberOf(widget, "min")} onChange={(min) => onChange({ min })} />
      <AxisEnd end="max" value={numberOf(widget, "max")} onChange={(max) => onChange({ max })} />
    </div>
  );
}

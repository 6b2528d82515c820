import { useState } from "preact/hooks";
import { WIDGET_CHARACTERS_MAX } from "../../../../lib/console/form-limits.ts";
import { positionKeys } from "../../../../lib/console/web-mercator.ts";
import { KEY_BYTES_MAX, UNIT_CHARACTERS_MAX } from "../../../../lib/keys/key-metadata.ts";
import { AGGREGATIONS } from "../../../lib/aggregations.ts";
import { BARS_MAX } from "../../../lib/consumption.ts";
import { readDataUrl } from "../../../lib/data-url.ts";
import { type Comparison, comparisonOf } from "../../../lib/explore-view.ts";
import type { FormValues, ObjectSchema } from "../../../lib/form-schema.ts";
import { BAND_INTERVALS, LINE_STYLES } from "../../../lib/line-styles.ts";
import { ownZone } from "../../../lib/zoned-time.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { Field } from "../../../ui/form/field.tsx";
import type { ControlProps, FieldEntry, Fields, FormDefinition } from "../../../ui/form/form-definition.ts";
import { SelectField } from "../../../ui/form/select-field.tsx";
import { TextField } from "../../../ui/form/text-field.tsx";
import { ZoneField } from "../../../ui/form/zone-field.tsx";
import { choiceOf, windowChoices, windowOfChoice } from "../board/window-picker.tsx";
import type { WindowSpec } from "../dashboards-api.ts";
import { isPicture } from "../widgets/plan.tsx";
import { AxisEnd } from "./axis-end.tsx";

const text = (maxLength: number) => ({ kind: "text", maxLength }) as const;
const between = (minimum: number, maximum: number) => ({ kind: "number", minimum, maximum }) as const;
const REDUCERS = ["avg", "min", "max", "sum"] as const;

/** Fields of the config of a widget, which the API stores unchanged. */
const schema: ObjectSchema = {
  fields: {
    key: text(KEY_BYTES_MAX),
    aggregation: { kind: "choice", options: AGGREGATIONS, default: "none" },
    style: { kind: "choice", options: LINE_STYLES, default: "line" },
    interval: text(WIDGET_CHARACTERS_MAX.interval),
    costPerUnit: { kind: "number", minimum: 0 },
    currency: text(WIDGET_CHARACTERS_MAX.currency),
    reduce: { kind: "choice", options: REDUCERS, default: "avg" },
    unit: text(UNIT_CHARACTERS_MAX),
    decimals: between(0, 10),
    min: { kind: "number" },
    max: { kind: "number" },
    warning: { kind: "number" },
    critical: { kind: "number" },
    method: { ...text(WIDGET_CHARACTERS_MAX.text), isRequired: true },
    params: { kind: "json" },
    label: text(WIDGET_CHARACTERS_MAX.text),
    confirm: { kind: "boolean" },
    step: { kind: "number", minimum: 0 },
    as: { kind: "choice", options: ["attribute", "command"], default: "attribute" },
    text: text(WIDGET_CHARACTERS_MAX.note),
    image: { kind: "text" },
    latitudeKey: text(WIDGET_CHARACTERS_MAX.text),
    longitudeKey: text(WIDGET_CHARACTERS_MAX.text),
    north: between(-90, 90),
    south: between(-90, 90),
    west: between(-180, 180),
    east: between(-180, 180),
    showCleared: { kind: "boolean" },
    timeWindow: { kind: "json" },
    compare: { kind: "json" },
  },
};

const PERIODS = ["auto", "1h", "shift", "1d", "1w", "1mo"] as const;
const SHIFTS_DEFAULT = "06:00,14:00,22:00";

/** Intervals of a consumption: calendar units or shifts. */
function Period({ label, value, schema, values, onChange, setValues }: ControlProps) {
  const interval = String(value || "auto");
  const isShift = interval.includes(":");
  return (
    <>
      <SelectField
        label={label}
        value={isShift ? "shift" : interval}
        options={PERIODS}
        text={(period) => t(`energy.period.${period}`)}
        onSelect={(period) =>
          onChange(period === "auto" ? undefined : period === "shift" ? SHIFTS_DEFAULT : period)
        }
      />
      {isShift && (
        <TextField
          label={t("energy.shifts")}
          hint={t("energy.shiftsHint")}
          required
          maxLength={schema.maxLength}
          pattern="\s*\d\d:\d\d(\s*,\s*\d\d:\d\d)*\s*"
          value={interval}
          onText={(shifts) => onChange(shifts || SHIFTS_DEFAULT)}
        />
      )}
      <ZoneField
        value={String(values.timezone || ownZone())}
        onChange={(timezone) => setValues({ ...values, timezone })}
      />
    </>
  );
}

/** Returns the values of a widget for a comparison. Only times of the previous year need a time zone, which would also move the intervals. */
export const withComparison = (values: FormValues, compare?: Comparison): FormValues =>
  compare === "year"
    ? { ...values, compare, timezone: values.timezone || ownZone() }
    : { ...values, compare };

/** Selects the compared period. */
function Compare({ label, value, values, setValues }: ControlProps) {
  const set = (compare?: Comparison) => setValues(withComparison(values, compare));
  return (
    <SelectField
      label={label}
      value={String(value || "")}
      options={[
        ["true", t("compare.period")],
        ["year", t("compare.year")],
      ]}
      none={t("compare.none")}
      onSelect={(id) => set(comparisonOf(id === "true" || id))}
      onNone={set}
    />
  );
}

/** Selects the time window of the widget, if it is not that of the dashboard. */
function OwnWindow({ label, value, onChange }: ControlProps) {
  return (
    <SelectField
      label={label}
      value={value ? choiceOf(value as WindowSpec) : ""} // only objects are offered and shown
      options={windowChoices()}
      none={t("widget.asDashboard")}
      onSelect={(id) => onChange(windowOfChoice(id))}
      onNone={() => onChange(undefined)}
    />
  );
}

const Axis = ({ values, setValues }: ControlProps) => (
  <div class="grid grid-cols-2 gap-4">
    {(["min", "max"] as const).map((end) => (
      <AxisEnd
        key={end}
        end={end}
        value={values[end] as number | undefined} // the type of the schema
        onChange={(value) => setValues({ ...values, [end]: value })}
      />
    ))}
  </div>
);

function Params({ label, hint, value, onChange }: ControlProps) {
  const [json, setJson] = useState(value === undefined ? "" : JSON.stringify(value));
  const [isWrong, setWrong] = useState(false);
  const take = (input: string) => {
    setJson(input);
    try {
      onChange(input.trim() === "" ? undefined : JSON.parse(input));
      setWrong(false);
    } catch {
      setWrong(true);
    }
  };
  return (
    <TextField
      label={label}
      hint={hint}
      error={isWrong ? t("widget.paramsWrong") : undefined}
      value={json}
      class="input reading w-full"
      onText={take}
    />
  );
}

/** Max. bytes of the file. As text in the dashboard it is a third larger. */
const IMAGE_BYTES_MAX = 400 * 1024;

function Image({ label, hint, value, onChange }: ControlProps) {
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const take = async (file: File) => {
    const picture = file.size > IMAGE_BYTES_MAX ? "" : await readDataUrl(file);
    const isGood = isPicture(picture);
    setProblem(isGood ? undefined : t("widget.imageWrong"));
    if (isGood) onChange(picture);
  };
  return (
    <Field label={label} hint={hint} error={problem}>
      <input
        class="file-input w-full"
        type="file"
        accept="image/png,image/jpeg,image/webp,image/gif,image/svg+xml"
        onChange={(e) => {
          const [file] = e.currentTarget.files ?? [];
          if (file) take(file);
        }}
      />
      {isPicture(String(value)) && (
        <button type="button" class="btn btn-ghost btn-xs self-start" onClick={() => onChange(undefined)}>
          {t("widget.imageRemove")}
        </button>
      )}
    </Field>
  );
}

const aggregationText = (id: string | number) => t(`aggregation.${id as (typeof AGGREGATIONS)[number]}`);
const keyInput = (placeholder?: string) => ({ list: "widget-keys", placeholder });
const [latitude, longitude] = positionKeys({});
const hasPicture = ({ image }: FormValues) => isPicture(String(image));

/** Parts of the form of a widget: rows or groups of rows. */
const parts = {
  key: [{ path: "key", input: keyInput() }],
  lines: [
    { path: "aggregation", optionText: aggregationText },
    { path: "style", optionText: (style) => t(`line.${style as (typeof LINE_STYLES)[number]}`) },
  ],
  window: [{ path: "timeWindow", control: OwnWindow }],
  period: [{ path: "interval", control: Period }],
  compare: [{ path: "compare", control: Compare }],
  price: ["costPerUnit", "currency"],
  reduce: [{ path: "reduce", optionText: aggregationText }],
  share: [{ path: "aggregation", text: "share" }],
  scale: ["min", "max"],
  axis: [{ path: "min", control: Axis }],
  limits: ["warning", "critical"],
  method: ["method"],
  params: [{ path: "params", control: Params }],
  label: ["label"],
  confirm: ["confirm"],
  step: ["step"],
  as: ["as"],
  text: [{ path: "text", rows: 6 }],
  image: [{ path: "image", control: Image }],
  coordinates: [
    { path: "latitudeKey", input: keyInput(latitude) },
    { path: "longitudeKey", input: keyInput(longitude) },
  ],
  corners: [
    {
      group: "corners",
      when: hasPicture,
      fields: [
        ["north", "south"],
        ["west", "east"],
      ],
    },
  ],
  showCleared: ["showCleared"],
} satisfies Record<string, Fields[number]>;

/** Part of the form of a widget. The dialog, which has the devices, renders `devices`, `keys`, `places` and `symbols`. */
export type WidgetPart = keyof typeof parts | "appearance" | "devices" | "keys" | "places" | "symbols";
export const PART_NAMES = [...Object.keys(parts), "appearance"] as readonly WidgetPart[];

/** Defaults of the key on the devices, as placeholders. */
interface KeyDefaults {
  readonly unit?: string | undefined;
  readonly decimals?: number | undefined;
}

const appearance = ({ unit, decimals }: KeyDefaults): FieldEntry[] => [
  { path: "unit", input: { placeholder: unit } },
  { path: "decimals", input: { placeholder: decimals?.toString() } },
];

/** Adjusts the number of intervals to the aggregation and the chart type. */
function adjust(before: FormValues, after: FormValues): FormValues {
  const { aggregation, style } = after;
  if (aggregation !== before.aggregation)
    return {
      ...after,
      aggregation: aggregation === "none" ? undefined : aggregation,
      maxDataPoints: aggregation === "delta" || aggregation === "timeIn" ? BARS_MAX : undefined,
    };
  if (style === before.style) return after;
  return {
    ...after,
    style: style === "line" ? undefined : style,
    maxDataPoints: style === "band" ? BAND_INTERVALS : undefined,
  };
}

export const widgetForm = (names: readonly WidgetPart[], defaults: KeyDefaults = {}): FormDefinition => ({
  schema,
  texts: ["widget"],
  adjust,
  fields: names.flatMap((name): Fields => {
    if (name === "appearance") return [appearance(defaults)];
    return name === "devices" || name === "keys" || name === "places" || name === "symbols"
      ? []
      : [parts[name]];
  }),
});

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { positionKeys } from "../../../lib/web-mercator.ts";
import { AGGREGATIONS } from "../../lib/aggregations.ts";
import { BARS_MAX } from "../../lib/consumption.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Field } from "../../ui/field.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { TextAreaField } from "../../ui/text-area-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { ResolvedDevice, Widget, WidgetConfig } from "./dashboards-api.ts";
import { PeriodFields, PriceFields } from "./energy-fields.tsx";
import { ImageField, ParamsField } from "./file-fields.tsx";
import { AxisFields, StyleField } from "./line-fields.tsx";
import { PlacesField } from "./places-field.tsx";
import type { ConfigField } from "./widgets/kinds.ts";
import { isPicture } from "./widgets/plan.tsx";
import { keysOf, numberOf, sharedMetadata, textOf } from "./widgets/values.ts";

const REDUCERS = ["avg", "min", "max", "sum"] as const;

interface Props {
  readonly widget: Widget;
  readonly fields: readonly ConfigField[];
  /** Keys that the devices have sent. */
  readonly keys: readonly string[];
  readonly devices: readonly ResolvedDevice[];
  readonly onChange: (changes: WidgetConfig) => void;
}

/** Returns the display name that all devices give a key; the key itself if they differ in it. */
const nameOf = (devices: readonly ResolvedDevice[], key: string): string =>
  sharedMetadata(devices, key)?.name ?? key;

/** Each field of a kind of widget, in its own part. */
const parts: Partial<Record<ConfigField, (props: Omit<Props, "fields">) => ComponentChildren>> = {
  key: ({ widget, keys, devices, onChange }) => (
    <Field label={t("widget.key")}>
      <input
        class="input w-full"
        list="widget-keys"
        maxLength={256}
        value={keysOf(widget)[0] ?? ""}
        onInput={(e) => onChange({ key: e.currentTarget.value || undefined })}
      />
      <datalist id="widget-keys">
        {keys.map((key) => (
          <option key={key} value={key} label={nameOf(devices, key)} />
        ))}
      </datalist>
    </Field>
  ),
  keys: (props) => <KeysField {...props} />,
  aggregation: ({ widget, onChange }) => (
    <SelectField
      label={t("data.aggregation")}
      value={textOf(widget, "aggregation") || "none"}
      options={AGGREGATIONS.map((id) => [id, t(`aggregation.${id}`)])}
      onSelect={(aggregation) =>
        onChange({
          aggregation: aggregation === "none" ? undefined : aggregation,
          maxDataPoints: aggregation === "delta" || aggregation === "timeIn" ? BARS_MAX : undefined,
        })
      }
    />
  ),
  period: (props) => <PeriodFields {...props} />,
  price: (props) => <PriceFields {...props} />,
  reduce: ({ widget, onChange }) => (
    <SelectField
      label={t("widget.reduce")}
      value={textOf(widget, "reduce") || "avg"}
      options={REDUCERS.map((id) => [id, t(`aggregation.${id}`)])}
      onSelect={(reduce) => onChange({ reduce })}
    />
  ),
  share: ({ widget, onChange }) => (
    <SelectField
      label={t("widget.share")}
      value={textOf(widget, "aggregation") || "none"}
      options={[
        ["none", t("widget.share.devices")],
        ["timeIn", t("aggregation.timeIn")],
      ]}
      onSelect={(aggregation) =>
        onChange(
          aggregation === "timeIn"
            ? { aggregation, maxDataPoints: BARS_MAX }
            : { aggregation: undefined, maxDataPoints: undefined },
        )
      }
    />
  ),
  unit: ({ widget, devices, onChange }) => (
    <TextField
      label={t("widget.unit")}
      placeholder={sharedMetadata(devices, keysOf(widget)[0] ?? "")?.unit}
      maxLength={32}
      value={textOf(widget, "unit")}
      onText={(text) => onChange({ unit: text || undefined })}
    />
  ),
  decimals: ({ devices, ...props }) => (
    <NumberField
      name="decimals"
      {...props}
      min={0}
      max={10}
      placeholder={sharedMetadata(devices, keysOf(props.widget)[0] ?? "")?.decimals}
    />
  ),
  scale: (props) => (
    <div class="grid grid-cols-2 gap-4">
      <NumberField name="min" {...props} />
      <NumberField name="max" {...props} />
    </div>
  ),
  style: (props) => <StyleField {...props} />,
  axis: (props) => <AxisFields {...props} />,
  limits: (props) => (
    <div class="grid grid-cols-2 gap-4">
      <NumberField name="warning" {...props} />
      <NumberField name="critical" {...props} />
    </div>
  ),
  step: (props) => <NumberField name="step" {...props} min={0} />,
  as: ({ widget, onChange }) => (
    <SelectField
      label={t("widget.as")}
      value={textOf(widget, "as") || "attribute"}
      options={[
        ["attribute", t("widget.asAttribute")],
        ["command", t("widget.asCommand")],
      ]}
      onSelect={(as) => onChange({ as })}
    />
  ),
  method: ({ widget, onChange }) => (
    <TextField
      label={t("widget.method")}
      required
      maxLength={256}
      value={textOf(widget, "method")}
      onText={(text) => onChange({ method: text })}
    />
  ),
  params: (props) => <ParamsField {...props} />,
  confirm: (props) => <Check name="confirm" {...props} />,
  showCleared: (props) => <Check name="showCleared" {...props} />,
  text: ({ widget, onChange }) => (
    <TextAreaField
      label={t("widget.text")}
      hint={t("widget.textHint")}
      rows={6}
      maxLength={20_000}
      value={textOf(widget, "text")}
      onInput={(e) => onChange({ text: e.currentTarget.value })}
    />
  ),
  image: (props) => <ImageField {...props} />,
  places: (props) => <PlacesField {...props} />,
  coordinates: (props) => <CoordinateFields {...props} />,
  corners: (props) => isPicture(textOf(props.widget, "image")) && <CornerFields {...props} />,
};

/** Those that share a row with another one. */
const NARROW: ReadonlySet<ConfigField> = new Set(["unit", "decimals", "aggregation", "style"]);

export function WidgetFields({ fields, ...props }: Props) {
  return (
    <div class="grid gap-x-4 gap-y-5 sm:grid-cols-2">
      {fields.map((field) => {
        const Part = parts[field];
        return Part === undefined ? null : (
          <div key={field} class={`min-w-0 empty:hidden ${NARROW.has(field) ? "" : "sm:col-span-2"}`}>
            <Part {...props} />
          </div>
        );
      })}
    </div>
  );
}

/** Names the keys or attributes with the position of a device. */
function CoordinateFields({ widget, onChange }: FieldProps) {
  const [latitude, longitude] = positionKeys({});
  const field = (name: "latitudeKey" | "longitudeKey", usual: string) => (
    <TextField
      label={t(`widget.${name}`)}
      placeholder={usual}
      list="widget-keys"
      maxLength={256}
      value={textOf(widget, name)}
      onText={(text) => onChange({ [name]: text || undefined })}
    />
  );
  return (
    <div class="flex flex-col gap-1.5">
      <div class="grid grid-cols-2 gap-4">
        {field("latitudeKey", latitude)}
        {field("longitudeKey", longitude)}
      </div>
      <p class="text-sm text-soft">{t("widget.positionHint")}</p>
    </div>
  );
}

const EDGES = [
  ["north", 90],
  ["south", 90],
  ["west", 180],
  ["east", 180],
] as const;

/** Asks for the edges of the picture of a map, in degrees. */
const CornerFields = (props: FieldProps) => (
  <fieldset class="flex flex-col gap-1.5">
    <legend class="mb-1.5 text-sm font-medium">{t("widget.corners")}</legend>
    <div class="grid grid-cols-2 gap-4">
      {EDGES.map(([name, max]) => (
        <NumberField key={name} name={name} {...props} min={-max} max={max} />
      ))}
    </div>
    <p class="text-sm text-soft">{t("widget.cornersHint")}</p>
  </fieldset>
);

/** Selection of keys: those that the devices send, and any other by its name. */
function KeysField({ widget, keys, devices, onChange }: Omit<Props, "fields">) {
  const [typed, setTyped] = useState("");
  const selected = keysOf(widget);
  const offered = [...new Set([...selected, ...keys])];
  const add = () => {
    const key = typed.trim();
    if (key !== "" && !selected.includes(key)) onChange({ keys: [...selected, key] });
    setTyped("");
  };
  return (
    <fieldset class="flex flex-col gap-2">
      <legend class="mb-1.5 text-sm font-medium">{t("widget.keys")}</legend>
      <div class="flex max-h-40 flex-wrap gap-x-5 gap-y-1.5 overflow-y-auto">
        {offered.map((key) => (
          <label key={key} class="flex cursor-pointer items-center gap-2" title={key}>
            <input
              type="checkbox"
              class="checkbox checkbox-sm"
              checked={selected.includes(key)}
              onChange={(e) =>
                onChange({
                  keys: e.currentTarget.checked
                    ? [...selected, key]
                    : selected.filter((text) => text !== key),
                })
              }
            />
            {nameOf(devices, key)}
          </label>
        ))}
      </div>
      <input
        class="input input-sm w-full"
        aria-label={t("widget.otherKey")}
        placeholder={t("widget.otherKey")}
        maxLength={256}
        value={typed}
        onInput={(e) => setTyped(e.currentTarget.value)}
        onBlur={add}
        onKeyDown={(e) => {
          if (e.key !== "Enter") return;
          e.preventDefault();
          add();
        }}
      />
    </fieldset>
  );
}

interface FieldProps {
  readonly widget: Widget;
  readonly onChange: Props["onChange"];
}

function NumberField(
  props: FieldProps & {
    name: "decimals" | "min" | "max" | "warning" | "critical" | "step" | (typeof EDGES)[number][0];
    min?: number;
    max?: number;
    /** Value that applies if the field is empty. */
    placeholder?: number | undefined;
  },
) {
  const { name, widget, onChange, min, max, placeholder } = props;
  return (
    <Field label={t(`widget.${name}`)}>
      <input
        class="input w-full"
        type="number"
        step="any"
        {...(min !== undefined && { min })}
        {...(max !== undefined && { max })}
        placeholder={placeholder?.toString()}
        value={numberOf(widget, name) ?? ""}
        onInput={(e) => {
          const value = e.currentTarget.valueAsNumber;
          onChange({ [name]: Number.isFinite(value) ? value : undefined });
        }}
      />
    </Field>
  );
}

function Check({ name, widget, onChange }: FieldProps & { name: "confirm" | "showCleared" }) {
  return (
    <label class="flex cursor-pointer items-center gap-3">
      <input
        type="checkbox"
        class="checkbox checkbox-sm"
        checked={widget.config[name] === true}
        onChange={(e) => onChange({ [name]: e.currentTarget.checked || undefined })}
      />
      {t(`widget.${name}`)}
    </label>
  );
}

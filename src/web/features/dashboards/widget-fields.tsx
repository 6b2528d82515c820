import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { SchemaFields } from "../../ui/schema-fields.tsx";
import type { ResolvedDevice, Widget, WidgetConfig } from "./dashboards-api.ts";
import { type WidgetPart, widgetForm } from "./widget-form.tsx";
import { keysOf, sharedMetadata } from "./widgets/values.ts";

interface Props {
  readonly widget: Widget;
  readonly parts: readonly WidgetPart[];
  /** Keys that the devices have sent. */
  readonly keys: readonly string[];
  readonly devices: readonly ResolvedDevice[];
  /** Sets fields of the config; empty ones are removed. */
  readonly onChange: (changes: WidgetConfig) => void;
}

/** Returns the display name that all devices give a key; the key itself if they differ in it. */
const nameOf = (devices: readonly ResolvedDevice[], key: string): string =>
  sharedMetadata(devices, key)?.name ?? key;

/** Changes that remove all fields. */
const without = (config: WidgetConfig): WidgetConfig =>
  Object.fromEntries(Object.keys(config).map((name) => [name, undefined]));

/** The keys of a widget and the fields of its kind. */
export function WidgetFields({ parts, ...props }: Props) {
  const { widget, keys, devices, onChange } = props;
  const { config } = widget;
  return (
    <>
      {parts.includes("keys") && <KeysField {...props} />}
      <SchemaFields
        form={widgetForm(parts, sharedMetadata(devices, keysOf(widget)[0] ?? ""))}
        values={config}
        onChange={(after) => onChange({ ...without(config), ...(after as WidgetConfig) })} // values of JSON
        hints={config.style === "band" ? { style: t("line.bandHint") } : undefined}
        options={
          parts.includes("share")
            ? {
                aggregation: [
                  ["none", t("widget.share.devices")],
                  ["timeIn", t("aggregation.timeIn")],
                ],
              }
            : undefined
        }
      />
      <datalist id="widget-keys">
        {keys.map((key) => (
          <option key={key} value={key} label={nameOf(devices, key)} />
        ))}
      </datalist>
    </>
  );
}

/** Selection of keys: those that the devices send, and any other by its name. */
function KeysField({ widget, keys, devices, onChange }: Omit<Props, "parts">) {
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

import { useState } from "preact/hooks";
import { columnName } from "../../../lib/keys/key-format.ts";
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

interface KeyChoice {
  readonly key: string;
  readonly name: string;
  readonly unit: string | undefined;
}

/** Returns the keys whose name or key contains a text: those of `first`, then the counters for consumption, then by name. */
export function keyChoices(
  { widget, keys, devices }: Pick<Props, "widget" | "keys" | "devices">,
  search: string,
  first: readonly string[] = [],
): KeyChoice[] {
  const choices = [...new Set([...keysOf(widget), ...keys])].map((key) => {
    const { name = key, unit, kind } = sharedMetadata(devices, key) ?? {};
    const isLater = !first.includes(key);
    return {
      key,
      name,
      unit,
      rank: Number(isLater) * (widget.type === "energy" && kind === "counter" ? 1 : 2),
    };
  });
  const text = search.trim().toLowerCase();
  return choices
    .filter(({ key, name }) => key.toLowerCase().includes(text) || name.toLowerCase().includes(text))
    .sort((a, b) => a.rank - b.rank || a.name.localeCompare(b.name));
}

/** Changes that remove all fields. */
const without = (config: WidgetConfig): WidgetConfig =>
  Object.fromEntries(Object.keys(config).map((name) => [name, undefined]));

/** The keys of a widget and the fields of its kind. */
export function WidgetFields({ parts, ...props }: Props) {
  const { widget, devices, onChange } = props;
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
        {keyChoices(props, "").map(({ key, name, unit }) => (
          <option key={key} value={key} label={columnName(name, unit)} />
        ))}
      </datalist>
    </>
  );
}

/** Selection of keys: those that the devices send, found by name or key, and any other by its key. */
function KeysField({ widget, keys, devices, onChange }: Omit<Props, "parts">) {
  const [typed, setTyped] = useState("");
  const selected = keysOf(widget);
  // The order stays the same while selecting.
  const [first] = useState(selected);
  const found = keyChoices({ widget, keys, devices }, typed, first);
  const add = () => {
    const key = typed.trim();
    if (key !== "" && !selected.includes(key)) onChange({ keys: [...selected, key] });
    setTyped("");
  };
  return (
    <fieldset class="flex flex-col gap-2">
      <legend class="mb-1.5 text-sm font-medium">{t("widget.keys")}</legend>
      <input
        class="input input-sm w-full"
        aria-label={t("widget.otherKey")}
        placeholder={t("widget.otherKey")}
        maxLength={256}
        value={typed}
        onInput={(e) => setTyped(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key !== "Enter") return;
          e.preventDefault();
          add();
        }}
      />
      <div class="flex max-h-48 flex-col overflow-y-auto" data-testid="widget-keys">
        {found.map(({ key, name, unit }) => (
          <label
            key={key}
            class="flex cursor-pointer items-baseline gap-2 rounded-field px-1 py-0.5 hover:bg-base-200"
          >
            <input
              type="checkbox"
              class="checkbox checkbox-sm self-center"
              checked={selected.includes(key)}
              onChange={(e) =>
                onChange({
                  keys: e.currentTarget.checked
                    ? [...selected, key]
                    : selected.filter((text) => text !== key),
                })
              }
            />
            <span class="min-w-0 wrap-anywhere">{columnName(name, unit)}</span>
            {name !== key && <span class="min-w-0 truncate text-xs text-soft">{key}</span>}
          </label>
        ))}
        {typed.trim() !== "" && !found.some(({ key }) => key === typed.trim()) && (
          <button type="button" class="btn btn-ghost btn-sm justify-start" onClick={add}>
            {t("widget.useKey", { key: typed.trim() })}
          </button>
        )}
      </div>
    </fieldset>
  );
}

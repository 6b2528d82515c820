import { useMemo, useState } from "preact/hooks";
import { columnName } from "../../../../lib/keys/key-format.ts";
import { KEY_BYTES_MAX } from "../../../../lib/keys/key-metadata.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { keyMetadataVersion, metadataOf } from "../../../platform/key-metadata.ts";
import { SchemaFields } from "../../../ui/form/schema-fields.tsx";
import { describes } from "../../commands/command-forms.ts";
import type { ResolvedDevice, Widget, WidgetConfig } from "../dashboards-api.ts";
import { keysOf, sharedMetadata } from "../widgets/values.ts";
import { CommandField, useDescribedCommands } from "./command-field.tsx";
import { type WidgetPart, widgetForm } from "./widget-form.tsx";

interface Props {
  readonly widget: Widget;
  readonly parts: readonly WidgetPart[];
  /** Keys of the devices. */
  readonly keys: readonly string[];
  readonly devices: readonly ResolvedDevice[];
  /** Sets fields of the config. Empty ones are removed. */
  readonly onChange: (changes: WidgetConfig) => void;
}

interface KeyChoice {
  readonly key: string;
  readonly name: string;
  readonly unit: string | undefined;
  /** Lower for a better option. */
  readonly rank: number;
}

/** Rank of a counter with a unit, such as energy, for a consumption. */
export const BEST_RANK = 1;

/** Returns all keys as options: those of `first`, then counters for a consumption, then by name. */
export function keyChoices(
  { widget, keys, devices }: Pick<Props, "widget" | "keys" | "devices">,
  first: readonly string[] = [],
): KeyChoice[] {
  const choices = [...new Set([...keysOf(widget), ...keys])].map((key) => {
    // A group of machines has keys that only some of them send.
    const described = devices.filter(({ deviceId }) => metadataOf(deviceId, key) !== undefined);
    const { name = key, unit, kind } = sharedMetadata(described, key) ?? {};
    const isCounter = widget.type === "energy" && kind === "counter";
    const rank = BEST_RANK + (isCounter ? Number(unit === undefined) : 2);
    return { key, name, unit, rank: first.includes(key) ? 0 : rank };
  });
  return choices.sort((a, b) => a.rank - b.rank || a.name.localeCompare(b.name));
}

/** Returns the options whose name or key contains a text. */
export function matching(choices: readonly KeyChoice[], search: string): KeyChoice[] {
  const text = search.trim().toLowerCase();
  return choices.filter(
    ({ key, name }) => key.toLowerCase().includes(text) || name.toLowerCase().includes(text),
  );
}

/** Returns changes that remove all fields. */
const without = (config: WidgetConfig): WidgetConfig =>
  Object.fromEntries(Object.keys(config).map((name) => [name, undefined]));

/** Keys of a widget and the fields of its kind. */
export function WidgetFields({ parts, ...props }: Props) {
  const { widget, devices, onChange } = props;
  const { config } = widget;
  const commands = useDescribedCommands(parts.includes("method") ? devices : []);
  const [isOther, setOther] = useState(false);
  const described = commands.find(({ method }) => method === config.method);
  const command = !isOther && described && describes(described, config.params) ? described : undefined;
  const selected = keysOf(widget);
  // The order stays the same while selecting.
  const [first] = useState(parts.includes("keys") ? selected : []);
  const choices = useMemo(
    () => keyChoices(props, first),
    [widget.type, selected.join("\n"), props.keys, devices, keyMetadataVersion.value],
  );
  return (
    <>
      {parts.includes("keys") && <KeysField selected={selected} choices={choices} onChange={onChange} />}
      {commands.length > 0 && (
        <CommandField
          commands={commands}
          command={command}
          config={config}
          onChange={(changes) => {
            setOther(false);
            onChange(changes);
          }}
          onOther={() => {
            setOther(true);
            onChange({ method: undefined, params: undefined, label: undefined });
          }}
        />
      )}
      <SchemaFields
        form={widgetForm(
          command ? parts.filter((part) => part !== "method" && part !== "params") : parts,
          sharedMetadata(devices, selected[0] ?? ""),
        )}
        values={config}
        onChange={(after) => {
          if (commands.length > 0) setOther(command === undefined); // typed fields stay while their text becomes a described command
          onChange({ ...without(config), ...(after as WidgetConfig) }); // values of JSON
        }}
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
      {(parts.includes("key") || parts.includes("symbols")) && (
        <datalist id="widget-keys">
          {choices.map(({ key, name, unit }) => (
            <option key={key} value={key} label={columnName(name, unit)} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** Selection of keys: those of the devices by name or key, and any other by its key. */
function KeysField(
  props: Pick<Props, "onChange"> & { selected: readonly string[]; choices: readonly KeyChoice[] },
) {
  const { selected, onChange } = props;
  const [typed, setTyped] = useState("");
  const found = matching(props.choices, typed);
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
        maxLength={KEY_BYTES_MAX}
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

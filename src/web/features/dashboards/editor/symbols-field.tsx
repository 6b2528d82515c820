import { useRef, useState } from "preact/hooks";
import { WIDGET_CHARACTERS_MAX } from "../../../../lib/console/form-limits.ts";
import {
  SYMBOL_GROUPS,
  SYMBOL_ROTATIONS,
  type SymbolGroup,
  type SymbolId,
} from "../../../../lib/console/synoptic-symbols.ts";
import { WIDGET_KEYS_MAX, widgetKeys } from "../../../../lib/console/widget-keys.ts";
import { KEY_BYTES_MAX } from "../../../../lib/keys/key-metadata.ts";
import type { ObjectSchema } from "../../../lib/form-schema.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { darkNow } from "../../../platform/preferences.ts";
import { redrawOn } from "../../../platform/redraw-on.ts";
import type { FormDefinition } from "../../../ui/form/form-definition.ts";
import { SchemaFields } from "../../../ui/form/schema-fields.tsx";
import { SelectField } from "../../../ui/form/select-field.tsx";
import { Movable } from "../board/movable.tsx";
import type { ResolvedDevice, WidgetConfig } from "../dashboards-api.ts";
import { Plan } from "../widgets/plan.tsx";
import { SymbolDrawing } from "../widgets/symbol-drawing.tsx";
import { type PlacedSymbol, shapeOf, symbolsOf, viewOf } from "../widgets/symbols.ts";
import { SYNOPTIC_RATIO, SymbolWithText, symbolBox } from "../widgets/synoptic-widget.tsx";
import { scrolling } from "../widgets/values.ts";
import type { WidgetProps } from "../widgets/widget.types.ts";

const schema: ObjectSchema = {
  fields: {
    key: { kind: "text", maxLength: KEY_BYTES_MAX },
    label: { kind: "text", maxLength: WIDGET_CHARACTERS_MAX.symbol },
    size: { kind: "number", minimum: 0.01, maximum: 1, isRequired: true },
    rotation: { kind: "choice", options: SYMBOL_ROTATIONS, default: 0 },
    min: { kind: "number" },
    max: { kind: "number" },
  },
};

/** Returns the form of a symbol. A vessel has a scale. */
export const symbolForm = (isVessel: boolean): FormDefinition => ({
  schema,
  texts: ["symbol", "widget"],
  fields: [
    [{ path: "key", input: { list: "widget-keys" } }, "label"],
    [
      { path: "size", scale: 100 },
      { path: "rotation", optionText: (degrees) => `${degrees}°` },
    ],
    ...(isVessel ? [["min", "max"] as const] : []),
  ],
});

const groups = Object.keys(SYMBOL_GROUPS) as SymbolGroup[]; // its own names
const nameOf = (symbol: string) => t(`symbol.${symbol as SymbolId}`);

interface Props extends WidgetProps {
  /** Devices that a symbol can show. */
  readonly devices: readonly ResolvedDevice[];
  readonly onChange: (changes: WidgetConfig) => void;
}

/** Field for the symbols of a synoptic: added from a palette, moved by dragging, each with its value. */
export function SymbolsField({ onChange, devices, ...props }: Props) {
  const { widget, feed } = props;
  redrawOn(feed.version);
  const plan = useRef<HTMLDivElement>(null);
  const symbols = symbolsOf(widget);
  const [index, select] = useState<number | undefined>(undefined);
  const put = (all: readonly PlacedSymbol[]) =>
    onChange({ symbols: all.length === 0 ? undefined : all.map((symbol) => ({ ...symbol })) });
  const replace = (position: number, placed: PlacedSymbol) => put(symbols.with(position, placed));
  const remove = (position: number) => {
    // The focus is then on the next symbol.
    select(position < symbols.length - 1 ? position : undefined);
    put(symbols.filter((_, i) => i !== position));
  };
  const add = (symbol: SymbolId) => {
    const { size = 0.1, deviceId } = symbols.at(-1) ?? {};
    select(symbols.length);
    put([
      ...symbols,
      { symbol, x: 0.5, y: 0.5, size, rotation: 0, ...(deviceId !== undefined && { deviceId }) },
    ]);
  };
  const selected = index === undefined ? undefined : symbols[index];
  return (
    <div class="flex flex-col gap-3">
      <div class="h-96 max-sm:h-64" data-testid="symbols">
        <Plan widget={widget} alt="" surface={plan} ratio={SYNOPTIC_RATIO}>
          {symbols.map((placed, position) => {
            const view = viewOf(props, placed, darkNow.value);
            const name = [placed.label ?? nameOf(placed.symbol), view.text].join(" ").trim();
            return (
              <Movable
                key={position}
                plan={plan}
                x={placed.x}
                y={placed.y}
                label={t("widget.place", { name })}
                aria-pressed={position === index}
                class={
                  position === index
                    ? "outline-2 outline-primary"
                    : "hover:outline-1 hover:outline-base-content/30"
                }
                style={{ width: symbolBox(placed).width, aspectRatio: "1" }}
                onSelect={() => select(position)}
                onMove={(x, y) => replace(position, { ...placed, x, y })}
                onRemove={() => remove(position)}
              >
                <SymbolWithText placed={placed} view={view} place="cell" />
              </Movable>
            );
          })}
        </Plan>
      </div>
      <span class="text-sm text-soft">{t("widget.symbolsHint")}</span>
      {widgetKeys(widget.config).length > WIDGET_KEYS_MAX && (
        <p role="alert" class="text-sm text-error">
          {t("widget.symbolKeys", { max: WIDGET_KEYS_MAX })}
        </p>
      )}
      <div class="grid items-start gap-6 lg:grid-cols-2">
        <Palette onSelect={add} />
        {selected && index !== undefined && (
          <Selected
            placed={selected}
            devices={devices}
            onChange={(changed) => replace(index, changed)}
            onRemove={() => remove(index)}
          />
        )}
      </div>
    </div>
  );
}

function Selected(props: {
  placed: PlacedSymbol;
  devices: readonly ResolvedDevice[];
  onChange: (placed: PlacedSymbol) => void;
  onRemove: () => void;
}) {
  const { placed, devices, onChange, onRemove } = props;
  const { deviceId: _, ...ofFirst } = placed;
  const isVessel = shapeOf(placed.symbol).level !== undefined;
  return (
    <div class="flex flex-col gap-4 rounded-field border border-base-300 p-3" data-testid="symbol">
      <div class="flex items-center justify-between gap-2">
        <span class="font-medium">{nameOf(placed.symbol)}</span>
        <button type="button" class="btn btn-ghost btn-xs" onClick={onRemove}>
          {t("board.remove", { name: nameOf(placed.symbol) })}
        </button>
      </div>
      <SelectField
        label={t("widget.device")}
        value={placed.deviceId ?? ""}
        options={devices.map(({ deviceId, name }) => [deviceId, name] as const)}
        none={t("symbol.firstDevice")}
        onSelect={(deviceId) => onChange({ ...placed, deviceId })}
        onNone={() => onChange(ofFirst)}
      />
      <SchemaFields
        form={symbolForm(isVessel)}
        values={{ ...placed }}
        onChange={(values) => onChange(values as unknown as PlacedSymbol)} // of the schema
      />
    </div>
  );
}

function Palette({ onSelect }: { onSelect: (symbol: SymbolId) => void }) {
  return (
    <div
      class="flex max-h-64 flex-col gap-2 overflow-y-auto rounded-field border border-base-300 p-3"
      {...scrolling}
    >
      {groups.map((group) => (
        <section key={group}>
          <h4 class="mb-1 text-xs text-soft">{t(`symbolGroup.${group}`)}</h4>
          <ul class="flex flex-wrap gap-1">
            {SYMBOL_GROUPS[group].map((symbol) => (
              <li key={symbol}>
                <button
                  type="button"
                  class="btn btn-ghost size-11 p-1.5"
                  title={nameOf(symbol)}
                  aria-label={t("symbol.add", { name: nameOf(symbol) })}
                  onClick={() => onSelect(symbol)}
                >
                  <SymbolDrawing symbol={symbol} />
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

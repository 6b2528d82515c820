import { t } from "../../../platform/i18n/i18n.ts";
import { darkNow } from "../../../platform/preferences.ts";
import { redrawOn } from "../../../platform/redraw-on.ts";
import { levelClass } from "../../../ui/state/severity-colors.ts";
import { SeverityMark } from "../../../ui/state/severity-mark.tsx";
import { stateText } from "../../../ui/state/state-lamp.tsx";
import { Drill } from "./drill.tsx";
import { Plan } from "./plan.tsx";
import { SymbolDrawing } from "./symbol-drawing.tsx";
import { type PlacedSymbol, type SymbolView, symbolsOf, viewOf } from "./symbols.ts";
import type { WidgetPlace, WidgetProps } from "./widget.types.ts";

/** Drawing of a plant whose symbols fill, turn and change color with the values of devices. */
export function SynopticWidget(props: WidgetProps) {
  const { widget, feed, place = "cell" } = props;
  redrawOn(feed.version);
  const items = symbolsOf(widget).map((placed) => ({
    placed,
    view: viewOf(props, placed, darkNow.value),
    place,
  }));
  const isStacked = place === "stack";
  return (
    <div class="h-full min-h-0" data-testid="synoptic">
      <Plan
        widget={widget}
        alt={widget.name || t("widget.synoptic")}
        ratio={SYNOPTIC_RATIO}
        isWide={isStacked}
      >
        {items.length === 0 && <p class="p-4 text-soft">{t("widget.noSymbols")}</p>}
        <ul>
          {items.map((item, index) => (
            <li key={index} class="absolute" style={symbolBox(item.placed)}>
              <Item {...item} />
            </li>
          ))}
        </ul>
      </Plan>
      {isStacked && <Readings items={items} />}
    </div>
  );
}

/** Values of the symbols as a list, because a phone has no space beside them. */
function Readings({ items }: { items: readonly ItemProps[] }) {
  return (
    <dl class="mt-2 grid grid-cols-2 gap-x-3 gap-y-1 text-sm">
      {items
        .filter(({ view }) => view.text !== undefined)
        .map(({ placed, view }, index) => (
          <div key={index} class="min-w-0">
            <dt class="truncate text-soft">{placed.label ?? view.device?.name}</dt>
            <dd class={`reading font-medium ${levelClass(view.level, "text")}`}>{view.text}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Aspect ratio of a drawing without a picture. */
export const SYNOPTIC_RATIO = 16 / 9;

/** Returns the style for the position of a symbol. */
export const symbolBox = ({ x, y, size }: PlacedSymbol) => ({
  left: `${x * 100}%`,
  top: `${y * 100}%`,
  width: `${size * 100}%`,
  aspectRatio: "1",
  transform: "translate(-50%, -50%)",
});

const sizes: Readonly<Record<WidgetPlace, string>> = { cell: "text-sm", stack: "sr-only", wall: "text-lg" };

interface ItemProps {
  readonly placed: PlacedSymbol;
  readonly view: SymbolView;
  readonly place: WidgetPlace;
}

/** A symbol with the text below it. */
export function SymbolWithText({ placed, view, place }: ItemProps) {
  const { symbol, rotation, label } = placed;
  const { device, text, level } = view;
  const isSilent = device?.state === "INACTIVE";
  return (
    <>
      <SymbolDrawing symbol={symbol} look={view} rotation={rotation} isSilent={isSilent} />
      {device?.alarmSeverity !== undefined && (
        <span class="absolute top-0 right-0">
          <SeverityMark severity={device.alarmSeverity} />
        </span>
      )}
      <span
        class={`absolute top-full left-1/2 -translate-x-1/2 text-center leading-tight whitespace-nowrap ${sizes[place]}`}
      >
        {label !== undefined && <span class="block text-soft">{label} </span>}
        {text !== undefined && (
          <span class={`reading block font-semibold ${levelClass(level, "text")}`}>{text}</span>
        )}
      </span>
    </>
  );
}

function Item(props: ItemProps) {
  const { device } = props.view;
  const inner = <SymbolWithText {...props} />;
  if (device === undefined) return <span class="block size-full">{inner}</span>;
  const state = stateText({ state: device.state, severity: device.alarmSeverity });
  return (
    <Drill class="block size-full" href={`/devices/${device.deviceId}`} title={`${device.name}: ${state}`}>
      {inner}
      <span class="sr-only">
        {device.name}, {state}
      </span>
    </Drill>
  );
}

import { SYMBOL_ROTATIONS, type SymbolId } from "../../../../lib/console/synoptic-symbols.ts";
import { symbolEntries } from "../../../../lib/console/widget-keys.ts";
import { stateOf } from "../../../../lib/keys/key-format.ts";
import { type KeyMetadata, type LimitLevel, limitLevel } from "../../../../lib/keys/key-metadata.ts";
import type { TelemetryValue } from "../../../lib/api-types.ts";
import { stateColor } from "../../../lib/state-colors.ts";
import { formatReading } from "../../../platform/i18n/format.ts";
import { metadataOf } from "../../../platform/key-metadata.ts";
import { meaningOf } from "../../../ui/state/state-appearances.ts";
import type { ResolvedDevice, Widget } from "../dashboards-api.ts";
import { type SymbolShape, symbolShapes, UNKNOWN_SHAPE } from "./symbol-shapes.ts";
import { newestOf } from "./values.ts";
import type { WidgetProps } from "./widget.types.ts";

/** Symbol on the drawing. x, y and size are shares of its width, height and width. */
export interface PlacedSymbol {
  readonly symbol: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly rotation: number;
  readonly deviceId?: string;
  readonly key?: string;
  readonly label?: string;
  readonly min?: number;
  readonly max?: number;
}

const SIZE_DEFAULT = 0.1;

const textIn = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
const numberIn = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
const shareIn = (value: unknown, otherwise: number) => Math.min(Math.max(numberIn(value) ?? otherwise, 0), 1);

/** Returns the symbols of a widget, completed with defaults. */
export function symbolsOf({ config }: Pick<Widget, "config">): PlacedSymbol[] {
  return symbolEntries(config).map((input) => {
    const { deviceId, key, label } = {
      deviceId: textIn(input.deviceId),
      key: textIn(input.key),
      label: textIn(input.label),
    };
    const [min, max] = [numberIn(input.min), numberIn(input.max)];
    return {
      symbol: textIn(input.symbol) ?? "",
      x: shareIn(input.x, 0.5),
      y: shareIn(input.y, 0.5),
      size: shareIn(input.size, SIZE_DEFAULT),
      rotation: SYMBOL_ROTATIONS.find((degrees) => degrees === input.rotation) ?? 0,
      ...(deviceId !== undefined && { deviceId }),
      ...(key !== undefined && { key }),
      ...(label !== undefined && { label }),
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
    };
  });
}

export const shapeOf = (symbol: string): SymbolShape =>
  Object.hasOwn(symbolShapes, symbol) ? symbolShapes[symbol as SymbolId] : UNKNOWN_SHAPE; // just checked

/** Appearance of a symbol. */
export interface SymbolLook {
  readonly isOn: boolean;
  /** Fill level from 0 to 1; undefined without a number. */
  readonly share: number | undefined;
  readonly level: LimitLevel;
  /** Color of the state; undefined without one. */
  readonly color: string | undefined;
}

/**
 * Returns whether a device with this value runs, is switched on or is open: its state has such a name, or the value is true or a number other than
 * 0.
 */
export function isOn(value: TelemetryValue | undefined, stateName?: string): boolean {
  const name = stateName ?? (typeof value === "string" ? value : undefined);
  const meaning = name === undefined ? undefined : meaningOf(name);
  if (meaning !== undefined) return meaning === "on";
  return typeof value === "number" ? value !== 0 : value === true;
}

/** Returns the level of a value by its limits, otherwise by the meaning of its state. */
function levelOfState(value: TelemetryValue | undefined, metadata: KeyMetadata | undefined): LimitLevel {
  const level = limitLevel(value, metadata?.limits);
  const name = stateOf(value, metadata)?.name ?? (typeof value === "string" ? value : undefined);
  if (level !== "normal" || name === undefined) return level;
  const meaning = meaningOf(name);
  return meaning === "fault" ? "critical" : meaning === "warning" ? "warning" : "normal";
}

const SCALE_DEFAULT = { min: 0, max: 100 };

export interface SymbolView extends SymbolLook {
  /** Undefined if the symbol refers to no device of the widget. */
  readonly device: ResolvedDevice | undefined;
  /** Value with unit; undefined for a symbol without one. */
  readonly text: string | undefined;
}

/** Returns appearance and text of a symbol. */
export function viewOf(props: WidgetProps, placed: PlacedSymbol, isDark: boolean): SymbolView {
  const { deviceId, key, min = SCALE_DEFAULT.min, max = SCALE_DEFAULT.max } = placed;
  const { devices } = props.feed;
  const device = deviceId === undefined ? devices[0] : devices.find((found) => found.deviceId === deviceId);
  const nothing = { isOn: false, share: undefined, level: "normal", color: undefined } as const;
  if (key === undefined)
    return { ...nothing, device: deviceId === undefined ? undefined : device, text: undefined };
  if (device === undefined) return { ...nothing, device, text: formatReading(undefined) };
  const metadata = metadataOf(device.deviceId, key);
  const { value } = newestOf(props, device.deviceId, key);
  const state = stateOf(value, metadata);
  return {
    device,
    text: formatReading(value, metadata),
    isOn: isOn(value, state?.name),
    share:
      typeof value === "number" && max > min
        ? Math.min(Math.max((value - min) / (max - min), 0), 1)
        : undefined,
    level: levelOfState(value, metadata),
    color: state?.color && stateColor(state.color, isDark),
  };
}

// Columns of the device list beside the state and the name, as each user selects them. The browser keeps the selection.
import { signal } from "@preact/signals";
import type { TelemetryValue } from "../../lib/api-types.ts";
import { readStored, writeStored } from "../../platform/preferences.ts";
import { redrawOn } from "../../platform/redraw-on.ts";
import { me } from "../../platform/session.ts";

/** `key:` and the name of a telemetry key, or a fixed column. */
export type ColumnId = FixedColumn | `key:${string}`;

interface ColumnShape {
  /** Sort field of the server. */
  readonly sort?: string;
  readonly widthRem: number;
  /** Share of the remaining width. */
  readonly share: number;
  readonly isRight?: true;
}

export const fixedColumns = {
  type: { sort: "deviceType", widthRem: 6, share: 1 },
  tags: { widthRem: 6, share: 1 },
  profile: { widthRem: 8, share: 1 },
  gateway: { widthRem: 8, share: 1 },
  battery: { widthRem: 6, share: 0.5, isRight: true },
  rssi: { widthRem: 6, share: 0.5, isRight: true },
  lastMessage: { sort: "lastActivityAt", widthRem: 8.5, share: 0, isRight: true },
} as const satisfies Record<string, ColumnShape>;

export type FixedColumn = keyof typeof fixedColumns;
export const FIXED_COLUMNS = Object.keys(fixedColumns) as FixedColumn[]; // of the table above
const KEY_COLUMN: Omit<ColumnShape, "sort"> = { widthRem: 7, share: 0.7, isRight: true };
export const DEFAULT_COLUMNS: readonly ColumnId[] = ["type", "tags", "lastMessage"];
export const COLUMNS_MAX = 12;

const isFixed = (id: string): id is FixedColumn => Object.hasOwn(fixedColumns, id);
export const keyOfColumn = (id: ColumnId): string | undefined =>
  id.startsWith("key:") ? id.slice(4) : undefined;
export const shapeOf = (id: ColumnId): ColumnShape =>
  isFixed(id) ? fixedColumns[id] : { ...KEY_COLUMN, sort: id };

const SELECT_REM = 1.5;
/** Width of a word. A child alarm of a gateway also shows the name of the child, if there is space. */
const STATE_REM = 6.5;
const STATE_REM_MAX = 12;
const NAME_REM = 10;
const GAP_REM = 1;

/** Returns the columns of the grid and its min. width, below which it scrolls. */
export function gridOf(
  columns: readonly ColumnId[],
  canSelect: boolean,
): { tracks: string; minWidth: string } {
  const shapes = columns.map(shapeOf);
  const tracks = shapes.map(({ widthRem, share }) =>
    share === 0 ? `${widthRem}rem` : `minmax(${widthRem}rem, ${share}fr)`,
  );
  const first = canSelect ? [SELECT_REM, STATE_REM] : [STATE_REM];
  const widths = [...first, NAME_REM, ...shapes.map(({ widthRem }) => widthRem)];
  const total = widths.reduce((sum, width) => sum + width + GAP_REM, GAP_REM);
  return {
    tracks: [
      ...(canSelect ? [`${SELECT_REM}rem`] : []),
      `minmax(${STATE_REM}rem, ${STATE_REM_MAX}rem)`,
      `minmax(${NAME_REM}rem, 2fr)`,
      ...tracks,
    ].join(" "),
    minWidth: `${total}rem`,
  };
}

/** Names of the same key by different manufacturers, most usual first. */
const aliases = {
  battery: /^(battery|batt?)(_?(level|percent|percentage|soc|v|voltage))?$|^vbat$/i,
  rssi: /^(radio_|wifi_|lora_)?rssi$/i,
};

/** Returns the key of a device for a column, and its newest value. */
export function readingOf(
  id: ColumnId,
  values: ReadonlyMap<string, TelemetryValue> | undefined,
): { key: string; value: TelemetryValue } | undefined {
  if (values === undefined) return undefined;
  const ownKey = keyOfColumn(id);
  const pattern = id === "battery" || id === "rssi" ? aliases[id] : undefined;
  const key = ownKey ?? [...values.keys()].sort().find((name) => pattern?.test(name));
  const value = key === undefined ? undefined : values.get(key);
  return key === undefined || value === undefined ? undefined : { key, value };
}

const storageKey = () => `lineside.device-columns.${me.peek()?.userId ?? ""}`;
const isColumn = (id: unknown): id is ColumnId =>
  typeof id === "string" && (isFixed(id) || (id.startsWith("key:") && id.length > 4));

function storedColumns(): readonly ColumnId[] {
  try {
    const stored: unknown = JSON.parse(readStored(storageKey()) ?? "");
    return Array.isArray(stored)
      ? [...new Set(stored.filter(isColumn))].slice(0, COLUMNS_MAX)
      : DEFAULT_COLUMNS;
  } catch {
    return DEFAULT_COLUMNS;
  }
}

/** Increases when the selection changes. */
const version = signal(0);

export function selectedColumns(): readonly ColumnId[] {
  redrawOn(version);
  return storedColumns();
}

/** Undefined for the default columns. */
export function selectColumns(columns: readonly ColumnId[] | undefined): void {
  writeStored(storageKey(), columns && JSON.stringify(columns));
  version.value++;
}

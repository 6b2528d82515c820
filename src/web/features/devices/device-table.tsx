// biome-ignore-all lint/a11y/useSemanticElements: a table that renders only the rows in view cannot be a <table>
// biome-ignore-all lint/a11y/useFocusableInteractive: its rows are read, not operated; what is operated in them is a link
import { ArrowDown, ArrowUp, Router } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { GATEWAY_DEVICE_TYPE } from "../../../lib/devices/gateway-device.ts";
import type { DeviceRow } from "../../lib/api-types.ts";
import { formatCount, formatReading, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { metadataOf } from "../../platform/key-metadata.ts";
import { now } from "../../platform/now.ts";
import { redrawOn } from "../../platform/redraw-on.ts";
import { Age } from "../../ui/state/age.tsx";
import { alarmText, DeviceState } from "../alarms/device-state.tsx";
import {
  type ColumnId,
  type FixedColumn,
  gridOf,
  keyOfColumn,
  readingOf,
  shapeOf,
} from "./device-columns.ts";
import type { DeviceSelection } from "./device-selection.ts";
import type { LiveDevice } from "./use-device-rows.ts";

/** Columns of the table. A phone shows only state, name and age; a wider screen shows the selected columns. */
const GRID = "grid gap-x-4 px-4 sm:min-w-(--table-width) sm:grid-cols-(--table-columns)";
const PHONE_GRID = "max-sm:grid-cols-[1.5rem_minmax(0,1fr)_auto]";
const PHONE_SELECT_GRID = "max-sm:grid-cols-[1.5rem_1.5rem_minmax(0,1fr)_auto]";

/** Columns, selection and names shared by the head and all rows. */
export interface TableLayout {
  readonly columns: readonly ColumnId[];
  /** Undefined if the user may not change devices. */
  readonly selection: DeviceSelection | undefined;
  /** Displayed names: of profiles and gateways by id, of keys by column. */
  readonly names: ReadonlyMap<string, string>;
}

function rowOf({ columns, selection }: TableLayout, className = "") {
  const { tracks, minWidth } = gridOf(columns, selection !== undefined);
  return {
    class: `${GRID} ${selection ? PHONE_SELECT_GRID : PHONE_GRID} items-center ${className}`,
    style: { "--table-columns": tracks, "--table-width": minWidth } as Record<string, string>,
  };
}

/** Returns the height of a row: two lines of text on a phone, otherwise one. */
export function useRowHeight(): number {
  const wide = matchMedia("(min-width: 40rem)");
  const [height, setHeight] = useState(wide.matches ? 44 : 60);
  useEffect(() => {
    const change = () => setHeight(wide.matches ? 44 : 60);
    wide.addEventListener("change", change);
    return () => wide.removeEventListener("change", change);
  }, []);
  return height;
}

function SortHead(props: {
  field: string;
  text: string;
  sort: string;
  onSort: (sort: string) => void;
  className?: string;
}) {
  const up = props.sort === props.field;
  const down = props.sort === `-${props.field}`;
  return (
    <span
      role="columnheader"
      aria-sort={up ? "ascending" : down ? "descending" : "none"}
      class={props.className}
    >
      <button
        type="button"
        class="panel-label inline-flex cursor-pointer items-center gap-1 py-2 hover:text-base-content"
        onClick={() => props.onSort(up ? `-${props.field}` : props.field)}
      >
        {props.text}
        {up && <ArrowUp size={12} aria-hidden="true" />}
        {down && <ArrowDown size={12} aria-hidden="true" />}
      </button>
    </span>
  );
}

interface HeaderProps {
  readonly layout: TableLayout;
  readonly total: number;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

function columnText(id: ColumnId, names: ReadonlyMap<string, string>): string {
  return names.get(id) ?? keyOfColumn(id) ?? t(`column.${id as FixedColumn}`); // all others are keys
}

export function DeviceHeader({ layout, total, sort, onSort }: HeaderProps) {
  const { columns, selection } = layout;
  return (
    <div role="rowgroup" class="sticky top-0 z-10">
      <div role="row" aria-rowindex={1} {...rowOf(layout, "border-b border-base-300 bg-base-100")}>
        {selection && <SelectAll selection={selection} total={total} />}
        <SortHead
          field="state"
          text={t("common.state")}
          sort={sort}
          onSort={onSort}
          className="max-sm:[&>button]:sr-only"
        />
        <SortHead field="name" text={t("common.name")} sort={sort} onSort={onSort} />
        {columns.map((id) => {
          const { sort: field, isRight } = shapeOf(id);
          const className = `truncate ${isRight ? "text-right" : ""} ${id === "lastMessage" ? "" : "max-sm:hidden"}`;
          const text = columnText(id, layout.names);
          return field === undefined ? (
            <span key={id} role="columnheader" class={`panel-label ${className}`} title={text}>
              {text}
            </span>
          ) : (
            <SortHead key={id} field={field} text={text} sort={sort} onSort={onSort} className={className} />
          );
        })}
      </div>
    </div>
  );
}

function SelectAll({ selection, total }: { selection: DeviceSelection; total: number }) {
  const isAll = total > 0 && selection.size >= total;
  return (
    <span role="columnheader" class="flex">
      <input
        type="checkbox"
        class="checkbox checkbox-sm"
        aria-label={t("selection.all", { count: formatCount(total) })}
        checked={isAll}
        indeterminate={selection.size > 0 && !isAll}
        disabled={selection.isBusy || total === 0}
        onChange={() => (isAll ? selection.clear() : selection.selectAll())}
      />
    </span>
  );
}

interface LineProps {
  readonly index: number;
  readonly row: DeviceRow | undefined;
  readonly layout: TableLayout;
  /** Live values and activity of the devices in view, by id. */
  readonly live: ReadonlyMap<string, LiveDevice>;
  readonly height: number;
}

export function DeviceLine({ index, row, layout, live, height }: LineProps) {
  if (!row) return <LoadingLine index={index} height={height} />;
  // The live values arrive in a map that stays the same object; the clock brings them in once a second.
  redrawOn(now);
  const { selection, columns } = layout;
  const isSelected = selection?.has(row.deviceId) === true;
  const { class: className, style } = rowOf(
    layout,
    `relative border-b border-base-300/60 hover:bg-base-200 ${isSelected ? "bg-base-200" : ""}`,
  );
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selection && isSelected}
      class={className}
      style={{ ...style, height: `${height}px` }}
    >
      {selection && (
        <span role="cell" class="relative z-1 flex">
          <input
            type="checkbox"
            class="checkbox checkbox-sm"
            aria-label={t("selection.row", { name: row.name })}
            checked={isSelected}
            onClick={(e) => selection.toggle(index, e.shiftKey)}
          />
        </span>
      )}
      <span role="cell" class="flex min-w-0 max-sm:[&_.text-sm]:sr-only">
        <DeviceState deviceId={row.deviceId} state={row.state} />
      </span>
      <NameCell row={row} />
      {columns.map((id) => (
        <DeviceCell key={id} id={id} row={row} live={live.get(row.deviceId)} names={layout.names} />
      ))}
    </div>
  );
}

const LoadingLine = ({ index, height }: { index: number; height: number }) => (
  <div
    role="row"
    aria-rowindex={index + 2}
    class="flex items-center border-b border-base-300/60 px-4"
    style={{ height: `${height}px` }}
  >
    <span role="cell" class="h-3 w-48 max-w-full animate-pulse rounded bg-base-300">
      <span class="sr-only">{t("common.loading")}</span>
    </span>
  </div>
);

function NameCell({ row }: { row: DeviceRow }) {
  // A phone shows the state as a mark with words for screen readers only; the name has room for the words.
  const alarm = alarmText(row.deviceId);
  return (
    <span role="cell" class="min-w-0">
      <a
        href={`/devices/${row.deviceId}`}
        class="flex min-w-0 items-center gap-2 font-medium after:absolute after:inset-0"
      >
        {/* Short of room, the name is cut last. */}
        <span
          class={`flex-none truncate ${row.label || row.role === "GATEWAY" ? "max-w-4/5" : "max-w-full"}`}
        >
          {row.name}
        </span>
        {row.role === "GATEWAY" && (
          <Router size={14} class="flex-none text-soft" aria-label={t("common.gateway")} />
        )}
        {row.deviceType === GATEWAY_DEVICE_TYPE && (
          <span class="badge badge-sm min-w-0 justify-start font-normal">
            <span class="truncate">{t("state.ownDevice")}</span>
          </span>
        )}
        {row.label && <span class="truncate font-normal text-soft max-sm:hidden">{row.label}</span>}
      </a>
      <span class="block truncate text-sm text-soft sm:hidden">
        {alarm && <span aria-hidden="true">{alarm} · </span>}
        {row.label || row.deviceType}
      </span>
    </span>
  );
}

interface Props {
  readonly id: ColumnId;
  readonly row: DeviceRow;
  readonly live: LiveDevice | undefined;
  readonly names: ReadonlyMap<string, string>;
}

const TextCell = ({ text }: { text: string }) => (
  <span role="cell" class="truncate text-sm max-sm:hidden" title={text}>
    {text}
  </span>
);

function DeviceCell({ id, row, live, names }: Props) {
  switch (id) {
    case "type":
      return <TextCell text={row.deviceType} />;
    case "profile":
      return <TextCell text={names.get(row.profileId) ?? ""} />;
    case "gateway":
      return <TextCell text={names.get(row.parentDeviceId ?? "") ?? ""} />;
    case "tags":
      return <TagsCell tags={row.tags} />;
    case "lastMessage":
      return (
        <span role="cell" class="reading text-right text-sm text-soft">
          <Age ts={Math.max(live?.ts ?? 0, toMs(row.lastActivityAt) ?? 0) || undefined} />
        </span>
      );
    default:
      return <ValueCell id={id} deviceId={row.deviceId} live={live} />;
  }
}

const TagsCell = ({ tags }: { tags: readonly string[] }) => (
  <span role="cell" class="truncate max-sm:hidden" title={tags.join(", ")}>
    {tags.map((tag) => (
      <a
        key={tag}
        href={`/devices?tag=${encodeURIComponent(tag)}`}
        class="badge badge-sm relative z-1 mr-1 border-base-300 bg-base-200 hover:border-primary"
      >
        {tag}
      </a>
    ))}
  </span>
);

function ValueCell({ id, deviceId, live }: { id: ColumnId; deviceId: string; live: LiveDevice | undefined }) {
  const reading = readingOf(id, live?.values);
  const text = reading ? formatReading(reading.value, metadataOf(deviceId, reading.key)) : "–";
  return (
    <span role="cell" class="reading truncate text-right text-sm max-sm:hidden" title={text}>
      {text}
    </span>
  );
}

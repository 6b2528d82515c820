// biome-ignore-all lint/a11y/useSemanticElements: a table of which only the rows in view exist cannot be a <table>
// biome-ignore-all lint/a11y/useFocusableInteractive: its rows are read, not operated; what is operated in them is a link
import { ArrowDown, ArrowUp, Router } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import type { DeviceRow } from "../../lib/api-types.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { now } from "../../platform/now.ts";
import { Age } from "../../ui/age.tsx";
import { DeviceState } from "../alarms/device-state.tsx";

const COLUMNS =
  "grid grid-cols-[1.5rem_minmax(0,1fr)_auto] gap-x-4 px-4 sm:grid-cols-[6.5rem_minmax(0,2fr)_minmax(0,1fr)_minmax(0,1fr)_8rem]";

/** Two lines of text on a phone, one on anything wider. */
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

export function DeviceHeader({ sort, onSort }: { sort: string; onSort: (sort: string) => void }) {
  return (
    <div role="rowgroup" class="sticky top-0 z-10 border-b border-base-300 bg-base-100">
      <div role="row" aria-rowindex={1} class={`${COLUMNS} items-center`}>
        <span role="columnheader" class="panel-label">
          <span class="max-sm:sr-only">{t("device.state")}</span>
        </span>
        <SortHead field="name" text={t("device.name")} sort={sort} onSort={onSort} />
        <SortHead
          field="deviceType"
          text={t("device.type")}
          sort={sort}
          onSort={onSort}
          className="max-sm:hidden"
        />
        <span role="columnheader" class="panel-label max-sm:hidden">
          {t("device.tags")}
        </span>
        <SortHead
          field="lastActivityAt"
          text={t("device.lastMessage")}
          sort={sort}
          onSort={onSort}
          className="text-right"
        />
      </div>
    </div>
  );
}

interface LineProps {
  readonly index: number;
  readonly row: DeviceRow | undefined;
  readonly seen: ReadonlyMap<string, number>;
  readonly height: number;
}

export function DeviceLine({ index, row, seen, height }: LineProps) {
  const style = { height: `${height}px` };
  if (!row) {
    return (
      <div
        role="row"
        aria-rowindex={index + 2}
        class="flex items-center border-b border-base-300/60 px-4"
        style={style}
      >
        <span role="cell" class="h-3 w-48 max-w-full animate-pulse rounded bg-base-300">
          <span class="sr-only">{t("common.loading")}</span>
        </span>
      </div>
    );
  }
  // The live time stamps arrive in a map that stays the same object; the clock brings them in once a second.
  void now.value;
  const last = Math.max(seen.get(row.deviceId) ?? 0, toMs(row.lastActivityAt) ?? 0) || undefined;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      class={`${COLUMNS} relative items-center border-b border-base-300/60 hover:bg-base-200`}
      style={style}
    >
      <span role="cell" class="max-sm:[&_.text-sm]:sr-only">
        <DeviceState deviceId={row.deviceId} active={row.active} />
      </span>
      <span role="cell" class="min-w-0">
        <a
          href={`/devices/${row.deviceId}`}
          class="flex min-w-0 items-center gap-2 font-medium after:absolute after:inset-0"
        >
          <span class="truncate">{row.name}</span>
          {row.role === "GATEWAY" && (
            <Router size={14} class="flex-none text-soft" aria-label={t("device.gateway")} />
          )}
          {row.label && <span class="truncate font-normal text-soft max-sm:hidden">{row.label}</span>}
        </a>
        <span class="block truncate text-sm text-soft sm:hidden">{row.label || row.deviceType}</span>
      </span>
      <span role="cell" class="truncate text-sm max-sm:hidden">
        {row.deviceType}
      </span>
      <span role="cell" class="flex min-w-0 gap-1 overflow-hidden max-sm:hidden">
        {row.tags?.map((tag) => (
          <a
            key={tag}
            href={`/devices?tag=${encodeURIComponent(tag)}`}
            class="badge badge-sm relative z-1 border-base-300 bg-base-200 hover:border-primary"
          >
            {tag}
          </a>
        ))}
      </span>
      <span role="cell" class="reading text-right text-sm text-soft">
        <Age ts={last} />
      </span>
    </div>
  );
}

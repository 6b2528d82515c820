// biome-ignore-all lint/a11y/useSemanticElements: a table that renders only the rows in view cannot be a <table>
// biome-ignore-all lint/a11y/useFocusableInteractive: its rows are read, not operated; what is operated in them is a link
import { Unlink } from "lucide-preact";
import type { DeviceRow } from "../../lib/api-types.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { now } from "../../platform/now.ts";
import { redrawOn } from "../../platform/redraw-on.ts";
import { mayWrite } from "../../platform/session.ts";
import { Age } from "../../ui/state/age.tsx";
import { DeviceState } from "../alarms/device-state.tsx";
import type { LiveDevice } from "../devices/use-device-rows.ts";

const COLUMNS =
  "grid grid-cols-[1.5rem_minmax(0,1fr)_auto_2.5rem] gap-x-4 px-4 sm:grid-cols-[6.5rem_minmax(0,2fr)_minmax(0,1fr)_8rem_2.5rem]";

export function ChildHeader() {
  return (
    <div role="rowgroup" class="sticky top-0 z-10 border-b border-base-300 bg-base-100">
      <div role="row" aria-rowindex={1} class={`${COLUMNS} items-center py-2`}>
        <span role="columnheader" class="panel-label">
          <span class="max-sm:sr-only">{t("common.state")}</span>
        </span>
        <span role="columnheader" class="panel-label">
          {t("common.name")}
        </span>
        <span role="columnheader" class="panel-label max-sm:hidden">
          {t("field.device.childName")}
        </span>
        <span role="columnheader" class="panel-label text-right">
          {t("device.lastMessage")}
        </span>
        <span role="columnheader" class="sr-only">
          {t("children.detach")}
        </span>
      </div>
    </div>
  );
}

interface LineProps {
  readonly index: number;
  readonly row: DeviceRow | undefined;
  readonly live: ReadonlyMap<string, LiveDevice>;
  readonly height: number;
  readonly onDetach: (row: DeviceRow) => void;
}

export function ChildLine({ index, row, live, height, onDetach }: LineProps) {
  // The live timestamps arrive in a map that stays the same object; the clock brings them in once a second.
  redrawOn(now);
  const line = `${COLUMNS} relative items-center border-b border-base-300/60 hover:bg-base-200`;
  if (!row)
    return (
      <div role="row" aria-rowindex={index + 2} class={line} style={{ height: `${height}px` }}>
        <span role="cell" class="col-span-2 h-3 animate-pulse rounded bg-base-300">
          <span class="sr-only">{t("common.loading")}</span>
        </span>
      </div>
    );
  const last = Math.max(live.get(row.deviceId)?.ts ?? 0, toMs(row.lastActivityAt) ?? 0) || undefined;
  const calledBy = row.childName ?? t("children.noName");
  return (
    <div role="row" aria-rowindex={index + 2} class={line} style={{ height: `${height}px` }}>
      <span role="cell" class="max-sm:[&_.text-sm]:sr-only">
        <DeviceState deviceId={row.deviceId} state={row.state} />
      </span>
      <span role="cell" class="min-w-0">
        <a href={`/devices/${row.deviceId}`} class="block truncate font-medium after:absolute after:inset-0">
          {row.name}
        </a>
        <span class="block truncate text-sm text-soft sm:hidden">{calledBy}</span>
      </span>
      <span role="cell" class={`truncate text-sm max-sm:hidden ${row.childName ? "reading" : "text-soft"}`}>
        {calledBy}
      </span>
      <span role="cell" class="reading text-right text-sm text-soft">
        <Age ts={last} />
      </span>
      <span role="cell" class="relative z-1 text-right">
        {mayWrite.value && (
          <button
            type="button"
            class="btn btn-square btn-ghost btn-sm"
            aria-label={t("children.detachOf", { name: row.name })}
            title={t("children.detach")}
            onClick={() => onDetach(row)}
          >
            <Unlink size={15} aria-hidden="true" />
          </button>
        )}
      </span>
    </div>
  );
}

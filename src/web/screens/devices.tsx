import { Cpu, Plus } from "lucide-preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { CreateDevice } from "../components/create-device.tsx";
import { DeviceFilters, type UrlFilter } from "../components/device-filters.tsx";
import { DeviceHeader, DeviceLine, useRowHeight } from "../components/device-line.tsx";
import { ErrorNote } from "../components/error-note.tsx";
import { Empty, PageHead } from "../components/parts.tsx";
import { VirtualRows } from "../components/virtual-rows.tsx";
import { t } from "../i18n/i18n.ts";
import type { RowsWindow } from "../lib/rows-window.ts";
import { type DeviceFilter, DevicePages } from "../state/device-pages.ts";
import { useLive } from "../state/live.ts";
import { serverNow } from "../state/now.ts";
import { mayWrite } from "../state/session.ts";
import { useGathered } from "../state/use-gathered.ts";

function useUrlFilter() {
  const { path, query, route } = useLocation();
  const set = (changes: Record<string, string>) => {
    const next = new URLSearchParams({ ...query, ...changes });
    for (const [key, value] of [...next]) if (value === "") next.delete(key);
    const text = next.toString();
    route(text ? `${path}?${text}` : path, true);
  };
  const pick = (key: string) => query[key] ?? "";
  const filter: UrlFilter = {
    search: pick("search"),
    type: pick("type"),
    state: pick("state"),
    tag: pick("tag"),
    gateway: pick("gateway"),
  };
  return { filter, set, sort: query.sort ?? "name" };
}

function queryOf(filter: UrlFilter, sort: string): DeviceFilter {
  return {
    search: filter.search,
    deviceType: filter.type,
    active: filter.state === "" ? undefined : filter.state === "active",
    tag: filter.tag,
    parentDeviceId: filter.gateway,
    sort,
  };
}

export function DevicesScreen() {
  const { filter, set, sort } = useUrlFilter();
  const { query } = useLocation();
  const [creating, setCreating] = useState(false);
  useEffect(() => {
    if (query.create) setCreating(true);
  }, [query.create]);
  const pages = useMemo(() => new DevicePages(queryOf(filter, sort)), [JSON.stringify(filter), sort]);
  const total = pages.total.value;
  const filtered = Object.values(filter).some((value) => value !== "");
  return (
    <div class="mx-auto flex h-full max-w-6xl flex-col gap-4 p-4 3xl:max-w-[100rem] lg:p-8">
      <PageHead title={t("nav.devices")}>
        {mayWrite.value && (
          <button type="button" class="btn btn-primary btn-sm" onClick={() => setCreating(true)}>
            <Plus size={16} aria-hidden="true" />
            {t("devices.create")}
          </button>
        )}
      </PageHead>
      <DeviceFilters filter={filter} set={set} total={total} />
      {pages.error.value !== undefined && (
        <ErrorNote error={pages.error.value} onRetry={() => pages.refresh({ start: 0, end: 1 })} />
      )}
      {total === 0 ? (
        <NoDevices
          filtered={filtered}
          onCreate={() => setCreating(true)}
          onClear={() => set({ search: "", type: "", state: "", tag: "", gateway: "" })}
        />
      ) : (
        <DeviceTable pages={pages} sort={sort} onSort={(sort) => set({ sort })} />
      )}
      {creating && (
        <CreateDevice
          onClose={() => {
            setCreating(false);
            if (query.create) set({ create: "" });
          }}
        />
      )}
    </div>
  );
}

function NoDevices(props: { filtered: boolean; onCreate: () => void; onClear: () => void }) {
  return (
    <div class="panel">
      <Empty
        icon={<Cpu size={32} aria-hidden="true" />}
        title={props.filtered ? t("devices.noMatch") : t("devices.none")}
        hint={props.filtered ? t("devices.noMatchHint") : t("devices.noneHint")}
      >
        {props.filtered ? (
          <button type="button" class="btn" onClick={props.onClear}>
            {t("devices.clearFilter")}
          </button>
        ) : (
          mayWrite.value && (
            <button type="button" class="btn btn-primary" onClick={props.onCreate}>
              {t("devices.create")}
            </button>
          )
        )}
      </Empty>
    </div>
  );
}

function DeviceTable({
  pages,
  sort,
  onSort,
}: {
  pages: DevicePages;
  sort: string;
  onSort: (sort: string) => void;
}) {
  const window = useRef<RowsWindow>({ start: 0, end: 40 });
  const [inView, setInView] = useState<readonly string[]>([]);
  const rowHeight = useRowHeight();
  /** Device id → newest time stamp seen live; only for the rows in view. */
  const seen = useRef(new Map<string, number>()).current;
  useEffect(() => pages.refresh(window.current), [pages]);
  const refreshSoon = useGathered(() => pages.refresh(window.current));
  useLive({ topics: ["devices"] }, (message) => {
    if (message.type === "snapshot") pages.refresh(window.current);
    else if (message.topic === "devices" && pages.apply(message)) refreshSoon();
  });
  const version = pages.version.value;
  const settle = useRef<ReturnType<typeof setTimeout>>();
  /** Scrolling passes many rows; only those where it comes to rest are followed live. */
  const follow = () => {
    clearTimeout(settle.current);
    settle.current = setTimeout(() => setInView(idsInView(pages, window.current)), 250);
  };
  useEffect(follow, [version, pages]);
  useLive(inView.length > 0 ? { topics: ["telemetry"], deviceIds: inView } : undefined, (message) => {
    if (message.type === "snapshot") for (const s of message.telemetry ?? []) seen.set(s.deviceId, s.ts);
    else if (message.topic === "telemetry") seen.set(message.deviceId, Math.min(message.ts, serverNow()));
  });
  const onWindow = (next: RowsWindow) => {
    window.current = next;
    pages.need(next);
    follow();
  };
  return (
    <VirtualRows
      count={pages.total.value ?? 12}
      rowHeight={rowHeight}
      label={t("nav.devices")}
      header={<DeviceHeader sort={sort} onSort={onSort} />}
      onWindow={onWindow}
      renderRow={(index) => (
        <DeviceLine key={index} index={index} row={pages.row(index)} seen={seen} height={rowHeight} />
      )}
    />
  );
}

function idsInView(pages: DevicePages, window: RowsWindow): string[] {
  const ids: string[] = [];
  for (let i = window.start; i < window.end; i++) {
    const id = pages.row(i)?.deviceId;
    if (id) ids.push(id);
  }
  return ids;
}

import { Cpu, Plus, Upload } from "lucide-preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../../platform/i18n/i18n.ts";
import { mayWrite } from "../../platform/session.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { VirtualRows } from "../../ui/virtual-rows.tsx";
import { CreateDevice } from "./create-device.tsx";
import { DeviceFilters, type UrlFilter } from "./device-filters.tsx";
import { DeviceHeader, DeviceLine, useRowHeight } from "./device-line.tsx";
import { type DeviceFilter, DevicePages } from "./device-pages.ts";
import { ExportDevices } from "./export-devices.tsx";
import { useDeviceRows } from "./use-device-rows.ts";

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
    role: pick("role"),
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
    role: filter.role === "GATEWAY" ? "GATEWAY" : "",
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
        <ExportDevices />
        {mayWrite.value && (
          <a class="btn btn-sm" href="/devices/import">
            <Upload size={16} aria-hidden="true" />
            {t("import.open")}
          </a>
        )}
        {mayWrite.value && (
          <Button icon={Plus} class="btn btn-primary btn-sm" onClick={() => setCreating(true)}>
            {t("devices.create")}
          </Button>
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
          onClear={() => set({ search: "", type: "", state: "", tag: "", gateway: "", role: "" })}
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
  const rowHeight = useRowHeight();
  const { seen, onWindow } = useDeviceRows(pages);
  void pages.version.value;
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

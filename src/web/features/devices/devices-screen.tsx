import { Cpu, Download, Plus, QrCode, Upload } from "lucide-preact";
import { useMemo, useState } from "preact/hooks";
import { DEVICE_STATES } from "../../../lib/devices/device-state.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { metadataOf } from "../../platform/key-metadata.ts";
import { redrawOn } from "../../platform/redraw-on.ts";
import { useResource } from "../../platform/resource.ts";
import { mayWrite } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { useCreateDialog } from "../../platform/use-create-dialog.ts";
import { useUrlFilter } from "../../platform/use-url-filter.ts";
import { Button } from "../../ui/button.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { EmptyPanel } from "../../ui/page/empty.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { errorText } from "../../ui/page/error-text.ts";
import { later } from "../../ui/page/later.tsx";
import { MENU_ITEM, MoreMenu } from "../../ui/page/more-menu.tsx";
import { PageHead } from "../../ui/page/page-head.tsx";
import { VirtualRows } from "../../ui/page/virtual-rows.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { allowedBulkActions } from "../device-bulk/bulk-actions.ts";
import { bulkApi } from "../device-import/bulk-api.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { ColumnPicker } from "./column-picker.tsx";
import { CreateDevice } from "./create-device.tsx";
import { type ColumnId, keyOfColumn, selectedColumns } from "./device-columns.ts";
import { DeviceFilters, FILTERS, type UrlFilter } from "./device-filters.tsx";
import { type DeviceFilter, DevicePages } from "./device-pages.ts";
import { type DeviceSelection, useDeviceSelection } from "./device-selection.ts";
import { DeviceHeader, DeviceLine, useRowHeight } from "./device-table.tsx";
import { devicesApi } from "./devices-api.ts";
import { type LiveDevice, useDeviceRows } from "./use-device-rows.ts";

const ClaimDevice = later(
  () => import("./add-device-dialog.tsx"),
  ({ ClaimDeviceDialog }) => ClaimDeviceDialog,
);

/** Returns the names of the keys of columns, from the metadata of the devices in view. */
function keyNames(columns: readonly ColumnId[], live: ReadonlyMap<string, LiveDevice>): [string, string][] {
  return columns.flatMap((id): [string, string][] => {
    const key = keyOfColumn(id) ?? "";
    const owner = [...live].find(([, { values }]) => values.has(key))?.[0];
    const name = owner && metadataOf(owner, key)?.name;
    return name ? [[id, name]] : [];
  });
}

/** Returns the displayed names of columns: of profiles and gateways by id, of keys by column. Each list is loaded once. */
function useColumnNames(
  columns: readonly ColumnId[],
  live: ReadonlyMap<string, LiveDevice>,
): ReadonlyMap<string, string> {
  const [hasProfiles, hasGateways] = [columns.includes("profile"), columns.includes("gateway")];
  const profiles = useResource(async () => (hasProfiles ? devicesApi.profiles() : []), [hasProfiles]);
  const gateways = useResource(async () => (hasGateways ? devicesApi.gateways() : []), [hasGateways]);
  const ofIds = useMemo(
    () =>
      new Map<string, string>([
        ...(profiles.data ?? []).map(({ profileId, name }) => [profileId, name] as const),
        ...(gateways.data ?? []).map(({ deviceId, name }) => [deviceId, name] as const),
      ]),
    [profiles.data, gateways.data],
  );
  return new Map([...ofIds, ...keyNames(columns, live)]);
}

/** Default order of the list. */
const PROBLEMS_FIRST = "-state";
/** Default order of a search: the server lists the best matches first. */
const BEST_FIRST = "";

function queryOf(filter: UrlFilter, sort: string): DeviceFilter {
  return {
    search: filter.search,
    deviceType: filter.type,
    state: DEVICE_STATES.find((state) => state.toLowerCase() === filter.state),
    tag: filter.tag,
    parentDeviceId: filter.gateway,
    role: filter.role === "GATEWAY" ? "GATEWAY" : "",
    sort,
  };
}

export function DevicesScreen() {
  const url = useUrlFilter([...FILTERS, "sort"]);
  const { sort: selectedSort, ...filter } = url.filter;
  const sort = selectedSort || (filter.search === "" ? PROBLEMS_FIRST : BEST_FIRST);
  const creating = useCreateDialog();
  const [isClaiming, setClaiming] = useState(false);
  const pages = useMemo(() => new DevicePages(queryOf(filter, sort)), [JSON.stringify(filter), sort]);
  const selection = useDeviceSelection(pages, JSON.stringify(filter));
  const canSelect = allowedBulkActions().length > 0;
  const total = pages.total.value;
  const filtered = Object.values(filter).some((value) => value !== "");
  return (
    <div class="mx-auto flex h-full max-w-6xl flex-col gap-4 p-4 3xl:max-w-[100rem] lg:p-8">
      <PageHead title={t("nav.devices")}>
        <span class="flex gap-2 max-sm:hidden">
          <ListActions onClaim={() => setClaiming(true)} />
        </span>
        {mayWrite.value && (
          <Button icon={Plus} class="btn btn-primary btn-sm" onClick={creating.open}>
            {t("devices.create")}
          </Button>
        )}
        <span class="sm:hidden">
          <MoreMenu label={t("devices.more")}>
            {(close) => (
              <div class="flex flex-col">
                <ListActions
                  class={MENU_ITEM}
                  onClaim={() => {
                    close();
                    setClaiming(true);
                  }}
                />
              </div>
            )}
          </MoreMenu>
        </span>
      </PageHead>
      <div class="flex flex-wrap items-start justify-between gap-2">
        <DeviceFilters filter={filter} set={url.set} total={total} />
        <ColumnPicker />
      </div>
      {canSelect && <BulkBar selection={selection} total={total ?? 0} onChanged={() => pages.refresh()} />}
      {pages.error.value !== undefined && (
        <ErrorNote error={pages.error.value} onRetry={() => pages.refresh({ start: 0, end: 1 })} />
      )}
      {total === 0 ? (
        <NoDevices
          filtered={filtered}
          onCreate={creating.open}
          onClear={() => url.set(Object.fromEntries(FILTERS.map((name) => [name, ""])))}
        />
      ) : (
        <DeviceTable
          pages={pages}
          selection={canSelect ? selection : undefined}
          sort={sort}
          onSort={(sort) => url.set({ sort })}
        />
      )}
      {creating.isOpen && <CreateDevice onClose={creating.close} />}
      {isClaiming && <ClaimDevice onClose={() => setClaiming(false)} />}
    </div>
  );
}

/** Less frequent actions of the list. */
function ListActions({ class: className = "btn btn-sm", onClaim }: { class?: string; onClaim: () => void }) {
  return (
    <>
      <ExportDevices class={className} />
      {mayWrite.value && (
        <a class={className} href="/devices/import">
          <Upload size={16} aria-hidden="true" />
          {t("common.import")}
        </a>
      )}
      {mayWrite.value && (
        <Button icon={QrCode} class={className} onClick={onClaim}>
          {t("common.claimDevice")}
        </Button>
      )}
    </>
  );
}

function NoDevices(props: { filtered: boolean; onCreate: () => void; onClear: () => void }) {
  return (
    <EmptyPanel
      icon={Cpu}
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
    </EmptyPanel>
  );
}

interface TableProps {
  readonly pages: DevicePages;
  readonly selection: DeviceSelection | undefined;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

function DeviceTable({ pages, selection, sort, onSort }: TableProps) {
  const rowHeight = useRowHeight();
  const { live, onWindow } = useDeviceRows(pages);
  const columns = selectedColumns();
  const layout = { columns, selection, names: useColumnNames(columns, live) };
  redrawOn(pages.version);
  return (
    <VirtualRows
      count={pages.total.value ?? 12}
      rowHeight={rowHeight}
      label={t("nav.devices")}
      header={<DeviceHeader layout={layout} total={pages.total.value ?? 0} sort={sort} onSort={onSort} />}
      onWindow={onWindow}
      renderRow={(index) => (
        <DeviceLine
          key={index}
          index={index}
          row={pages.row(index)}
          layout={layout}
          live={live}
          height={rowHeight}
        />
      )}
    />
  );
}

/** Exports all visible devices as a file that can be imported again. */
function ExportDevices({ class: className = "btn btn-sm" }: { class?: string }) {
  const action = useAction();
  const save = () =>
    action.run(async () => {
      try {
        saveFile(await bulkApi.export(), "devices.csv");
      } catch (error) {
        toast("error", errorText(error));
      }
    });
  return (
    <button type="button" class={className} disabled={action.busy} onClick={save}>
      <Download size={16} aria-hidden="true" />
      {t("import.export")}
    </button>
  );
}

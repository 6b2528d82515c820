import { X } from "lucide-preact";
import { DEVICE_STATES, type DeviceState } from "../../../lib/devices/device-state.ts";
import { formatCount } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";
import { FilterSelect } from "../../ui/form/filter-select.tsx";
import { SearchBox } from "../../ui/form/search-box.tsx";
import { nameOf } from "./device-names.ts";
import { devicesApi } from "./devices-api.ts";

/** Delay in ms, longer than the server takes to store the activity of a device. */
const COUNT_AGAIN_MS = 2_000;

/** Filters in the address of the list. */
export const FILTERS = [
  "search",
  "type",
  "state",
  "tag",
  /** Devices behind this gateway. */
  "gateway",
  /** GATEWAY, or empty for all. */
  "role",
] as const;
export type UrlFilter = Readonly<Record<(typeof FILTERS)[number], string>>;

interface Props {
  readonly filter: UrlFilter;
  readonly set: (changes: Partial<UrlFilter>) => void;
  readonly total: number | undefined;
}

function Chip({ text, onClear }: { text: string; onClear: () => void }) {
  return (
    <button type="button" class="btn btn-sm font-normal" onClick={onClear} title={t("devices.removeFilter")}>
      {text}
      <X size={13} aria-hidden="true" />
      <span class="sr-only">{t("devices.removeFilter")}</span>
    </button>
  );
}

export function DeviceFilters({ filter, set, total }: Props) {
  const types = useResource(devicesApi.types, []);
  const states = useKept(devicesApi.states, []);
  const reloadSoon = useCoalesced(states.reload, COUNT_AGAIN_MS);
  useLive({ topics: ["devices"] }, (message) => {
    if (message.type !== "snapshot") reloadSoon();
  });
  const countOf = (state: DeviceState) => states.data?.find((found) => found.state === state)?.count ?? 0;
  return (
    <div class="flex min-w-0 flex-1 flex-wrap items-center gap-2">
      <SearchBox
        class="sm:min-w-56 sm:max-w-xs sm:flex-1"
        label={t("devices.search")}
        value={filter.search}
        onSearch={(search) => set({ search })}
      />
      <FilterSelect
        label={t("common.deviceType")}
        all={t("devices.allTypes")}
        value={filter.type}
        options={(types.data ?? []).map(({ deviceType, count }) => ({
          id: deviceType,
          text: `${deviceType} (${count})`,
        }))}
        onSelect={(type) => set({ type })}
      />
      <FilterSelect
        label={t("common.state")}
        all={t("devices.allStates")}
        value={filter.state}
        options={DEVICE_STATES.map((state) => ({
          id: state.toLowerCase(),
          text: `${t(`deviceState.${state}`)}${states.data ? ` (${formatCount(countOf(state))})` : ""}`,
        }))}
        onSelect={(state) => set({ state })}
      />
      <FilterSelect
        label={t("common.role")}
        all={t("common.allRoles")}
        value={filter.role}
        options={[{ id: "GATEWAY", text: t("common.gateways") }]}
        onSelect={(role) => set({ role })}
      />
      {filter.tag && <Chip text={filter.tag} onClear={() => set({ tag: "" })} />}
      {filter.gateway && (
        <Chip
          text={t("devices.behind", { gateway: nameOf(filter.gateway) })}
          onClear={() => set({ gateway: "" })}
        />
      )}
      <p class="text-sm text-soft" role="status">
        {total !== undefined && plural("devices.count", total)}
      </p>
    </div>
  );
}

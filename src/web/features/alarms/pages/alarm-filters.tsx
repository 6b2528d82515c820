import { ListFilter } from "lucide-preact";
import { useMemo, useState } from "preact/hooks";
import { severitiesDescending } from "../../../../lib/alarms/severity.ts";
import { HOUR_MS } from "../../../../lib/core/units.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { now } from "../../../platform/now.ts";
import { useResource } from "../../../platform/resource.ts";
import { useUrlFilter } from "../../../platform/use-url-filter.ts";
import { Button } from "../../../ui/button.tsx";
import { FilterSelect } from "../../../ui/form/filter-select.tsx";
import { SearchBox } from "../../../ui/form/search-box.tsx";
import { Segments } from "../../../ui/form/segments.tsx";
import { nameOf } from "../../devices/device-names.ts";
import { devicesApi } from "../../devices/devices-api.ts";
import { TagFilter } from "../../devices/tag-filter.tsx";
import type { AlarmFilter } from "../alarms-api.ts";

const STATES = ["unacknowledged", "open", "acknowledged", "cleared", "all"] as const;
type State = (typeof STATES)[number];
const STATUSES: Record<State, string | undefined> = {
  unacknowledged: "ACTIVE_UNACK,CLEARED_UNACK",
  open: "ACTIVE_UNACK,ACTIVE_ACK",
  acknowledged: "ACTIVE_ACK",
  cleared: "CLEARED_UNACK,CLEARED_ACK",
  all: undefined,
};
const SINCE = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS, month: 744 * HOUR_MS } as const;
type Since = keyof typeof SINCE;
const isSince = (text: string): text is Since => Object.hasOwn(SINCE, text);
const NAMES = [
  ...["state", "severity", "search", "since"],
  ...["device", "gateway", "tag", "type", "profile", "rule"],
] as const;
/** Filters that are shown on request, or if they are in use. */
const MORE = ["since", "device", "gateway", "tag", "type", "profile", "rule"] as const;

/** Filters of a list of alarms, which are in the address, so that a view can be kept and shared. */
export function useAlarmFilters() {
  const { filter, set } = useUrlFilter(NAMES);
  const state = STATES.find((id) => id === filter.state) ?? "unacknowledged";
  const severity = severitiesDescending.find((id) => id === filter.severity);
  // Settled when it is chosen, so that the list does not move with the clock.
  const { since } = filter;
  const from = useMemo(() => (isSince(since) ? Math.floor(now.peek() - SINCE[since]) : undefined), [since]);
  const textOf = (name: (typeof NAMES)[number]) => filter[name] || undefined;
  const conditions = {
    severity,
    from,
    search: textOf("search"),
    deviceId: textOf("device"),
    gatewayId: textOf("gateway"),
    tag: textOf("tag"),
    deviceType: textOf("type"),
    profileId: textOf("profile"),
    name: textOf("rule"),
  };
  const query: Omit<AlarmFilter, "limit"> = { ...conditions, status: STATUSES[state] };
  const isFiltered = Object.values(conditions).some((value) => value !== undefined);
  return { filter, set, state, severity, query, isFiltered };
}

export type AlarmFilters = ReturnType<typeof useAlarmFilters>;

/** State, severity and search, and a button for the other filters. */
export function AlarmFilterBar({ filters }: { filters: AlarmFilters }) {
  const { filter, set, state, severity } = filters;
  const used = MORE.filter((name) => filter[name] !== "").length;
  const [isOpen, setOpen] = useState(used > 0);
  return (
    <>
      <Segments
        label={t("common.state")}
        items={STATES.map((id) => ({ id, text: t(`alarmState.${id}`) }))}
        current={state}
        onSelect={(next) => set({ state: next === "unacknowledged" ? "" : next })}
      />
      <FilterSelect
        label={t("alarms.severity")}
        all={t("alarms.anySeverity")}
        value={severity ?? ""}
        options={severitiesDescending.map((id) => ({ id, text: t(`severity.${id}`) }))}
        onSelect={(id) => set({ severity: id })}
      />
      <SearchBox label={t("alarms.search")} value={filter.search} onSearch={(search) => set({ search })} />
      <Button icon={ListFilter} size={14} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {used === 0 ? t("alarms.moreFilters") : t("alarms.moreFiltersUsed", { count: String(used) })}
      </Button>
      {isOpen && <MoreFilters filters={filters} />}
    </>
  );
}

function MoreFilters({ filters: { filter, set } }: { filters: AlarmFilters }) {
  const types = useResource(devicesApi.types, []);
  const profiles = useResource(devicesApi.profiles, []);
  const gateways = useResource(devicesApi.gateways, []);
  const clear = () => set(Object.fromEntries(MORE.map((name) => [name, ""])));
  return (
    <div class="flex w-full flex-wrap items-center gap-3">
      <TagFilter tag={filter.tag} onSelect={(tag) => set({ tag })} />
      <FilterSelect
        label={t("common.deviceType")}
        all={t("devices.allTypes")}
        value={filter.type}
        options={(types.data ?? []).map(({ deviceType }) => ({ id: deviceType, text: deviceType }))}
        onSelect={(type) => set({ type })}
      />
      <FilterSelect
        label={t("common.gateway")}
        all={t("alarms.anyGateway")}
        value={filter.gateway}
        options={(gateways.data ?? []).map(({ deviceId, name }) => ({ id: deviceId, text: name }))}
        onSelect={(gateway) => set({ gateway })}
      />
      <FilterSelect
        label={t("alarms.profile")}
        all={t("alarms.anyProfile")}
        value={filter.profile}
        options={(profiles.data ?? []).map(({ profileId, name }) => ({ id: profileId, text: name }))}
        onSelect={(profile) => set({ profile })}
      />
      <FilterSelect
        label={t("common.time")}
        all={t("alarms.anyTime")}
        value={filter.since}
        options={Object.keys(SINCE).map((id) => ({ id, text: t(`alarms.since.${id as Since}`) }))}
        onSelect={(since) => set({ since })}
      />
      {filter.rule !== "" && <Note text={t("alarms.ofRule", { name: filter.rule })} />}
      {filter.device !== "" && <Note text={t("alarms.ofDevice", { name: nameOf(filter.device) })} />}
      <button type="button" class="btn btn-ghost btn-sm" onClick={clear}>
        {t("alarms.clearFilters")}
      </button>
    </div>
  );
}

const Note = ({ text }: { text: string }) => <span class="text-sm wrap-anywhere">{text}</span>;

import { BellOff, BellRing, Check, X } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { severitiesDescending } from "../../../../lib/severity.ts";
import { formatCount } from "../../../platform/i18n/format.ts";
import { plural, t } from "../../../platform/i18n/i18n.ts";
import { useLive } from "../../../platform/live.ts";
import { usePages } from "../../../platform/resource.ts";
import { may } from "../../../platform/session.ts";
import { toast } from "../../../platform/toasts.ts";
import { useCoalesced } from "../../../platform/use-coalesced.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { FilterSelect } from "../../../ui/filter-select.tsx";
import { Page } from "../../../ui/page.tsx";
import { ResourceList } from "../../../ui/resource-list.tsx";
import { SearchBox } from "../../../ui/search-box.tsx";
import { Segments } from "../../../ui/segments.tsx";
import { useAction } from "../../../ui/use-form.ts";
import { type Alarm, alarmsApi } from "../alarms-api.ts";
import { AlarmPage } from "./alarm-page.tsx";
import { AlarmRow } from "./alarm-row.tsx";

const PAGE = 100;
/** Alarms that can be acknowledged or cleared together. */
const BULK_MAX = 10_000;
const STATES = ["open", "unacknowledged", "acknowledged", "cleared", "all"] as const;
type State = (typeof STATES)[number];
const STATUSES: Record<State, string | undefined> = {
  open: "ACTIVE_UNACK,ACTIVE_ACK",
  unacknowledged: "ACTIVE_UNACK,CLEARED_UNACK",
  acknowledged: "ACTIVE_ACK",
  cleared: "CLEARED_UNACK,CLEARED_ACK",
  all: undefined,
};

/** Screen of all alarms, or of a single alarm with its events. */
export function AlarmsScreen() {
  const { alarmId } = useRoute().params;
  return <Page>{alarmId ? <AlarmPage key={alarmId} alarmId={alarmId} /> : <AlarmsPage />}</Page>;
}

/** The view is in the address, so that it can be kept and sent to a colleague. */
function useView() {
  const { path, query, route } = useLocation();
  return {
    state: STATES.find((state) => state === query.state) ?? "open",
    severity: severitiesDescending.find((severity) => severity === query.severity),
    search: query.search ?? "",
    deviceId: query.device,
    set(changes: Record<string, string | undefined>) {
      const next = Object.entries({ ...query, ...changes }).filter(
        (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "",
      );
      const text = new URLSearchParams(next).toString();
      route(text === "" ? path : `${path}?${text}`, true);
    },
  };
}

function AlarmsPage() {
  const view = useView();
  const { state, severity, search, deviceId } = view;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const load = (limit: number) =>
    alarmsApi.list({ status: STATUSES[state], severity, search, deviceId, limit });
  const list = usePages(load, [state, severity, search, deviceId], PAGE);
  const reloadSoon = useCoalesced(list.reload);
  useLive({ topics: ["alarms"] }, (message) => {
    if (message.type === "snapshot" || message.topic === "alarms") reloadSoon();
  });
  useEffect(() => setSelected(new Set()), [state, severity, search, deviceId]);
  const rows = list.data?.rows ?? [];
  const isFiltered = severity !== undefined || search !== "" || deviceId !== undefined || state !== "open";
  return (
    <ResourceList
      title={t("nav.alarms")}
      list={list}
      filters={<Filters view={view} />}
      isFiltered={isFiltered}
      countText={(total) => plural("alarms.count", total)}
      notes={
        may("alarms:handle") &&
        rows.length > 0 && (
          <BulkBar
            rows={rows}
            total={list.data?.total ?? 0}
            loadAll={async () => (await load(BULK_MAX)).rows}
            selected={selected}
            onSelect={setSelected}
            onDone={list.reload}
          />
        )
      }
      icon={BellRing}
      none={[t("common.noOpenAlarms"), t("alarms.noneHint")]}
      noMatch={[t("alarms.noMatch"), t("alarms.noMatchHint")]}
      emptyAction={
        !isFiltered &&
        may("profiles:write") && (
          <a class="btn btn-primary btn-sm" href="/settings/profiles">
            {t("common.alarmRules")}
          </a>
        )
      }
    >
      {(alarm) => (
        <AlarmRow
          key={alarm.alarmId}
          alarm={alarm}
          isSelected={selected.has(alarm.alarmId)}
          onSelect={(isSelected) => setSelected(withOrWithout(selected, alarm.alarmId, isSelected))}
          onChanged={list.reload}
        />
      )}
    </ResourceList>
  );
}

function Filters({ view }: { view: ReturnType<typeof useView> }) {
  const { state, severity, search, deviceId } = view;
  return (
    <>
      <Segments
        label={t("common.state")}
        items={STATES.map((id) => ({ id, text: t(`alarmState.${id}`) }))}
        current={state}
        onSelect={(next) => view.set({ state: next === "open" ? undefined : next })}
      />
      <FilterSelect
        label={t("alarms.severity")}
        all={t("alarms.anySeverity")}
        value={severity ?? ""}
        options={severitiesDescending.map((id) => ({ id, text: t(`severity.${id}`) }))}
        onSelect={(id) => view.set({ severity: id })}
      />
      <SearchBox label={t("alarms.search")} value={search} onSearch={(text) => view.set({ search: text })} />
      {deviceId !== undefined && (
        <button type="button" class="btn btn-sm" onClick={() => view.set({ device: undefined })}>
          {t("alarms.oneDevice")}
          <X size={14} aria-hidden="true" />
        </button>
      )}
    </>
  );
}

function withOrWithout(ids: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  const next = new Set(ids);
  if (isIn) next.add(id);
  else next.delete(id);
  return next;
}

function BulkBar(props: {
  /** The alarms that are shown. */
  rows: readonly Alarm[];
  /** Number of alarms that match. */
  total: number;
  loadAll: () => Promise<readonly Alarm[]>;
  selected: ReadonlySet<string>;
  onSelect: (ids: ReadonlySet<string>) => void;
  onDone: () => void;
}) {
  const { rows, total, selected, onSelect, onDone } = props;
  const action = useAction();
  /** All that matched when the user selected all, also those that are not shown. */
  const [matching, setMatching] = useState<ReadonlySet<string>>(new Set());
  const shown = new Set(rows.map(({ alarmId }) => alarmId));
  // Those that went out of the list meanwhile are not meant any more.
  const ids = [...selected].filter((id) => shown.has(id) || matching.has(id));
  const all = rows.length > 0 && rows.every(({ alarmId }) => selected.has(alarmId));
  const selectMatching = () =>
    action.run(async () => {
      const found = new Set((await props.loadAll()).map(({ alarmId }) => alarmId));
      setMatching(found);
      onSelect(found);
    });
  const run = (subject: "acknowledge" | "clear") =>
    action.run(async () => {
      await alarmsApi[subject](ids);
      toast(
        "success",
        plural(subject === "clear" ? "alarms.clearedCount" : "alarms.acknowledgedCount", ids.length),
      );
      setMatching(new Set());
      onSelect(new Set());
      onDone();
    });
  return (
    <div class="flex flex-wrap items-center gap-3">
      <label class="flex cursor-pointer items-center gap-3 pl-4 text-sm">
        <input
          type="checkbox"
          class="checkbox checkbox-sm"
          checked={all}
          ref={(box) => {
            if (box) box.indeterminate = ids.length > 0 && !all;
          }}
          onChange={() => onSelect(all ? new Set() : new Set(rows.map(({ alarmId }) => alarmId)))}
        />
        {ids.length === 0 ? t("alarms.selectAll") : plural("alarms.selected", ids.length)}
      </label>
      {all && ids.length < total && (
        <button type="button" class="btn btn-ghost btn-sm" disabled={action.busy} onClick={selectMatching}>
          {t("alarms.selectMatching", { count: formatCount(Math.min(total, BULK_MAX)) })}
        </button>
      )}
      {ids.length > 0 && (
        <>
          <Button icon={Check} size={14} disabled={action.busy} onClick={() => run("acknowledge")}>
            {t("alarms.acknowledge")}
          </Button>
          <Button icon={BellOff} size={14} disabled={action.busy} onClick={() => run("clear")}>
            {t("alarms.clear")}
          </Button>
        </>
      )}
      <ErrorNote error={action.error} />
    </div>
  );
}

import { BellRing } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { plural, t } from "../../../platform/i18n/i18n.ts";
import { useLive } from "../../../platform/live.ts";
import { usePages } from "../../../platform/resource.ts";
import { may } from "../../../platform/session.ts";
import { useCoalesced } from "../../../platform/use-coalesced.ts";
import { ResourceList } from "../../../ui/page/resource-list.tsx";
import { alarmsApi } from "../alarms-api.ts";
import { AlarmFilterBar, useAlarmFilters } from "./alarm-filters.tsx";
import { AlarmMenu } from "./alarm-menu.tsx";
import { AlarmRow } from "./alarm-row.tsx";
import { AlarmTabs } from "./alarm-tabs.tsx";
import { BULK_MAX, BulkBar } from "./bulk-bar.tsx";

const PAGE = 100;

function withOrWithout(ids: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  const next = new Set(ids);
  if (isIn) next.add(id);
  else next.delete(id);
  return next;
}

/** Matching alarms; unacknowledged ones unless another state is selected. */
export function AlarmList() {
  const filters = useAlarmFilters();
  const { query, state, isFiltered } = filters;
  const key = JSON.stringify(query);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const load = (limit: number) => alarmsApi.list({ ...query, limit });
  const list = usePages(load, [key], PAGE);
  const reloadSoon = useCoalesced(list.reload);
  useLive({ topics: ["alarms"] }, (message) => {
    if (message.type === "snapshot" || message.topic === "alarms") reloadSoon();
  });
  useEffect(() => setSelected(new Set()), [key]);
  const { rows = [], total = 0 } = list.data ?? {};
  const isNarrowed = isFiltered || !["unacknowledged", "open"].includes(state);
  return (
    <ResourceList
      title={t("nav.alarms")}
      tabs={<AlarmTabs current="list" />}
      list={list}
      filters={<AlarmFilterBar filters={filters} />}
      toolbarEnd={<AlarmMenu query={query} total={total} />}
      isFiltered={isNarrowed}
      countText={(count) => plural("alarms.count", count)}
      notes={
        may("alarms:handle") && (
          <BulkBar
            key={key}
            rows={rows}
            total={total}
            loadAll={async () => (await load(BULK_MAX)).rows}
            selected={selected}
            onSelect={setSelected}
            onDone={list.reload}
          />
        )
      }
      icon={BellRing}
      none={[t(state === "open" ? "common.noOpenAlarms" : "alarms.noneUnacknowledged"), t("alarms.noneHint")]}
      noMatch={[t("alarms.noMatch"), t("alarms.noMatchHint")]}
      emptyAction={
        !isNarrowed && (
          <a class="btn btn-primary btn-sm" href="/alarms/rules">
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

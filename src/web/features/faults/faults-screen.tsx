import { CircleCheck, Trash2 } from "lucide-preact";
import { useMemo } from "preact/hooks";
import { FAULT_SOURCES, FAULT_SUBJECTS } from "../../../lib/alarms/fault-sources.ts";
import { HOUR_MS } from "../../../lib/core/units.ts";
import { codeLabel } from "../../platform/i18n/error-texts.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { now } from "../../platform/now.ts";
import { language } from "../../platform/preferences.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { useUrlFilter } from "../../platform/use-url-filter.ts";
import { Button } from "../../ui/button.tsx";
import { ask } from "../../ui/confirmation.tsx";
import { FilterSelect } from "../../ui/form/filter-select.tsx";
import { SearchBox } from "../../ui/form/search-box.tsx";
import { Segments } from "../../ui/form/segments.tsx";
import { Page } from "../../ui/page/page.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { FaultItem } from "./fault-item.tsx";
import { useFaults } from "./fault-list.tsx";
import { type FaultQuery, type FaultScope, faultsApi } from "./faults-api.ts";

const SINCE = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const;
type Since = keyof typeof SINCE;
const isSince = (text: string): text is Since => Object.hasOwn(SINCE, text);
const SCOPES = ["site", "gateway"] as const satisfies readonly FaultScope[];
const NAMES = ["scope", "search", "source", "subject", "code", "since"] as const;
type Filter = Record<(typeof NAMES)[number], string>;

export function FaultsScreen() {
  const { filter, set } = useUrlFilter(NAMES);
  const scope: FaultScope = filter.scope === "gateway" && may("gateway:manage") ? "gateway" : "site";
  const { search, source, code, since } = filter;
  const subject = FAULT_SUBJECTS.find((kind) => kind === filter.subject);
  // Settled when it is chosen, so that the list does not move with the clock.
  const from = useMemo(() => (isSince(since) ? Math.floor(now.peek() - SINCE[since]) : undefined), [since]);
  const conditions: FaultQuery = {
    ...(source !== "" && { source }),
    ...(code !== "" && { code }),
    ...(subject !== undefined && { subject }),
    ...(from !== undefined && { from }),
    ...(search !== "" && { search }),
  };
  const view = useFaults(scope, conditions);
  const total = view.data?.total ?? 0;
  const clear = () =>
    ask({
      title: t("faults.clearTitle"),
      warning: plural("faults.clearWarning", total),
      action: t("faults.clear"),
      onConfirm: async () => {
        await faultsApi.clear(scope, conditions);
        view.reload();
      },
    });
  return (
    <Page>
      <ResourceList
        title={t("nav.faults")}
        intro={t(scope === "site" ? "faults.intro" : "faults.gatewayIntro")}
        actions={
          mayClear(scope) &&
          total > 0 && (
            <Button icon={Trash2} size={14} onClick={clear}>
              {t("faults.clear")}
            </Button>
          )
        }
        tabs={
          may("gateway:manage") && (
            <Segments
              label={t("faults.scope")}
              items={SCOPES.map((id) => ({ id, text: t(`faultScope.${id}`) }))}
              current={scope}
              onSelect={(id) => set({ scope: id === "site" ? "" : id, code: "" })}
            />
          )
        }
        list={view}
        filters={<Filters scope={scope} filter={filter} set={set} />}
        isFiltered={Object.keys(conditions).length > 0}
        countText={(count) => plural("faults.count", count)}
        icon={CircleCheck}
        none={[t("faults.none"), t("faults.noneHint")]}
        noMatch={[t("faults.noMatch"), t("faults.noMatchHint")]}
        isOrdered
      >
        {(fault) => <FaultItem key={fault.faultId} fault={fault} isNamed />}
      </ResourceList>
    </Page>
  );
}

const mayClear = (scope: FaultScope): boolean => may(scope === "site" ? "faults:clear" : "gateway:manage");

function Filters(props: { scope: FaultScope; filter: Filter; set: (changes: Partial<Filter>) => void }) {
  const { scope, filter, set } = props;
  const counts = useResource(() => faultsApi.counts(scope), [scope]).data ?? [];
  const reasons = [...new Set(counts.map(({ code }) => code))]
    .map((id) => ({ id, text: codeLabel(id) }))
    .sort((left, right) => left.text.localeCompare(right.text, language.value));
  return (
    <>
      <SearchBox label={t("faults.search")} value={filter.search} onSearch={(search) => set({ search })} />
      <FilterSelect
        class="w-44"
        label={t("faults.source")}
        all={t("faults.allSources")}
        value={filter.source}
        options={FAULT_SOURCES.map((id) => ({ id, text: t(`faultSource.${id}`) }))}
        onSelect={(source) => set({ source })}
      />
      <FilterSelect
        class="w-40"
        label={t("faults.subject")}
        all={t("faults.allSubjects")}
        value={filter.subject}
        options={FAULT_SUBJECTS.map((id) => ({ id, text: t(`faultSubject.${id}`) }))}
        onSelect={(subject) => set({ subject })}
      />
      <FilterSelect
        class="w-56"
        label={t("faults.code")}
        all={t("faults.allCodes")}
        value={filter.code}
        options={reasons}
        onSelect={(code) => set({ code })}
      />
      <FilterSelect
        class="w-40"
        label={t("common.time")}
        all={t("faults.anyTime")}
        value={filter.since}
        options={(Object.keys(SINCE) as Since[]).map((id) => ({ id, text: t(`faultsSince.${id}`) }))} // the table's own keys
        onSelect={(since) => set({ since })}
      />
    </>
  );
}

import { Trash2 } from "lucide-preact";
import { useMemo, useState } from "preact/hooks";
import { faultSources, faultSubjects } from "../../../lib/fault-sources.ts";
import { codeLabel } from "../../platform/i18n/error-texts.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { now } from "../../platform/now.ts";
import { language } from "../../platform/preferences.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { useUrlFilter } from "../../platform/use-url-filter.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Segments } from "../../ui/segments.tsx";
import { FaultList, useFaults } from "./fault-list.tsx";
import { type FaultQuery, type FaultScope, faultsApi } from "./faults-api.ts";

const HOUR_MS = 3_600_000;
const SINCE = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const;
type Since = keyof typeof SINCE;
const isSince = (text: string): text is Since => Object.hasOwn(SINCE, text);
const SCOPES = ["site", "gateway"] as const satisfies readonly FaultScope[];
const NAMES = ["scope", "search", "source", "subject", "code", "since"] as const;
type Filter = Record<(typeof NAMES)[number], string>;

/** List of faults, each with its remedy. */
export function FaultsScreen() {
  const { filter, set } = useUrlFilter(NAMES);
  const scope: FaultScope = filter.scope === "gateway" && may("gateway:manage") ? "gateway" : "site";
  const { search, source, code, since } = filter;
  const subject = faultSubjects.find((kind) => kind === filter.subject);
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
  const [isClearing, setClearing] = useState(false);
  const isFiltered = Object.keys(conditions).length > 0;
  return (
    <Page>
      <PageHead title={t("nav.faults")}>
        {mayClear(scope) && (view.shown?.total ?? 0) > 0 && (
          <Button icon={Trash2} size={14} onClick={() => setClearing(true)}>
            {t("faults.clear")}
          </Button>
        )}
      </PageHead>
      <p class="-mt-2 max-w-2xl text-soft">{t(scope === "site" ? "faults.intro" : "faults.gatewayIntro")}</p>
      {may("gateway:manage") && (
        <Segments
          label={t("faults.scope")}
          items={SCOPES.map((id) => ({ id, text: t(`faultScope.${id}`) }))}
          current={scope}
          onSelect={(id) => set({ scope: id === "site" ? "" : id, code: "" })}
        />
      )}
      <Filters scope={scope} filter={filter} set={set} total={view.shown?.total} />
      <FaultList
        view={view}
        isNamed
        none={
          isFiltered
            ? [t("faults.noMatch"), t("faults.noMatchHint")]
            : [t("faults.none"), t("faults.noneHint")]
        }
      />
      {isClearing && (
        <ConfirmDialog
          title={t("faults.clearTitle")}
          warning={plural("faults.clearWarning", view.shown?.total ?? 0)}
          action={t("faults.clear")}
          onCancel={() => setClearing(false)}
          onConfirm={async () => {
            await faultsApi.clear(scope, conditions);
            setClearing(false);
            view.page.reload();
          }}
        />
      )}
    </Page>
  );
}

const mayClear = (scope: FaultScope): boolean => may(scope === "site" ? "faults:clear" : "gateway:manage");

function Filters(props: {
  scope: FaultScope;
  filter: Filter;
  set: (changes: Partial<Filter>) => void;
  total: number | undefined;
}) {
  const { scope, filter, set, total } = props;
  const counts = useResource(() => faultsApi.counts(scope), [scope]).data ?? [];
  const reasons = [...new Set(counts.map(({ code }) => code))]
    .map((id) => ({ id, text: codeLabel(id) }))
    .sort((left, right) => left.text.localeCompare(right.text, language.value));
  return (
    <div class="flex flex-wrap items-center gap-2">
      <SearchBox label={t("faults.search")} value={filter.search} onSearch={(search) => set({ search })} />
      <FilterSelect
        class="w-44"
        label={t("faults.source")}
        all={t("faults.allSources")}
        value={filter.source}
        options={faultSources.map((id) => ({ id, text: t(`faultSource.${id}`) }))}
        onSelect={(source) => set({ source })}
      />
      <FilterSelect
        class="w-40"
        label={t("faults.subject")}
        all={t("faults.allSubjects")}
        value={filter.subject}
        options={faultSubjects.map((id) => ({ id, text: t(`faultSubject.${id}`) }))}
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
      <p class="text-sm text-soft" role="status">
        {total !== undefined && plural("faults.count", total)}
      </p>
    </div>
  );
}

import { Download, History, TriangleAlert } from "lucide-preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { HOUR_MS } from "../../../lib/core/units.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { now } from "../../platform/now.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { useUrlFilter } from "../../platform/use-url-filter.ts";
import { Button } from "../../ui/button.tsx";
import { FilterSelect } from "../../ui/form/filter-select.tsx";
import { SearchBox } from "../../ui/form/search-box.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { type AuditEntry, auditApi, OUTCOMES } from "./audit-api.ts";
import { AuditItem } from "./audit-item.tsx";
import { actionText } from "./audit-text.ts";

const PAGE_SIZE = 100;
const SINCE = { day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS, month: 30 * 24 * HOUR_MS } as const;
type Since = keyof typeof SINCE;
const NAMES = ["search", "action", "outcome", "since", "target"] as const;
const isSince = (text: string): text is Since => Object.hasOwn(SINCE, text);

/** Audit log (user, action, time, source), the newest entry first. */
export function AuditPage() {
  const { filter, set } = useUrlFilter(NAMES);
  const { search, action, outcome, since, target } = filter;
  const key = JSON.stringify(filter);
  // Settled when it is chosen, so that all pages are of the same stretch of time.
  const query = useMemo(() => {
    const from = isSince(since) ? { from: String(Math.floor(now.peek() - SINCE[since])) } : {};
    return { search, action, outcome, targetId: target, ...from };
  }, [key]);
  const first = useKept(() => auditApi.list({ ...query, limit: PAGE_SIZE }), [key]);
  const actions = useResource(auditApi.actions, []);
  return (
    <ResourceList
      title={t("page.audit")}
      isWithin
      intro={t("audit.intro")}
      actions={
        <a class="btn btn-sm" href="/faults">
          <TriangleAlert size={14} aria-hidden="true" />
          {t("common.faults")}
        </a>
      }
      list={first}
      filters={
        <>
          <SearchBox label={t("audit.search")} value={search} onSearch={(text) => set({ search: text })} />
          <FilterSelect
            class="w-40"
            label={t("audit.action")}
            all={t("audit.allActions")}
            value={action}
            options={(actions.data ?? []).map((id) => ({ id, text: actionText(id) }))}
            onSelect={(id) => set({ action: id })}
          />
          <FilterSelect
            class="w-40"
            label={t("audit.outcome")}
            all={t("audit.allOutcomes")}
            value={outcome}
            options={OUTCOMES.map((id) => ({ id, text: t(`outcome.${id}`) }))}
            onSelect={(id) => set({ outcome: id })}
          />
          <FilterSelect
            class="w-40"
            label={t("audit.since")}
            all={t("audit.anyTime")}
            value={since}
            options={(Object.keys(SINCE) as Since[]).map((id) => ({ id, text: t(`since.${id}`) }))} // the table's own keys
            onSelect={(id) => set({ since: id })}
          />
        </>
      }
      isFiltered={Object.values(filter).some((text) => text !== "")}
      countText={(total) => plural("audit.count", total)}
      toolbarEnd={<ExportButtons query={query} />}
      notes={
        target && (
          <p class="flex flex-wrap items-center gap-2 text-sm">
            {t("audit.onlyAbout")} <span class="reading break-all">{target}</span>
            <button type="button" class="btn btn-sm" onClick={() => set({ target: "" })}>
              {t("audit.aboutAll")}
            </button>
          </p>
        )
      }
      icon={History}
      none={[t("audit.none"), t("audit.noneHint")]}
      noMatch={[t("audit.noMatch"), t("audit.noMatchHint")]}
      table={() => first.data && <Entries key={key} first={first.data} query={query} />}
    />
  );
}

type Page = Awaited<ReturnType<typeof auditApi.list>>;
type Query = Omit<Parameters<typeof auditApi.list>[0], "limit" | "cursor">;

/** The first page and the pages requested since. */
function Entries({ first, query }: { first: Page; query: Query }) {
  const [more, setMore] = useState<readonly AuditEntry[]>([]);
  const [cursor, setCursor] = useState(first.cursor);
  const action = useAction();
  useEffect(() => {
    setMore([]);
    setCursor(first.cursor);
  }, [first]);
  const load = () =>
    action.run(async () => {
      const page = await auditApi.list({ ...query, limit: PAGE_SIZE, cursor });
      setMore([...more, ...page.rows]);
      setCursor(page.cursor);
    });
  return (
    <>
      <ul class="panel divide-y divide-base-300/60" aria-label={t("page.audit")}>
        {[...first.rows, ...more].map((entry) => (
          <AuditItem key={entry.auditId} entry={entry} />
        ))}
      </ul>
      <ErrorNote error={action.error} onRetry={load} />
      {cursor && (
        <button type="button" class="btn self-center" disabled={action.busy} onClick={load}>
          {t("common.showMore")}
        </button>
      )}
    </>
  );
}

/** Exports all matching entries, including those that are not displayed yet. */
function ExportButtons({ query }: { query: Query }) {
  const action = useAction();
  const save = (format: "csv" | "ndjson") =>
    action.run(async () => saveFile(await auditApi.export({ ...query, format }), `audit.${format}`));
  return (
    <span class="flex flex-wrap items-center gap-2">
      {(["csv", "ndjson"] as const).map((format) => (
        <Button
          icon={Download}
          size={14}
          key={format}
          disabled={action.busy}
          onClick={() => save(format)}
          aria-label={t("audit.export", { format: format.toUpperCase() })}
        >
          {format.toUpperCase()}
        </Button>
      ))}
      <ErrorNote error={action.error} />
    </span>
  );
}

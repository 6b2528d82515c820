import { CircleCheck } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { type Resource, useKept, useResource } from "../../platform/resource.ts";
import { EmptyPanel } from "../../ui/empty-panel.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Section } from "../../ui/section.tsx";
import { FaultItem } from "./fault-item.tsx";
import { type Fault, type FaultQuery, type FaultScope, type FaultSubject, faultsApi } from "./faults-api.ts";

const PAGE_SIZE = 20;
const REFRESH_MS = 15_000;

interface FaultPage {
  readonly rows: readonly Fault[];
  readonly total: number;
}

interface FaultsView {
  readonly page: Pick<Resource<FaultPage>, "error" | "reload">;
  /** The newest answer, until the next one is there. */
  readonly shown: FaultPage | undefined;
  readonly more: () => void;
}

/** Loads the newest faults that match, and again while the page is visible. */
export function useFaults(scope: FaultScope, query: FaultQuery): FaultsView {
  const [limit, setLimit] = useState(PAGE_SIZE);
  const page = useResource(
    () => faultsApi.list(scope, { ...query, limit }),
    [scope, JSON.stringify(query), limit],
  );
  const shown = useKept(page);
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && page.reload(), REFRESH_MS);
    return () => clearInterval(timer);
  });
  return { page, shown, more: () => setLimit(limit + 5 * PAGE_SIZE) };
}

/** Faults, the newest first. `isNamed` says for each what it is about. */
export function FaultList({
  view: { page, shown, more },
  isNamed,
  none,
}: {
  view: FaultsView;
  isNamed: boolean;
  none: readonly [title: string, hint: string];
}) {
  return (
    <>
      <ErrorNote of={page} />
      {shown?.rows.length === 0 && <EmptyPanel icon={CircleCheck} title={none[0]} hint={none[1]} />}
      {shown && shown.rows.length > 0 && (
        <ol class="panel divide-y divide-base-300/60" aria-label={t("common.faults")}>
          {shown.rows.map((fault) => (
            <FaultItem key={fault.faultId} fault={fault} isNamed={isNamed} />
          ))}
        </ol>
      )}
      {shown && shown.rows.length < shown.total && (
        <p class="flex flex-wrap items-center gap-3 text-sm text-soft">
          {t("faults.shown", { shown: shown.rows.length, total: shown.total })}
          <button type="button" class="btn btn-sm" onClick={more}>
            {t("common.showMore")}
          </button>
        </p>
      )}
    </>
  );
}

/** Faults of one object, on its page; nothing while there are none. */
export function ThingFaults({ kind, id }: FaultSubject) {
  const view = useFaults("site", { subject: kind, subjectId: id });
  if (view.shown === undefined || view.shown.rows.length === 0) return null;
  return (
    <Section id="faults" title={t("common.faults")} hint={t("faults.thingHint")}>
      <FaultList view={view} isNamed={false} none={["", ""]} />
    </Section>
  );
}

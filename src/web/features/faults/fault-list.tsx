import { CircleCheck } from "lucide-preact";
import { t } from "../../platform/i18n/i18n.ts";
import { usePages } from "../../platform/resource.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { Section } from "../../ui/page/section.tsx";
import { FaultItem } from "./fault-item.tsx";
import { type FaultQuery, type FaultScope, type FaultSubject, faultsApi } from "./faults-api.ts";

const PAGE_SIZE = 20;
const REFRESH_MS = 15_000;

/** Loads the newest matching faults, repeatedly while the page is visible. */
export function useFaults(scope: FaultScope, query: FaultQuery) {
  const faults = usePages((limit) => faultsApi.list(scope, { ...query, limit }), [scope, query], PAGE_SIZE);
  useRefresh(faults.reload, REFRESH_MS);
  return faults;
}

/** Faults of one object, on its page; empty if there are none. */
export function ThingFaults({ kind, id }: FaultSubject) {
  const faults = useFaults("site", { subject: kind, subjectId: id });
  if (faults.data === undefined || faults.data.rows.length === 0) return null;
  return (
    <Section id="faults" title={t("common.faults")} hint={t("faults.thingHint")}>
      <ResourceList
        title={t("common.faults")}
        isWithin
        list={faults}
        icon={CircleCheck}
        none={[t("faults.none"), t("faults.noneHint")]}
        isOrdered
      >
        {(fault) => <FaultItem key={fault.faultId} fault={fault} isNamed={false} />}
      </ResourceList>
    </Section>
  );
}

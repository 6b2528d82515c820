import { History } from "lucide-preact";
import { t } from "../../platform/i18n/i18n.ts";
import { may } from "../../platform/session.ts";

/** Links to the history of an object, for users who may read the audit log. */
export function HistoryLink({ id }: { id: string }) {
  if (!may("audit:read")) return null;
  return (
    <a href={`/settings/audit?target=${encodeURIComponent(id)}`} class="btn btn-sm self-start">
      <History size={14} aria-hidden="true" />
      {t("audit.ofThis")}
    </a>
  );
}

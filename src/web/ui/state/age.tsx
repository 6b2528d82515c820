import { formatAge, formatDate } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { now } from "../../platform/now.ts";

export function Age({ ts, never }: { ts: number | undefined; never?: string }) {
  if (ts === undefined) return <span>{never ?? t("common.never")}</span>;
  return (
    <time dateTime={new Date(ts).toISOString()} title={formatDate(ts, "zoned")}>
      {formatAge(ts, now.value)}
    </time>
  );
}

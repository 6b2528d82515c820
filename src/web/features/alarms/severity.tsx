import type { AlarmSeverity } from "../../../lib/alarms/severity.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { SeverityMark } from "../../ui/state/severity-mark.tsx";

/** Shows the mark and the name of a severity. The mark of a cleared alarm is empty and colorless. */
export function SeverityWord({
  severity,
  isCleared = false,
}: {
  severity: AlarmSeverity;
  isCleared?: boolean;
}) {
  return (
    <span
      class={`inline-flex items-center gap-2 text-sm whitespace-nowrap ${isCleared ? "text-soft" : "font-medium"}`}
    >
      <SeverityMark severity={severity} isCleared={isCleared} />
      {t(`severity.${severity}`)}
    </span>
  );
}

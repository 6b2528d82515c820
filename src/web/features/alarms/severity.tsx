import type { AlarmSeverity } from "../../../lib/alarms/severity.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { SeverityMark } from "../../ui/severity-mark.tsx";

/** Shows the mark of a severity and the word for it. The mark of a cleared alarm is empty and has no colour. */
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

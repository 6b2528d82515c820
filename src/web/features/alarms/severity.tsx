import { Check } from "lucide-preact";
import type { AlarmSeverity } from "../../../lib/severity.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { SeverityMark } from "../../ui/severity-mark.tsx";

/** A mark and the word for it: severity is never told by colour alone. A cleared alarm has a tick and no colour. */
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
      {isCleared ? <Check size={12} aria-hidden="true" /> : <SeverityMark severity={severity} />}
      {t(`severity.${severity}`)}
    </span>
  );
}

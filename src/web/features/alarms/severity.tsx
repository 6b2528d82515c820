import type { AlarmSeverity } from "../../../lib/severity.ts";
import { t } from "../../platform/i18n/i18n.ts";

const MARKS: Record<AlarmSeverity, string> = {
  CRITICAL: "bg-error",
  MAJOR: "bg-accent",
  MINOR: "border-2 border-accent",
  WARNING: "bg-info",
  INDETERMINATE: "bg-base-content/40",
};

/** A mark and the word for it: severity is never told by colour alone. */
export function SeverityWord({ severity }: { severity: AlarmSeverity }) {
  return (
    <span class="inline-flex items-center gap-2 text-sm font-medium whitespace-nowrap">
      <span class={`size-2.5 flex-none rounded-[2px] ${MARKS[severity]}`} aria-hidden="true" />
      {t(`severity.${severity}`)}
    </span>
  );
}

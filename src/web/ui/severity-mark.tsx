import type { AlarmSeverity } from "../../lib/severity.ts";

const MARKS: Record<AlarmSeverity, string> = {
  CRITICAL: "bg-error",
  MAJOR: "bg-accent",
  MINOR: "border-2 border-accent",
  WARNING: "bg-info",
  INDETERMINATE: "bg-base-content/40",
};

/** The mark of a severity: square where the lamp of a connection is round. The word for it stands beside it. */
export function SeverityMark({ severity }: { severity: AlarmSeverity }) {
  return <span class={`size-2.5 flex-none rounded-[2px] ${MARKS[severity]}`} aria-hidden="true" />;
}

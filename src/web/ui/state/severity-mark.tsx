import type { AlarmSeverity } from "../../../lib/alarms/severity.ts";
import { severityClass } from "./severity-colors.ts";

/** A shape for each severity, so that it is not shown by color alone. Round marks are connection states. */
const SHAPES: Readonly<Record<AlarmSeverity, string>> = {
  CRITICAL: "M1.5 1.5h9v9h-9z",
  MAJOR: "M6 1.5 11 10.5H1z",
  MINOR: "M6 10.5 11 1.5H1z",
  WARNING: "M6 1 11 6 6 11 1 6z",
  INDETERMINATE: "M1.5 4h9v4h-9z",
};

/** The mark of a severity: hollow and without color if the alarm is cleared. Its name is shown next to it. */
export function SeverityMark({
  severity,
  isCleared = false,
}: {
  severity: AlarmSeverity;
  isCleared?: boolean;
}) {
  return (
    <svg
      viewBox="0 0 12 12"
      class={`size-3 flex-none ${isCleared ? "" : severityClass(severity, "graphic")}`}
      data-severity={severity}
      aria-hidden="true"
    >
      <path
        d={SHAPES[severity]}
        class={isCleared ? "fill-none" : severityClass(severity, "ground")}
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linejoin="round"
      />
    </svg>
  );
}

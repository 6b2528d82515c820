import type { AlarmSeverity } from "../../severity.ts";

/** The words for severities, in the console as well as in mails and histories. */
export const severities = {
  CRITICAL: "Critical",
  MAJOR: "Major",
  MINOR: "Minor",
  WARNING: "Warning",
  INDETERMINATE: "Indeterminate",
} as const satisfies Record<AlarmSeverity, string>;

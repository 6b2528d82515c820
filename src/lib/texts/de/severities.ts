import type { AlarmSeverity } from "../../severity.ts";

export const severitiesDe: Readonly<Record<AlarmSeverity, string>> = {
  CRITICAL: "Kritisch",
  MAJOR: "Erheblich",
  MINOR: "Gering",
  WARNING: "Warnung",
  INDETERMINATE: "Unbestimmt",
};

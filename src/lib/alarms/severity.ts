/** Severities of alarms. This list is their only home: the server, the console and the catalogs take them from here. */

/** Sorted, least severe first. */
export const ALARM_SEVERITIES = ["INDETERMINATE", "WARNING", "MINOR", "MAJOR", "CRITICAL"] as const;
export type AlarmSeverity = (typeof ALARM_SEVERITIES)[number];

/** Sorted for display, most severe first. */
export const severitiesDescending: readonly AlarmSeverity[] = ALARM_SEVERITIES.toReversed();

/** Severities that notify a new user. */
export const SEVERITIES_DEFAULT: readonly AlarmSeverity[] = ["WARNING", "MINOR", "MAJOR", "CRITICAL"];

/** Comparator for `sort`, least severe first. */
export const compareSeverities = (a: AlarmSeverity, b: AlarmSeverity): number =>
  ALARM_SEVERITIES.indexOf(a) - ALARM_SEVERITIES.indexOf(b);

/** Severities of alarms. This list is their only home: the server, the console and the catalogues take them from here. */

/** The least severe first. */
export const ALARM_SEVERITIES = ["INDETERMINATE", "WARNING", "MINOR", "MAJOR", "CRITICAL"] as const;
export type AlarmSeverity = (typeof ALARM_SEVERITIES)[number];

/** The most severe first, as people read them. */
export const severitiesDescending: readonly AlarmSeverity[] = ALARM_SEVERITIES.toReversed();

/** Severities that notify a new user. */
export const SEVERITIES_DEFAULT: readonly AlarmSeverity[] = ["WARNING", "MINOR", "MAJOR", "CRITICAL"];

/** Compares like a comparator of `sort`: the least severe first. */
export const compareSeverities = (a: AlarmSeverity, b: AlarmSeverity): number =>
  ALARM_SEVERITIES.indexOf(a) - ALARM_SEVERITIES.indexOf(b);

/** Severities of alarms. This list is their only home: the server, the console and the catalogues take them from here. */

/** The least severe first. */
export const alarmSeverities = ["INDETERMINATE", "WARNING", "MINOR", "MAJOR", "CRITICAL"] as const;
export type AlarmSeverity = (typeof alarmSeverities)[number];

/** The most severe first, as people read them. */
export const severitiesDescending: readonly AlarmSeverity[] = alarmSeverities.toReversed();

/** Severities that notify a new user. */
export const severitiesDefault: readonly AlarmSeverity[] = ["WARNING", "MINOR", "MAJOR", "CRITICAL"];

/** Compares like a comparator of `sort`: the least severe first. */
export const compareSeverities = (a: AlarmSeverity, b: AlarmSeverity): number =>
  alarmSeverities.indexOf(a) - alarmSeverities.indexOf(b);

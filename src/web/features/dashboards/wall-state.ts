import { type AlarmSeverity, compareSeverities } from "../../../lib/severity.ts";
import type { ResolvedDevice } from "./dashboards-api.ts";

/** The state of all that a dashboard shows, in one. */
export interface WallState {
  /** The most severe open alarm. */
  readonly severity: AlarmSeverity | undefined;
  readonly openAlarms: number;
  readonly devices: number;
  readonly inactive: number;
}

export function wallStateOf(devices: readonly ResolvedDevice[]): WallState {
  const severities = devices.flatMap(({ alarmSeverity }) => alarmSeverity ?? []);
  return {
    severity: severities.sort((a, b) => compareSeverities(b, a))[0],
    openAlarms: devices.reduce((sum, { openAlarms = 0 }) => sum + openAlarms, 0),
    devices: devices.length,
    inactive: devices.filter(({ active }) => !active).length,
  };
}

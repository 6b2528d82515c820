import { type AlarmSeverity, compareSeverities } from "./severity.ts";

interface DeviceAlarms {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly parentDeviceId?: string | null | undefined;
  /** Severity of the most severe open alarm of the device. */
  readonly severity: AlarmSeverity;
}

export interface WorstAlarm {
  readonly severity: AlarmSeverity;
  /** Name of the child with the alarm; undefined for an alarm of the device itself. */
  readonly childName: string | undefined;
}

/** Returns the most severe open alarm by device id: its own, or a more severe alarm of a child of a gateway. */
export function worstAlarms(devices: readonly DeviceAlarms[]): Map<string, WorstAlarm> {
  const worst = new Map<string, WorstAlarm>();
  for (const { deviceId, severity } of devices) worst.set(deviceId, { severity, childName: undefined });
  for (const { parentDeviceId, deviceName, severity } of devices) {
    if (parentDeviceId === undefined || parentDeviceId === null) continue;
    const existing = worst.get(parentDeviceId);
    if (existing === undefined || compareSeverities(severity, existing.severity) > 0)
      worst.set(parentDeviceId, { severity, childName: deviceName });
  }
  return worst;
}

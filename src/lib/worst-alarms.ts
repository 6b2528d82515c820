import { type AlarmSeverity, compareSeverities } from "./severity.ts";

interface DeviceAlarms {
  readonly deviceId: string;
  readonly parentDeviceId?: string | null | undefined;
  /** The most severe open alarm of the device. */
  readonly severity: AlarmSeverity;
}

export interface WorstAlarm {
  readonly severity: AlarmSeverity;
  /** True if it is an alarm of a child of the gateway. */
  readonly isOfChild: boolean;
}

/** Returns the most severe open alarm by device id: its own, or for a gateway one of its children that is more severe. */
export function worstAlarms(devices: readonly DeviceAlarms[]): Map<string, WorstAlarm> {
  const worst = new Map<string, WorstAlarm>();
  for (const { deviceId, severity } of devices) worst.set(deviceId, { severity, isOfChild: false });
  for (const { parentDeviceId, severity } of devices) {
    if (parentDeviceId === undefined || parentDeviceId === null) continue;
    const existing = worst.get(parentDeviceId);
    if (existing === undefined || compareSeverities(severity, existing.severity) > 0)
      worst.set(parentDeviceId, { severity, isOfChild: true });
  }
  return worst;
}

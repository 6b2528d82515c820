/** States of a device, apart from its alarms. */
export const DEVICE_STATES = ["ACTIVE", "INACTIVE", "NEVER_CONNECTED", "MAINTENANCE"] as const;
export type DeviceState = (typeof DEVICE_STATES)[number];

interface StateFacts {
  readonly isInMaintenance: boolean;
  readonly active: boolean;
  /** True if the device has ever connected or sent a message. */
  readonly hasConnected: boolean;
}

/** Returns the current state; maintenance precedes activity. */
export function deviceStateOf({ isInMaintenance, active, hasConnected }: StateFacts): DeviceState {
  if (isInMaintenance) return "MAINTENANCE";
  if (active) return "ACTIVE";
  return hasConnected ? "INACTIVE" : "NEVER_CONNECTED";
}

interface Active {
  readonly active: boolean;
  readonly state: DeviceState;
  readonly lastActivityAt?: string | undefined;
}

/** Returns the device after a change of its activity. Without a new `lastActivityAt`, it keeps its own. */
export const withActive = <Device extends Active>(
  device: Device,
  active: boolean,
  lastActivityAt?: string | null,
): Device => ({
  ...device,
  active,
  state: deviceStateOf({ isInMaintenance: device.state === "MAINTENANCE", active, hasConnected: true }),
  ...(lastActivityAt && { lastActivityAt }),
});

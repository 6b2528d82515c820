/** States of a device, apart from its alarms. */
export const DEVICE_STATES = ["ACTIVE", "INACTIVE", "NEVER_CONNECTED", "MAINTENANCE"] as const;
export type DeviceState = (typeof DEVICE_STATES)[number];

interface StateFacts {
  readonly isInMaintenance: boolean;
  readonly active: boolean;
  /** True if it has ever connected or sent a message. */
  readonly hasConnected: boolean;
}

/** Returns the state that applies; maintenance precedes activity. */
export function deviceStateOf({ isInMaintenance, active, hasConnected }: StateFacts): DeviceState {
  if (isInMaintenance) return "MAINTENANCE";
  if (active) return "ACTIVE";
  return hasConnected ? "INACTIVE" : "NEVER_CONNECTED";
}

/** Returns the device after it started or stopped sending. */
export const withActive = <Device extends { readonly active: boolean; readonly state: DeviceState }>(
  device: Device,
  active: boolean,
): Device => ({
  ...device,
  active,
  state: deviceStateOf({ isInMaintenance: device.state === "MAINTENANCE", active, hasConnected: true }),
});

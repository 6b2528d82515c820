/** States of a device, apart from its alarms. The first state that applies counts, so maintenance precedes activity. */
export const DEVICE_STATES = ["MAINTENANCE", "ACTIVE", "INACTIVE", "NEVER_CONNECTED"] as const;
export type DeviceState = (typeof DEVICE_STATES)[number];

interface StateFacts {
  readonly isInMaintenance: boolean;
  readonly active: boolean;
  /** True if it has ever connected or sent a message. */
  readonly hasConnected: boolean;
}

export function deviceStateOf({ isInMaintenance, active, hasConnected }: StateFacts): DeviceState {
  if (isInMaintenance) return "MAINTENANCE";
  if (active) return "ACTIVE";
  return hasConnected ? "INACTIVE" : "NEVER_CONNECTED";
}

/** Returns the device after it started or stopped sending. */
export const withActive = <Device extends { readonly active: boolean; readonly state: DeviceState }>(
  device: Device,
  active: boolean,
): Device => ({ ...device, active, state: stateWhen(active, device.state) });

/** The state of a device that starts or stops sending. */
export const stateWhen = (active: boolean, before: DeviceState): DeviceState =>
  deviceStateOf({ isInMaintenance: before === "MAINTENANCE", active, hasConnected: true });

/** Keys in the SERVER scope with observations of the gateway about a device. All except `active` are times in epoch ms. */
export const OBSERVED_ATTRIBUTES: ReadonlySet<string> = new Set([
  "active",
  "inactivityAlarmTime",
  "lastActivityTime",
  "lastConnectTime",
  "lastDisconnectTime",
]);

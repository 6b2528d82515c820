/** Keys in the SERVER scope that hold what the gateway observes of a device; all but `active` are times in epoch ms. */
export const OBSERVED_ATTRIBUTES: ReadonlySet<string> = new Set([
  "active",
  "inactivityAlarmTime",
  "lastActivityTime",
  "lastConnectTime",
  "lastDisconnectTime",
]);

/** SERVER attributes that the gateway itself sets. All except `active` are epoch ms. */
export const OBSERVED_ATTRIBUTES: ReadonlySet<string> = new Set([
  "active",
  "inactivityAlarmTime",
  "lastActivityTime",
  "lastConnectTime",
  "lastDisconnectTime",
]);

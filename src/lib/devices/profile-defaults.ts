/** Defaults of a new device profile, for the API and the console. */
export const profileDefaults = {
  description: "",
  isDefault: false,
  alarmRules: [],
  inactivityTimeoutMs: null,
  retentionDays: null,
  telemetryTopic: null,
  payload: "AUTO",
  commandTimeoutMs: 30_000,
  createsChildren: true,
  sessionsMax: 1,
  sessionsWhenFull: "REPLACE",
  messagesPerSecond: null,
  messagesBurst: null,
  convertsNumericText: false,
  deviceRequests: [],
  commands: [],
} as const;

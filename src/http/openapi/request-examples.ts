/** An example of each JSON request, by operation. A test holds every one against the schema of its body. */

const deviceId = "01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d";
const alarmId = "01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c70";
const dashboardId = "01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c71";
const password = "correct horse battery staple";

const schedule = { kind: "cron", expression: "0 22 * * 1-5", timezone: "Europe/Berlin" };
const action = { type: "attributes", deviceIds: [deviceId], attributes: { mode: "night" } };
const steps = [
  { type: "rename_keys", mapping: { t: "temperature" } },
  { type: "filter_range", keys: ["temperature"], min: -40, max: 85 },
];
const alarmRule = {
  alarmType: "Overheating",
  createRules: [
    {
      severity: "CRITICAL",
      condition: { key: "temperature", op: "GT", value: 80 },
      kind: "DURATION",
      forMs: 60_000,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the alarm rule's own
      message: "${deviceName} is at ${temperature} °C",
    },
  ],
  clearRule: { condition: { key: "temperature", op: "LT", value: 70 } },
};
const dashboard = {
  name: "Line 1",
  widgets: [
    {
      widgetId: "temperature",
      type: "timeseries",
      name: "Temperature",
      config: { aliasId: "machines", keys: ["temperature"], aggregation: "avg" },
    },
  ],
  layout: [{ i: "temperature", x: 0, y: 0, w: 6, h: 4 }],
  aliases: [{ id: "machines", name: "Machines", type: "deviceType", deviceType: "press" }],
};
const uplinkTarget = {
  type: "INFLUXDB",
  url: "https://influx.example.com:8086",
  organization: "plant",
  bucket: "gateways",
  token: "secret token",
};
const generator = {
  intervalSeconds: 5,
  metrics: [{ key: "temperature", min: 18, max: 24, pattern: "walk" }],
};
const codecSource = "function decodeUplink({ bytes }) { return { data: { temperature: bytes[0] / 10 } }; }";
const telemetry = { temperature: 21.5, running: true };

const mailServer = {
  host: "mail.plant.example",
  port: 587,
  security: "STARTTLS",
  acceptsAnyCertificate: false,
  user: "gateway",
  password,
};

export const requestExamples: Readonly<Record<string, unknown>> = {
  setBackupSettings: {
    place: { kind: "folder", path: "/media/usb/lineside" },
    passphrase: "correct horse battery staple",
    schedule: { expression: "30 3 * * *", timezone: "Europe/Berlin" },
    daily: 7,
    weekly: 4,
    maxAgeHours: 36,
  },
  setSharedDevices: { tenantIds: ["0197a2b4-5c6d-7e8f-9a0b-1c2d3e4f5a6b"] },
  setProxySettings: { publicUrl: "https://plant.example/lineside", trustedProxies: "127.0.0.1, 10.0.5.0/24" },
  testProxySettings: { publicUrl: "https://plant.example/lineside", trustedProxies: "127.0.0.1" },
  setMailSettings: { server: mailServer, from: "gateway@plant.example" },
  testMailSettings: { server: mailServer, to: "anna@plant.example" },
  restoreSetupArchive: {
    token: "dGhlIHNlY3JldCBvZiB0aGUgbGluaw",
    passphrase: "correct horse battery staple",
  },
  setLogLevel: { level: "debug" },
  testBackupPlace: { place: { kind: "folder", path: "/media/usb/lineside" } },
  exchangeCode: { code: "5cX0p1…", codeVerifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" },
  changePassword: { currentPassword: password, newPassword: "a much longer passphrase" },
  beginSecondFactor: { password },
  confirmSecondFactor: { code: "123456" },
  renewRecoveryCodes: { password },
  disableSecondFactor: { password },
  impersonateUser: { targetUserId: deviceId },
  createOwner: {
    token: "q2V5…",
    email: "ann@plant.example",
    password,
    fullName: "Ann Miller",
    tenantName: "Plant North",
  },
  signUp: { email: "ann@plant.example", password, fullName: "Ann Miller", planId: "basic" },
  resendOneTimeCode: { email: "ann@plant.example" },
  verifyOneTimeCode: { email: "ann@plant.example", otp: "123456", password },
  completeOnboarding: { fullName: "Ann Miller", tenantName: "Plant North", planId: "basic" },
  createApiKey: { name: "ERP", role: "TENANT_READ_ONLY", expiresAt: "2027-12-31T00:00:00Z" },
  updateApiKey: { name: "ERP of plant north" },
  createUser: {
    fullName: "Bob Jones",
    email: "bob@plant.example",
    role: "TENANT_RW",
    inviteDelivery: "MANUAL",
  },
  updateUser: { canAcknowledgeAlarms: true, notificationSeverities: ["MAJOR", "CRITICAL"] },
  updateTenantProfile: { tenantName: "Plant North" },
  deleteTenant: { tenantName: "Plant North" },
  setTenantAttribute: { key: "branding", value: { name: "Plant North", primaryColor: "#0f766e" } },
  setTenantBranding: { name: "Plant North", primaryColor: "#0f766e" },
  validateDevices: { rows: [{ name: "press 1", deviceType: "press" }] },
  importDevices: { rows: [{ name: "press 1", deviceType: "press" }] },
  sendTestTelemetry: { protocol: "MQTT", payload: telemetry },
  queryLatestTelemetry: { deviceIds: [deviceId], keys: ["temperature"] },
  queryTelemetry: {
    deviceIds: [deviceId],
    keys: ["temperature"],
    from: 1_767_225_600_000,
    to: 1_767_312_000_000,
    aggregation: "avg",
    maxDataPoints: 500,
  },
  setDeviceAttributes: { scope: "SHARED", attributes: { mode: "night", setpoint: 18 } },
  createDeviceCommand: { method: "setValue", params: { key: "setpoint", value: 21 }, retries: 2 },
  acknowledgeTestCommand: { success: true, message: "done" },
  createJob: { name: "Night mode", schedule, action, misfire: "once" },
  previewSchedule: { schedule, count: 5 },
  updateJob: { enabled: false },
  createDataPipeline: { name: "Names and limits", scope: { deviceTypes: ["press"] }, steps },
  previewDataPipeline: { steps, telemetry: { t: 21.5 } },
  updateDataPipeline: { steps },
  rollbackDataPipeline: { version: 3 },
  updateEscalationSettings: {
    level1To2Minutes: 15,
    level2To3Minutes: 60,
    stopOnAck: true,
    stopOnClear: true,
  },
  acknowledgeAlarms: { alarmIds: [alarmId] },
  clearAlarms: { alarmIds: [alarmId] },
  createAlarmComment: { message: "The filter was changed." },
  backTestAlarmRule: { rule: alarmRule, deviceIds: [deviceId] },
  startMaintenance: { until: "2027-01-01T12:00:00Z", reason: "Oil change" },
  updateNotificationSettings: { language: "en", timezone: "Europe/Berlin", digestAfter: 5 },
  testNotification: { channel: "email" },
  createMessenger: { name: "Shift", kind: "NTFY", topic: "plant-7f3a", severities: ["CRITICAL"] },
  updateMessenger: { isEnabled: false },
  createGenerator: {
    name: "Room climate",
    type: "data_generator",
    enabled: true,
    status: "active",
    config: generator,
  },
  createMqttClient: {
    name: "Node-RED",
    signIn: "PASSWORD",
    username: "node-red",
    publish: ["plant/#"],
    subscribe: ["plant/#", "lineside/devices/#"],
  },
  updateMqttClient: { publish: ["plant/line-1/#"] },
  publishMqttMessage: { topic: "plant/line-1/lamp/set", payload: "ON", qos: 1, retain: true },
  createUplink: { name: "Central historian", target: uplinkTarget, start: "BEGINNING" },
  testUplinkTarget: { target: uplinkTarget },
  updateUplink: { enabled: false },
  resendUplink: { from: 1_790_000_000_000, to: 1_790_086_400_000 },
  previewGenerator: { config: generator },
  updateGenerator: { config: generator },
  createDashboard: dashboard,
  importDashboard: { dashboard },
  createDashboardForType: { deviceType: "press" },
  previewDashboard: { dashboard, timeRange: { mode: "relative", durationMs: 3_600_000 } },
  resolveAlias: { alias: dashboard.aliases[0] },
  updateDashboard: { name: "Line 1, presses" },
  executeDashboard: { timeRange: { mode: "relative", durationMs: 3_600_000 }, context: { deviceId } },
  createDashboardShare: { name: "Screen in hall 2", expiresAt: "2027-12-31T00:00:00Z" },
  getSharedDashboard: { timeRange: { mode: "relative", durationMs: 3_600_000 } },
  createCodec: { name: "Room sensor", source: codecSource },
  previewCodec: { source: codecSource, frame: "d7", encoding: "hex", fPort: 1 },
  updateCodec: { description: "Firmware 2 and later" },
  createIntegration: {
    name: "ChirpStack",
    type: "CHIRPSTACK",
    status: "active",
    settings_json: { autoCreateDevice: true, deviceType: "room sensor" },
  },
  previewIntegration: { type: "HTTP", payload: { deviceId: "press-1", temperature: 21.5 } },
  updateIntegration: { settings_json: { radioMetadata: false } },
  sendDownlink: { devEui: "0102030405060708", fPort: 1, hex: "01ff", confirmed: true },
  createDevice: { name: "press 1", deviceType: "press", tags: ["line 1"] },
  updateDevice: { label: "by the window", targetDashboardId: dashboardId },
  setDeviceCredentials: { type: "MQTT_BASIC", username: "press-1", password },
  setDeviceProfileProvisioning: { mode: "ALLOW_NEW" },
  createDeviceProfile: { name: "Presses", retentionDays: 365, alarmRules: [alarmRule] },
  updateDeviceProfile: { inactivityTimeoutMs: 120_000 },
  setKeyMetadataDefaults: { keyMetadata: [{ key: "battery", unit: "%", decimals: 0, limits: { low: 20 } }] },
  resolveKeyMetadata: { deviceIds: [deviceId] },
  rotateWebhookSecret: { keepOld: true },
};

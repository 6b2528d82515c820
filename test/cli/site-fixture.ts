// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of site files look like this
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "../support/fake-clock.ts";
import { PROGRAM } from "../support/program.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";

/** Replies to requests of ovens; the script has what site files use for references. */
export const deviceRequests = [
  { method: "getSetpoints", reply: { low: 18, name: "${device:literal}" } },
  {
    method: "getName",
    script: "function transform({ params }) {\n  // ${device:literal}\n  return `${params}`;\n}\n",
  },
];

/** Commands of ovens; texts have what site files use for references. */
export const commands = [
  {
    method: "setpoint",
    name: "${device:literal}",
    params: [{ name: "t", type: "number", maximum: 250, default: 18 }],
  },
];

export const OWNER = "owner@plant.example";
export const BROKER_PASSWORD = "broker-secret-4711";
export const WEBHOOK_SECRET = "webhook-secret-4712";
export const BOT_TOKEN = "4714:bot-secret";
export const HEADER_SECRET = "header-secret-4713";

/** A gateway with an owner. */
export interface Gateway {
  readonly fixture: TestApp;
  /** Of the owner. */
  readonly token: string;
  readonly clock: FakeClock;
  call(method: string, path: string, body?: unknown): Promise<Awaited<ReturnType<TestApp["call"]>>>;
  /** Runs `lineside` with these arguments against the gateway, as its owner by default. */
  run(
    args: readonly string[],
    env?: Record<string, string>,
  ): Promise<{ code: number; out: string; error: string }>;
}

export async function startGateway(): Promise<Gateway> {
  // Its timers stand still: nothing is created while a test compares two files.
  const clock = new FakeClock(Date.now());
  const fixture = await createTestApp({
    clock,
    config: { outbound_allow: "127.0.0.1", outbound_private: "host" },
  });
  const { setup, provider, identity } = fixture.app.services;
  await setup.createOwner({ email: OWNER, password: PASSWORD, fullName: "Owner", tenantName: "Plant" });
  const { code } = await provider.signIn({ email: OWNER, password: PASSWORD, address: "test" });
  const token = (await identity.exchange(code, undefined)).accessToken;
  return {
    fixture,
    token,
    clock,
    call: (method, path, body) => fixture.call(method, path, { token, ...(body !== undefined && { body }) }),
    run: (args, env = {}) =>
      runLineside([...args, "--url", fixture.app.url], {
        LINESIDE_OWNER_EMAIL: OWNER,
        LINESIDE_OWNER_PASSWORD: PASSWORD,
        ...env,
      }),
  };
}

/** Runs `lineside` with no other variables than these. */
export async function runLineside(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = Bun.spawn([...PROGRAM, ...args], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, error };
}

export async function createFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "lineside-site-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

async function create(
  gateway: Gateway,
  path: string,
  body: Record<string, unknown>,
): Promise<Record<string, string>> {
  const response = await gateway.call("POST", path, body);
  if (response.status >= 300) throw new Error(`${path} answered ${response.status} ${response.text}`);
  return response.body;
}

const alarmRule = (deviceId: string) => ({
  alarmType: "Too hot",
  createRules: [{ severity: "CRITICAL", condition: { key: "temperature", op: "GT", value: 90 } }],
  actions: [{ on: "CREATED", type: "command", command: { method: "stop" }, deviceId }],
});

/** Creates an object of each kind, with references in a circle and with secrets. */
export async function setUpPlant(gateway: Gateway): Promise<void> {
  const { messengerId } = await create(gateway, "/api/notifications/messengers", {
    name: "Shift",
    kind: "TELEGRAM",
    server: "http://127.0.0.1:9",
    chatId: "-1001",
    secret: BOT_TOKEN,
    ruleScope: "NAMED",
  });
  const { profileId } = await create(gateway, "/api/device-profiles", { name: "Oven", isDefault: true });
  const hall = await create(gateway, "/api/devices", {
    name: "Hall {1}",
    deviceType: "gateway",
    role: "GATEWAY",
  });
  const oven = await create(gateway, "/api/devices", {
    name: "Oven 1",
    deviceType: "oven",
    profileId,
    parentDeviceId: hall.deviceId,
    tags: ["hot", "yes"],
    lorawanDevEui: "0123456789abcdef",
  });
  const deviceId = oven.deviceId ?? "";
  await gateway.call("PATCH", `/api/device-profiles/${profileId}`, {
    alarmRules: [{ ...alarmRule(deviceId), recipientIds: [messengerId] }],
    retentionDays: 30,
    convertsNumericText: true,
    deviceRequests,
    commands,
    keyMetadata: [
      { key: "temperature", unit: "°C", decimals: 1, limits: { low: 0, high: 90.5 } },
      { key: "constructor", kind: "state", states: [{ value: true, name: "On", color: "green" }] },
    ],
  });
  await gateway.call("PUT", "/api/key-metadata/defaults", { keyMetadata: [{ key: "battery", unit: "%" }] });
  const source =
    'function decodeUplink(input) {\n  // ${device:literal} "quoted"\n  return { data: { t: input.bytes[0] } };\n}\n';
  const { codecId } = await create(gateway, "/api/integrations/codecs", { name: "TH-1", source });
  const { id: dashboardId } = await create(gateway, "/api/dashboards", {
    name: "Hall",
    type: "STATIC",
    states: [{ id: "main", name: "Main" }],
    layout: [{ i: "t", x: 0, y: 0, w: 6, h: 4 }],
    widgets: [
      { widgetId: "t", type: "timeseries", name: "T", config: { aliasId: "oven", keys: ["temperature"] } },
      {
        widgetId: "m",
        type: "floorPlan",
        name: "",
        config: { aliasId: "oven", places: { [deviceId]: { x: 1, y: 2 } } },
      },
    ],
    aliases: [{ id: "oven", name: "Oven", type: "deviceList", deviceIds: [deviceId] }],
    timeWindow: { mode: "relative", durationMs: 3_600_000 },
  });
  await gateway.call("PATCH", `/api/devices/${deviceId}`, {
    targetDashboardId: dashboardId,
    applyToAllOfType: true,
  });
  await create(gateway, "/api/data-pipelines", {
    name: "Forward",
    status: "active",
    scope: { profileIds: [profileId], deviceIds: [deviceId] },
    steps: [
      { type: "rename_keys", mapping: { t: "temperature" } },
      {
        type: "webhook_forward",
        url: "http://127.0.0.1:9/hook",
        secret: WEBHOOK_SECRET,
        headers: { Authorization: `Bearer ${HEADER_SECRET}` },
      },
    ],
  });
  await create(gateway, "/api/rule-chains", {
    name: "Sine",
    type: "data_generator",
    enabled: false,
    status: "paused",
    config: {
      intervalSeconds: 60,
      metrics: [{ key: "t", min: 0, max: 1, pattern: "sine" }],
      deviceIds: [deviceId],
    },
  });
  await create(gateway, "/api/integrations", {
    name: "Broker",
    type: "MQTT",
    status: "draft",
    settings_json: {
      profileId,
      codecs: [{ codecId }],
      mqtt: {
        brokerUrl: "mqtt://127.0.0.1:9",
        topicFilter: "plant/#",
        credentials: { username: "lineside", password: BROKER_PASSWORD },
      },
    },
  });
  const { connectionId } = await create(gateway, "/api/modbus/connections", {
    name: "Line 1",
    host: "127.0.0.1",
    port: 9,
    enabled: false,
  });
  await create(gateway, `/api/modbus/connections/${connectionId}/units`, {
    deviceId,
    unitId: 7,
    registers: [
      {
        key: "power",
        area: "INPUT_REGISTER",
        address: 52,
        type: "FLOAT32",
        order: "CDAB",
        intervalMs: 1_000,
      },
      { key: "setpoint", area: "HOLDING_REGISTER", address: 4, type: "INT16", scale: 0.1, writable: true },
    ],
  });
  const s7 = await create(gateway, "/api/s7/connections", {
    name: "Press 4",
    host: "127.0.0.1",
    port: 9,
    slot: 2,
    enabled: false,
  });
  await create(gateway, `/api/s7/connections/${s7.connectionId}/units`, {
    deviceId,
    intervalMs: 500,
    tags: [{ key: "pressure", address: "%DB1.DBD4:REAL", scale: 2, writable: true }],
  });
  const bacnet = await create(gateway, "/api/bacnet/connections", {
    name: "Air 1",
    host: "127.0.0.1",
    port: 9,
    deviceInstance: 1_201,
    network: 5,
    mac: "0a",
    enabled: false,
  });
  await create(gateway, `/api/bacnet/connections/${bacnet.connectionId}/units`, {
    deviceId,
    intervalMs: 5_000,
    objects: [{ key: "supply", address: "analog-output:1", priority: 8, writable: true }],
  });
  const opcua = await create(gateway, "/api/opcua/connections", {
    name: "Filler",
    host: "127.0.0.1",
    port: 9,
    path: "/plant",
    securityMode: "SIGN_AND_ENCRYPT",
    securityPolicy: "BASIC256SHA256",
    acceptedFingerprint: "ab".repeat(32),
    signIn: "USER_NAME",
    userName: "operator",
    password: PASSWORD,
    enabled: false,
  });
  await create(gateway, `/api/opcua/connections/${opcua.connectionId}/units`, {
    deviceId,
    intervalMs: 500,
    items: [
      { key: "filled", address: "ns=2;s=Filler.Count", writable: true },
      { key: "lanes", address: "ns=2;s=Filler.Lanes", length: 3 },
    ],
  });
  await create(gateway, "/api/uplinks", {
    name: "Central",
    enabled: false,
    target: { type: "LINESIDE", url: "mqtt://127.0.0.1:9", token: BROKER_PASSWORD },
    selection: { deviceIds: [deviceId], deviceTypes: [], deviceTags: [], keys: ["t*"] },
  });
  await create(gateway, "/api/scheduler", {
    name: "Night",
    enabled: true,
    schedule: { kind: "cron", expression: "0 22 * * *", timezone: "Europe/Berlin" },
    action: {
      type: "command",
      deviceIds: [deviceId],
      command: { method: "setMode", params: { mode: "night" } },
    },
  });
  await create(gateway, "/api/users", {
    fullName: "Night shift",
    email: "night@plant.example",
    role: "TENANT_READ_ONLY",
    hasGlobalDeviceAccess: false,
    deviceIds: [deviceId],
    canAcknowledgeAlarms: true,
  });
  await gateway.call("PATCH", "/api/alarms/escalation-settings", {
    level1To2Minutes: 7,
    level2To3Minutes: 9,
    stopOnAck: true,
    stopOnClear: true,
  });
  await gateway.call("PATCH", "/api/notifications/settings", {
    language: "de",
    messaging: {
      url: "http://127.0.0.1:9/sms",
      headers: { Authorization: HEADER_SECRET, "X-Plant": "7" },
      body: '{"text": "${message}"}',
    },
  });
}

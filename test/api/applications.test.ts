import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

let fixture: TestApp;
let owner: string;
let pump: { deviceId: string; token: string };
let two: { deviceId: string; token: string };
let key: string;
const clock = new FakeClock(Date.now());
const clients: MqttClient[] = [];

const newKey = async (fields: Record<string, unknown> = {}, token = owner) =>
  (
    await fixture.call("POST", "/api/api-keys", {
      token,
      body: { name: crypto.randomUUID(), role: "TENANT_READ_ONLY", ...fields },
    })
  ).body as { apiKeyId: string; key: string };

beforeAll(async () => {
  fixture = await createTestApp({ clock });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  pump = await fixture.createDevice(owner);
  two = await fixture.createDevice(owner);
  key = (await newKey()).key;
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.endAsync(true);
});
afterAll(() => fixture.stop());

interface Received {
  readonly topic: string;
  readonly body: unknown;
  readonly retained: boolean;
}

async function open(password: string, options: IClientOptions = {}) {
  const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
    username: "node-red",
    password,
    protocolVersion: 5,
    reconnectPeriod: 0,
    keepalive: 0,
    ...options,
  });
  clients.push(client);
  const received: Received[] = [];
  client.on("message", (topic, payload, { retain }) =>
    received.push({ topic, body: JSON.parse(payload.toString()), retained: retain }),
  );
  return { client, received };
}

const post = (token: string, body: unknown) => fixture.call("POST", `/api/v1/${token}/telemetry`, { body });
const topicOf = ({ deviceId }: { deviceId: string }, kind: string) => `lineside/devices/${deviceId}/${kind}`;

describe("a program with an API key", () => {
  test.each([4, 5] as const)("hears telemetry as it comes, over MQTT %i", async (protocolVersion) => {
    const device = await fixture.createDevice(owner);
    const { client, received } = await open(key, { protocolVersion });
    await client.subscribeAsync("lineside/devices/+/telemetry", { qos: 1 });
    const from = received.length;
    await post(device.token, { ts: clock.now(), values: { temperature: 21.5, on: true } });
    await until(() => received.some(({ topic }) => topic === topicOf(device, "telemetry")));
    expect(received.slice(from).find(({ topic }) => topic === topicOf(device, "telemetry"))).toEqual({
      topic: topicOf(device, "telemetry"),
      body: { ts: clock.now(), values: { temperature: 21.5, on: true } },
      retained: false,
    });
  });

  test("is told on subscribing what holds now: the newest values and the state", async () => {
    const device = await fixture.createDevice(owner);
    await post(device.token, { ts: clock.now() - 5, values: { a: 1, b: 1 } });
    await post(device.token, { ts: clock.now(), values: { a: 2 } });
    const { client, received } = await open(key);
    await client.subscribeAsync(`lineside/devices/${device.deviceId}/#`);
    await until(() => received.length === 2);
    expect(received).toEqual([
      {
        topic: topicOf(device, "telemetry"),
        body: {
          ts: clock.now(),
          values: { a: 2, b: 1 },
          timestamps: { a: clock.now(), b: clock.now() - 5 },
        },
        retained: true,
      },
      {
        topic: topicOf(device, "state"),
        body: { active: true, lastActivityAt: new Date(clock.now()).toISOString() },
        retained: true,
      },
    ]);
    await client.subscribeAsync(topicOf(device, "state"), { qos: 0, rh: 2 });
    await post(device.token, { a: 3 });
    await until(() => received.length > 2);
    expect(received.slice(2)).toMatchObject([{ topic: topicOf(device, "telemetry"), retained: false }]);
  });

  test("hears of attributes and of devices that fall silent", async () => {
    const device = await fixture.createDevice(owner);
    await post(device.token, { a: 1 });
    const { client, received } = await open(key);
    await client.subscribeAsync([topicOf(device, "attributes"), topicOf(device, "state")]);
    await fixture.call("POST", `/api/devices/${device.deviceId}/attributes`, {
      token: owner,
      body: { scope: "SHARED", attributes: { target: 20 } },
    });
    clock.advance(601_000);
    await until(() => received.some(({ body }) => (body as { active?: boolean }).active === false));
    expect(received).toContainEqual({
      topic: topicOf(device, "attributes"),
      body: { scope: "SHARED", values: { target: 20 } },
      retained: false,
    });
  });

  test("publishes nothing and hears nothing else", async () => {
    const { client } = await open(key);
    for (const topic of [topicOf(pump, "telemetry"), "v1/devices/me/telemetry", "x"])
      await expect(client.publishAsync(topic, "{}", { qos: 1 })).rejects.toMatchObject({ code: 0x87 });
    for (const filter of [
      "#",
      "lineside/#",
      "lineside/devices/+",
      "v1/devices/me/#",
      "lineside/devices/+/secrets",
    ])
      await expect(client.subscribeAsync(filter)).rejects.toThrow("Not authorized");
  });

  test("of another tenant hears nothing of this one", async () => {
    const stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
    const { client, received } = await open((await newKey({}, stranger)).key);
    await client.subscribeAsync(["lineside/devices/#", topicOf(pump, "telemetry")]);
    const theirs = await fixture.createDevice(stranger);
    await post(pump.token, { a: 1 });
    await post(theirs.token, { a: 1 });
    await until(() => received.some(({ topic }) => topic === topicOf(theirs, "telemetry")));
    expect(received.filter(({ topic }) => !topic.startsWith(topicOf(theirs, "")))).toEqual([]);
  });
});

describe("a key for some devices", () => {
  test("hears of these, with wildcards or without", async () => {
    const { key: secret } = await newKey({ deviceIds: [pump.deviceId] });
    const { client, received } = await open(secret);
    await client.subscribeAsync("lineside/devices/+/telemetry", { qos: 0, rh: 2 });
    await expect(client.subscribeAsync(topicOf(two, "telemetry"))).rejects.toThrow("Not authorized");
    await post(two.token, { hidden: 1 });
    await post(pump.token, { shown: 1 });
    await until(() => received.length > 0);
    expect(received.map(({ topic }) => topic)).toEqual([topicOf(pump, "telemetry")]);
  });

  test("is shown only these on subscribing", async () => {
    const { key: secret } = await newKey({ deviceIds: [pump.deviceId] });
    await post(pump.token, { a: 1 });
    await post(two.token, { a: 1 });
    const { client, received } = await open(secret);
    await client.subscribeAsync("lineside/devices/#");
    await until(() => received.length === 2);
    await post(two.token, { a: 2 });
    await post(pump.token, { a: 2 });
    await until(() => received.length > 2);
    expect(new Set(received.map(({ topic }) => topic))).toEqual(
      new Set([topicOf(pump, "telemetry"), topicOf(pump, "state")]),
    );
  });
});

describe("a key that is no longer good", () => {
  const ended = (client: MqttClient) =>
    new Promise<string>((resolve) => client.once("close", () => resolve("closed")));

  test("ends what runs under it when it is removed", async () => {
    const { apiKeyId, key: secret } = await newKey();
    const { client } = await open(secret);
    const closed = ended(client);
    await fixture.call("DELETE", `/api/api-keys/${apiKeyId}`, { token: owner });
    expect(await closed).toBe("closed");
    await expect(open(secret)).rejects.toMatchObject({ code: 0x86 });
  });

  test("ends what runs under it when its time is over", async () => {
    const expiresAt = new Date(clock.now() + 3_600_000).toISOString();
    const { key: secret } = await newKey({ expiresAt });
    const { client } = await open(secret);
    await client.subscribeAsync("lineside/devices/+/state", { qos: 0, rh: 2 });
    const closed = ended(client);
    clock.leap(3_600_000);
    clock.advance(15_000);
    expect(await closed).toBe("closed");
  });

  test.each(["lsk_", `lsk_${"x".repeat(46)}`, "lsk_\u0000"])("%p was never one", async (password) => {
    await expect(open(password)).rejects.toMatchObject({ code: 0x86 });
  });
});

test("a client that is away finds what came meanwhile", async () => {
  const options: IClientOptions = {
    clientId: "scada",
    clean: false,
    properties: { sessionExpiryInterval: 3_600 },
  };
  const first = await open(key, options);
  await first.client.subscribeAsync(topicOf(pump, "telemetry"), { qos: 1, rh: 2 });
  await first.client.endAsync();
  await post(pump.token, { away: 1 });
  const second = await open(key, options);
  await until(() => second.received.length > 0);
  expect(second.received[0]?.body).toMatchObject({ values: { away: 1 } });
});

test("thousands of devices are told to a new subscriber, none left out", async () => {
  const rows = Array.from({ length: 2_500 }, (_, index) => ({ name: `many ${index}`, deviceType: "many" }));
  const token = (await fixture.signIn("TENANT_OWNER", { tenant: "many" })).token;
  await fixture.call("POST", "/api/devices/bulk/import", { token, body: { rows } });
  const { client, received } = await open((await newKey({}, token)).key);
  await client.subscribeAsync("lineside/devices/+/state");
  for (let wait = 0; wait < 400 && received.length < rows.length; wait++) {
    clock.advance(50);
    await Bun.sleep(5);
  }
  expect(new Set(received.map(({ topic }) => topic)).size).toBe(rows.length);
});

test("hears of alarms as they happen, on subscribing of those that are open, and of a gateway's those of its children", async () => {
  const [profile] = (await fixture.call("GET", "/api/device-profiles", { token: owner })).body;
  const hot = { severity: "MAJOR", condition: { key: "t", op: "GT", value: 50 } };
  const alarmRules = [{ alarmType: "Overheated", createRules: [hot], propagateToGateway: true }];
  await fixture.call("PATCH", `/api/device-profiles/${profile.profileId}`, {
    token: owner,
    body: { alarmRules },
  });
  const gateway = await fixture.createDevice(owner, { role: "GATEWAY" });
  const device = await fixture.createDevice(owner, { parentDeviceId: gateway.deviceId });
  const { client, received } = await open(key);
  for (const of of [gateway, device]) await client.subscribeAsync(topicOf(of, "alarms"), { qos: 1 });
  await post(device.token, { t: 60 });
  await until(() => received.length >= 2);
  const meant = {
    event: "CREATED",
    name: "Overheated",
    severity: "MAJOR",
    status: "ACTIVE_UNACK",
    escalationLevel: 1,
  };
  for (const of of [gateway, device])
    expect(received.find(({ topic }) => topic === topicOf(of, "alarms"))?.body).toMatchObject({
      ...meant,
      deviceId: device.deviceId,
    });
  const late = await open(key);
  await late.client.subscribeAsync(topicOf(device, "alarms"), { qos: 1 });
  await until(() => late.received.length >= 1);
  expect(late.received[0]).toMatchObject({ retained: true, body: { status: "ACTIVE_UNACK" } });
  expect(late.received[0]?.body).not.toHaveProperty("event");
  const other = await fixture.signIn("TENANT_ADMIN", { devices: [gateway.deviceId] });
  const limited = await open((await newKey({}, other.token)).key);
  await limited.client.subscribeAsync(topicOf(gateway, "#"), { qos: 1 });
  await post(device.token, { t: 0 });
  await until(() => late.received.length >= 2);
  await post(gateway.token, { t: 1 });
  await until(() => limited.received.some(({ topic }) => topic === topicOf(gateway, "telemetry")));
  expect(limited.received.filter(({ topic }) => topic === topicOf(gateway, "alarms"))).toEqual([]);
});

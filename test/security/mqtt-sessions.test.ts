import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const SESSIONS_PER_KEY = 5;
const CONNECTIONS_PER_KEY = 6;
const SESSIONS_PER_TENANT = 8;

let fixture: TestApp;
const clients: MqttClient[] = [];

beforeAll(async () => {
  const plans = [
    { id: "small", limits: { mqttConnections: 3 } },
    { id: "quiet", limits: { queuedBytes: 20_000 } },
  ];
  fixture = await createTestApp({
    config: {
      mqtt_sessions_per_key_max: SESSIONS_PER_KEY,
      mqtt_connections_per_key_max: CONNECTIONS_PER_KEY,
      tenant_mqtt_sessions_max: SESSIONS_PER_TENANT,
      plans: JSON.stringify(plans),
    },
  });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
});
afterAll(() => fixture.stop());

async function newKey(token: string): Promise<string> {
  const { body } = await fixture.call("POST", "/api/api-keys", {
    token,
    body: { name: crypto.randomUUID(), role: "TENANT_READ_ONLY" },
  });
  return body.key;
}

/** The reason that a connection was refused for; 0 for one that was accepted. */
async function connect(options: IClientOptions): Promise<{ client?: MqttClient; code: number }> {
  try {
    const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
      protocolVersion: 5,
      reconnectPeriod: 0,
      keepalive: 0,
      ...options,
    });
    clients.push(client);
    return { client, code: 0 };
  } catch (error) {
    return { code: (error as { code?: number }).code ?? -1 };
  }
}
const durable = (key: string, clientId: string) => ({
  username: "app",
  password: key,
  clientId,
  clean: false,
  properties: { sessionExpiryInterval: 3600 },
});
const usageOf = async (token: string) =>
  (await fixture.call("GET", "/api/tenant/usage", { token })).body.usage;

describe("an API key that opens thousands of sessions", () => {
  test("is stopped at its limit by name, keeps its own, and may still connect without one", async () => {
    const owner = await fixture.signIn("TENANT_OWNER", { tenant: "many sessions" });
    const key = await newKey(owner.token);
    const codes: number[] = [];
    for (let index = 0; index < 20; index++) {
      const { client, code } = await connect(durable(key, `client ${index}`));
      await client?.endAsync();
      codes.push(code);
    }
    expect(codes).toEqual([...Array(SESSIONS_PER_KEY).fill(0), ...Array(15).fill(0x97)]);
    expect((await connect(durable(key, "client 0"))).code).toBe(0);
    expect((await connect({ username: "app", password: key, clean: true })).code).toBe(0);
    const old = await connect({ ...durable(key, "3.1.1"), protocolVersion: 4, properties: {} });
    expect(old.code).toBe(3);
    expect(await usageOf(owner.token)).toMatchObject({
      mqttSessions: SESSIONS_PER_KEY,
      mqttConnectionsRefused: 16,
    });
  });

  test("shares the limit of its tenant with other keys, and not with other tenants", async () => {
    const owner = await fixture.signIn("TENANT_OWNER", { tenant: "many keys" });
    const keys = [await newKey(owner.token), await newKey(owner.token)];
    const codes: number[] = [];
    for (const key of keys)
      for (let index = 0; index < SESSIONS_PER_KEY; index++)
        codes.push((await connect(durable(key, `client ${index}`))).code);
    expect(codes.filter((code) => code === 0)).toHaveLength(SESSIONS_PER_TENANT);
    const neighbour = await fixture.signIn("TENANT_OWNER", { tenant: "a neighbour" });
    expect((await connect(durable(await newKey(neighbour.token), "client"))).code).toBe(0);
  });
});

describe("connections", () => {
  test("of one API key are limited", async () => {
    const owner = await fixture.signIn("TENANT_OWNER", { tenant: "many connections" });
    const key = await newKey(owner.token);
    const codes: number[] = [];
    for (let index = 0; index < CONNECTIONS_PER_KEY + 2; index++)
      codes.push((await connect({ username: "app", password: key })).code);
    expect(codes).toEqual([...Array(CONNECTIONS_PER_KEY).fill(0), 0x97, 0x97]);
  });

  test("of a tenant are limited by its plan; the device is told and the refusal is listed", async () => {
    const owner = await fixture.signIn("TENANT_OWNER", { tenant: "small plan", plan: "small" });
    const devices = [];
    for (let index = 0; index < 4; index++) devices.push(await fixture.createDevice(owner.token));
    const codes = [];
    for (const { token } of devices) codes.push((await connect({ username: token })).code);
    expect(codes).toEqual([0, 0, 0, 0x97]);
    const { body } = await fixture.call("GET", `/api/devices/${devices[3]?.deviceId}/rejections`, {
      token: owner.token,
    });
    expect(body[0]).toMatchObject({ code: "tenant.mqtt_connections_limit", where: "CONNECT" });
    // A device that comes back takes its own place.
    expect((await connect({ username: devices[0]?.token ?? "" })).code).toBe(0);
    expect((await usageOf(owner.token)).mqttConnections).toBe(3);
  });
});

describe("messages that wait for clients which are away", () => {
  /** A device with a durable session that is away, and how many commands it gets when it comes back. */
  async function sleeper(token: string) {
    const device = await fixture.createDevice(token);
    const session = { username: device.token, clientId: "sleeper", clean: false };
    const { client } = await connect({ ...session, properties: { sessionExpiryInterval: 3600 } });
    await client?.subscribeAsync("v1/devices/me/attributes", { qos: 1 });
    await client?.endAsync();
    return {
      deviceId: device.deviceId,
      async send(count: number, bytes: number) {
        for (let index = 0; index < count; index++) {
          const { status } = await fixture.call("POST", `/api/devices/${device.deviceId}/attributes`, {
            token,
            body: { scope: "SHARED", attributes: { note: `${index} ${"x".repeat(bytes)}` } },
          });
          expect(status).toBeLessThan(300);
        }
      },
      async received(): Promise<number> {
        let count = 0;
        const back = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
          ...session,
          protocolVersion: 5,
          reconnectPeriod: 0,
          properties: { sessionExpiryInterval: 3600 },
        });
        clients.push(back);
        back.on("message", () => count++);
        await until(async () => (await usageOf(token)).queuedBytes === 0, "the queue is delivered");
        return count;
      },
    };
  }

  test("of one tenant never take those of another", async () => {
    const greedy = await fixture.signIn("TENANT_OWNER", { tenant: "greedy", plan: "quiet" });
    const modest = await fixture.signIn("TENANT_OWNER", { tenant: "modest" });
    const theirs = await sleeper(modest.token);
    await theirs.send(5, 10);
    const before = (await usageOf(modest.token)).queuedBytes;
    const ours = await sleeper(greedy.token);
    await ours.send(40, 2_000);
    const usage = await usageOf(greedy.token);
    expect(usage.queuedBytes).toBeLessThanOrEqual(20_000);
    expect(usage.queuedBytes).toBeGreaterThan(10_000);
    expect(usage.queuedMessagesDropped).toBeGreaterThan(20);
    expect(await usageOf(modest.token)).toMatchObject({ queuedBytes: before, queuedMessagesDropped: 0 });
    expect(await theirs.received()).toBe(5);
  });
});

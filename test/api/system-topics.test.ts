import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const clock = new FakeClock(Date.now());
const open: MqttClient[] = [];
let fixture: TestApp;
let count = 0;

beforeAll(async () => {
  fixture = await createTestApp({ clock });
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.endAsync(true);
});
afterAll(() => fixture.stop());

/** Connects an MQTT client of a tenant that may subscribe to `subscribe`. */
async function connect(tenant: string, subscribe: string[]) {
  const { token } = await fixture.signIn("TENANT_OWNER", { tenant });
  const name = `counters-${++count}`;
  const fields = { name, signIn: "PASSWORD", username: name, publish: ["#"], subscribe };
  const { status, body } = await fixture.call("POST", "/api/mqtt/clients", { token, body: fields });
  expect(status).toBe(201);
  const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
    username: name,
    password: String(body.password),
    reconnectPeriod: 0,
    keepalive: 0,
  });
  open.push(client);
  const received: { topic: string; text: string; retained: boolean }[] = [];
  client.on("message", (topic, payload, { retain }) =>
    received.push({ topic, text: payload.toString(), retained: retain }),
  );
  return { client, received };
}

const codeOf = async (client: MqttClient, filter: string) =>
  (await client.subscribeAsync(filter).catch(() => undefined))?.[0]?.qos ?? 128;

/** Waits until a message that the client sends to itself has arrived. */
async function passFence({ client, received }: Awaited<ReturnType<typeof connect>>): Promise<void> {
  const topic = `fence/${++count}`;
  await client.subscribeAsync(topic);
  await client.publishAsync(topic, "");
  await until(() => received.some((message) => message.topic === topic));
}

test("a client of the gateway's own tenant receives the counters at once, and every ten seconds", async () => {
  const { client, received } = await connect("host", ["$SYS/#"]);
  expect(await codeOf(client, "$SYS/broker/#")).toBe(0);
  await until(() => received.length === 7);
  const connected = received.find(({ topic }) => topic === "$SYS/broker/clients/connected");
  expect(connected).toMatchObject({ text: "1", retained: true });
  expect(received.find(({ topic }) => topic === "$SYS/broker/version")?.text).toMatch(/^Lineside \d/);
  received.length = 0;
  clock.advance(10_000);
  await until(() => received.length === 7);
  expect(received.find(({ topic }) => topic === "$SYS/broker/uptime")?.text).toMatch(/^\d+ seconds$/);
  expect(received.some(({ retained }) => retained)).toBe(false);
});

test("a client whose patterns do not name `$SYS` is refused, and receives no counters by a wildcard", async () => {
  const { client, received } = await connect("host", ["#"]);
  expect(await codeOf(client, "$SYS/broker/uptime")).toBe(128);
  expect(await codeOf(client, "#")).toBe(0);
  const listener = await connect("host", ["$SYS/broker/uptime"]);
  await listener.client.subscribeAsync("$SYS/broker/uptime");
  clock.advance(10_000);
  await until(() => listener.received.some(({ retained }) => !retained));
  await passFence({ client, received });
  expect(received.filter(({ topic }) => topic.startsWith("$"))).toEqual([]);
});

test("clients of other tenants receive no counters", async () => {
  const stranger = await connect("two", ["#", "$SYS/#"]);
  const listener = await connect("host", ["$SYS/#"]);
  for (const { client } of [stranger, listener]) await client.subscribeAsync("$SYS/#");
  clock.advance(10_000);
  await until(() => listener.received.some(({ retained }) => !retained));
  await passFence(stranger);
  expect(stranger.received.filter(({ topic }) => topic.startsWith("$"))).toEqual([]);
});

test("nobody can publish a counter", async () => {
  const { client } = await connect("host", ["$SYS/#"]);
  const listener = await connect("host", ["$SYS/#"]);
  await listener.client.subscribeAsync("$SYS/#");
  await client.publishAsync("$SYS/broker/uptime", "forged", { qos: 1 }).catch(() => undefined);
  clock.advance(10_000);
  await until(() => listener.received.some(({ retained }) => !retained));
  expect(listener.received.map(({ text }) => text)).not.toContain("forged");
});

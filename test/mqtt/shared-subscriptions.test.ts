import { afterEach, expect, test } from "bun:test";
import { connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import type { TenantId } from "../../src/lib/core/ids.ts";
import type { MqttAuthentication } from "../../src/mqtt/mqtt.types.ts";
import { until } from "../support/until.ts";
import { startBroker } from "./broker-fixture.ts";
import type { Running } from "./mqtt-fixture.ts";
import { serverPerTest } from "./running.ts";

const startMqtt = serverPerTest();
const clients: MqttClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.endAsync(true);
});

const authenticate = ({ username = "" }): MqttAuthentication => ({
  ok: true,
  application: {
    applicationId: username,
    tenantId: "tenant" as TenantId,
    revoked: false,
    maySubscribe: () => true,
    mayPublish: () => true,
  },
});

async function open(mqtt: Running, clientId: string, options: IClientOptions = {}) {
  const client = await connectAsync(`mqtt://127.0.0.1:${mqtt.port}`, {
    username: clientId,
    clientId,
    reconnectPeriod: 0,
    protocolVersion: 5,
    ...options,
  });
  clients.push(client);
  const received: string[] = [];
  client.on("message", (topic, payload) => received.push(`${topic} ${payload.toString()}`));
  return { client, received };
}

const durable: IClientOptions = { clean: false, properties: { sessionExpiryInterval: 600 } };

/** Waits for a message that the client sends to itself. */
async function passFence({ client, received }: Awaited<ReturnType<typeof open>>): Promise<void> {
  await client.subscribeAsync("fence", { qos: 1 });
  await client.publishAsync("fence", "", { qos: 1 });
  await until(() => received.includes("fence "));
}

test("messages that waited before and after a restart are delivered exactly once", async () => {
  const before = await startMqtt({ authenticate });
  const member = await open(before, "member", durable);
  await member.client.subscribeAsync("$share/group/jobs/#", { qos: 2 });
  await member.client.endAsync();
  const publish = async (mqtt: Running, job: string) =>
    (await open(mqtt, `sender ${job}`)).client.publishAsync("jobs/1", job, { qos: 2 });
  await publish(before, "first");
  const after = await before.restart();
  await publish(after, "second");
  const back = await open(after, "member", durable);
  await until(() => back.received.length === 2);
  await passFence(back);
  await back.client.endAsync();
  const again = await open(after, "member", durable);
  await passFence(again);
  expect(back.received).toEqual(["jobs/1 first", "jobs/1 second", "fence "]);
  expect(again.received).toEqual(["fence "]);
});

test("a client that starts a new session is a member of its group no more", async () => {
  const mqtt = await startMqtt({ authenticate });
  const sender = await open(mqtt, "sender");
  const member = await open(mqtt, "member", durable);
  await member.client.subscribeAsync("$share/group/jobs/#", { qos: 1 });
  await member.client.endAsync();
  await sender.client.publishAsync("jobs/1", "queued", { qos: 1 });
  const fresh = await open(mqtt, "member", { clean: true });
  await sender.client.publishAsync("jobs/1", "later", { qos: 1 });
  await passFence(fresh);
  expect(fresh.received).toEqual(["fence "]);
});

/** A broker and a session that is a member of a group. */
async function startGroup() {
  const broker = await startBroker();
  const session = broker.session("c", ["$share/group/jobs/#", "end"], { qos: 2 });
  // Groups are learned from the sessions that are there at the start.
  return { broker, session: await broker.restart(session) };
}

test("a message for a member that leaves before the broker accepted it waits in its session", async () => {
  const { broker, session } = await startGroup();
  const { link } = broker.attach(session);
  const published = broker.publish("jobs/1", { qos: 2 });
  link.close();
  await published;
  expect(session.queue.map(({ topic }) => topic)).toEqual(["tenant~x/jobs/1"]);
  await broker.stop();
});

test("a message for a member that signs in is delivered once", async () => {
  const { broker, session } = await startGroup();
  const { received } = broker.attach(session);
  for (const topic of ["jobs/1", "jobs/2", "end"]) await broker.publish(topic, { qos: 2 });
  expect(received.map(({ topic }) => topic)).toEqual(["jobs/1", "jobs/2", "end"]);
  await broker.stop();
});

test("the sessions of a deleted tenant end", async () => {
  const mqtt = await startMqtt({ authenticate });
  const { client } = await open(mqtt, "member", durable);
  await client.subscribeAsync("$share/group/jobs/#", { qos: 1 });
  await client.endAsync();
  await until(() => mqtt.server.usageOf("tenant").connections === 0);
  expect(mqtt.server.usageOf("tenant").sessions).toBe(1);
  mqtt.server.forgetTenant("tenant" as TenantId);
  expect(mqtt.server.usageOf("tenant").sessions).toBe(0);
});

import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import type { TenantId } from "../../src/lib/ids.ts";
import { noProperties } from "../../src/lib/mqtt/properties.ts";
import { Broker } from "../../src/mqtt/broker.ts";
import type { MqttAuthentication } from "../../src/mqtt/mqtt.types.ts";
import { Session } from "../../src/mqtt/session.ts";
import { SessionStore } from "../../src/mqtt/session-store.ts";
import { toBroker } from "../../src/mqtt/topics.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createLogger } from "../../src/platform/log.ts";
import { until } from "../support/until.ts";
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

/** A broker with a durable session that is a member of a group, and the messages that its client received. */
async function startBroker() {
  const directory = mkdtempSync(join(tmpdir(), "lineside-mqtt-"));
  const megabyte = 1024 * 1024;
  const queuedBytes = { perCredential: megabyte, perTenant: () => null, all: megabyte };
  const log = createLogger("test");
  const options = { file: join(directory, "mqtt.db"), clock: systemClock, log, queuedPerClientMax: 10 };
  const store = new SessionStore({ ...options, queuedBytes });
  const owner = { tenantId: "x", credentialId: "c" };
  const session = new Session({
    key: "app~c~c",
    space: "tenant~x",
    clientId: "c",
    owner,
    expirySeconds: 600,
  });
  store.add(session);
  const subscription = { qos: 2, nl: false, rap: false, rh: 0, identifier: 0 } as const;
  for (const filter of ["$share/group/jobs/#", "end"])
    store.subscribe(session, toBroker(session.space, filter), subscription);
  const broker = new Broker(store, systemClock, log);
  await broker.start();
  const received: string[] = [];
  const nothing = () => {};
  const attach = () =>
    broker.attach(session, {
      deliver: ({ topic }) => received.push(topic),
      release: nothing,
      lost: nothing,
      isCongested: () => false,
    });
  const message = { payload: Buffer.from("job"), qos: 2, retain: false } as const;
  return {
    session,
    received,
    attach,
    publish: (topic: string) =>
      broker.publish(session.space, { ...message, topic, properties: noProperties, from: undefined }),
    async stop() {
      await broker.stop();
      store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

test("a message for a member that leaves before the broker accepted it waits in its session", async () => {
  const broker = await startBroker();
  const link = broker.attach();
  const published = broker.publish("jobs/1");
  link.close();
  await published;
  expect(broker.session.queue.map(({ topic }) => topic)).toEqual(["tenant~x/jobs/1"]);
  await broker.stop();
});

test("a message for a member that signs in is delivered once", async () => {
  const broker = await startBroker();
  broker.attach();
  await broker.publish("jobs/1");
  await Bun.sleep(0);
  await broker.publish("jobs/2");
  await until(() => broker.received.length > 1);
  await broker.publish("end");
  await until(() => broker.received.includes("end"));
  expect(broker.received).toEqual(["jobs/1", "jobs/2", "end"]);
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

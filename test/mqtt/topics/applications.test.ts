import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync, type IClientOptions, type IPublishPacket, type MqttClient } from "mqtt";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import type { MqttApplication } from "../../../src/mqtt/mqtt.types.ts";
import { until } from "../../support/until.ts";
import { type Running, startMqtt } from "../mqtt-fixture.ts";
import { connectPacket, publishPacket, RawClient } from "../raw-client.ts";

let mqtt: Running;
const applications = new Map<string, MqttApplication>();
const clients: MqttClient[] = [];

beforeAll(async () => {
  mqtt = await startMqtt({
    authenticate: ({ username = "" }) => {
      const tenantId = (username.startsWith("b") ? "tenant-b" : "tenant-a") as TenantId;
      const application = applications.get(username) ?? {
        applicationId: username,
        tenantId,
        revoked: false,
        maySubscribe: (filter: string) => !filter.startsWith("secret"),
        mayPublish: (topic: string) => !topic.startsWith("lineside/"),
      };
      applications.set(username, application);
      return { ok: true, application };
    },
  });
});
afterAll(async () => {
  for (const client of clients) await client.endAsync(true);
  await mqtt.stop();
});

interface Received {
  readonly topic: string;
  readonly text: string;
  readonly packet: IPublishPacket;
}

async function open(username: string, options: IClientOptions = {}) {
  const client = await connectAsync(`mqtt://127.0.0.1:${mqtt.port}`, {
    username,
    reconnectPeriod: 0,
    protocolVersion: 5,
    ...options,
  });
  clients.push(client);
  const received: Received[] = [];
  client.on("message", (topic, payload, packet) =>
    received.push({ topic, text: payload.toString(), packet }),
  );
  return { client, received };
}

let fences = 0;

/** Waits for a message that the client sends to itself: whatever was on its way to the client before has arrived then. */
async function passFence({ client, received }: { client: MqttClient; received: Received[] }): Promise<void> {
  const topic = `fence/${fences++}`;
  await client.subscribeAsync(topic, { qos: 1 });
  await client.publishAsync(topic, "fence", { qos: 1 });
  const find = () => received.findIndex((message) => message.topic === topic);
  await until(() => find() >= 0, "the fence");
  received.splice(find(), 1);
}

/** Sessions end with their connections, or outlive them: subscriptions of each kind are kept in a place of their own. */
const sessions: ReadonlyArray<readonly [kind: string, options: IClientOptions]> = [
  ["clean", {}],
  ["durable", { clean: false, properties: { sessionExpiryInterval: 600 } }],
];

const texts = (received: Received[]) => received.map(({ text }) => text);

test("an application receives messages of its tenant's devices, and none of another tenant", async () => {
  const ours = await open("a-hears", { protocolVersion: 4 });
  const theirs = await open("b-hears");
  for (const { client } of [ours, theirs])
    await client.subscribeAsync("lineside/devices/+/telemetry", { qos: 1 });
  await mqtt.server.applications.publish(
    "tenant-a" as TenantId,
    "lineside/devices/7/telemetry",
    Buffer.from("1"),
    {
      qos: 1,
      retain: false,
    },
  );
  await until(() => ours.received.length === 1, "the message");
  expect(ours.received[0]).toMatchObject({ topic: "lineside/devices/7/telemetry", text: "1" });
  await passFence(theirs);
  expect(theirs.received).toEqual([]);
});

test.each(sessions)(
  "the newest retained state comes with the subscription of a %s session, as retain handling asks",
  async (kind, options) => {
    for (const text of ["old", "new"]) {
      await mqtt.server.applications.publish(
        "tenant-a" as TenantId,
        "lineside/devices/8/state",
        Buffer.from(text),
        {
          qos: 1,
          retain: true,
        },
      );
    }
    const early = await open(`a-retained-${kind}`, { ...options, clientId: `retained-${kind}` });
    const { client, received } = early;
    await client.subscribeAsync("lineside/devices/+/state", { qos: 1, rh: 2 });
    await client.subscribeAsync("lineside/devices/8/state", { qos: 1, rh: 1 });
    await until(() => received.length === 1, "the retained message");
    await client.subscribeAsync("lineside/devices/8/state", { qos: 1, rh: 1 });
    await passFence(early);
    expect(texts(received)).toEqual(["new"]);
    expect(received[0]?.packet.retain).toBe(true);
    await mqtt.server.applications.publish(
      "tenant-a" as TenantId,
      "lineside/devices/8/state",
      Buffer.alloc(0),
      {
        qos: 1,
        retain: true,
      },
    );
    const late = await open(`a-late-${kind}`, { ...options, clientId: `late-${kind}` });
    await late.client.subscribeAsync("lineside/devices/8/state");
    await passFence(late);
    expect(late.received).toEqual([]);
  },
);

test.each(sessions)("a message keeps its properties on the way to a %s session", async (kind, options) => {
  const { client, received } = await open(`a-properties-${kind}`, {
    ...options,
    clientId: `properties-${kind}`,
  });
  const plain = await open(`a-plain-${kind}`, { protocolVersion: 4 });
  await client.subscribeAsync(`talk-${kind}/#`, { qos: 2, properties: { subscriptionIdentifier: 300 } });
  await plain.client.subscribeAsync(`talk-${kind}/#`, { qos: 2 });
  const properties = {
    payloadFormatIndicator: true,
    contentType: "text/plain",
    responseTopic: "talk/back",
    correlationData: Buffer.from([1, 2, 3]),
    messageExpiryInterval: 100,
    userProperties: { a: "1", b: "2" },
  };
  await plain.client.publishAsync(`talk-${kind}/b`, "plain", { qos: 0 });
  await client.publishAsync(`talk-${kind}/a`, "hello", { qos: 2, properties });
  await until(() => received.length === 2 && plain.received.length === 2, "both messages");
  expect(received[1]?.packet).toMatchObject({ qos: 2, topic: `talk-${kind}/a` });
  expect(received[1]?.packet.properties).toMatchObject({ ...properties, subscriptionIdentifier: 300 });
  expect(texts(plain.received)).toEqual(["plain", "hello"]);
});

test.each(sessions)(
  "UNSUBACK tells a %s session which filters it had",
  async (kind, { properties, clean }) => {
    const fields = {
      username: `a-leaves-${kind}`,
      clientId: `leaves-${kind}`,
      clean: clean ?? true,
      properties,
    };
    const raw = await RawClient.connect(mqtt.port, 5, fields);
    raw.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "known/#", qos: 1 }] });
    await raw.next("suback");
    raw.send({ cmd: "unsubscribe", messageId: 2, unsubscriptions: ["known/#", "unknown"] });
    expect((await raw.next("unsuback")).granted).toEqual([0, 0x11]);
  },
);

test.each(sessions)("a %s session is a member of a group from its subscription on", async (kind, options) => {
  const member = await open(`a-member-${kind}`, { ...options, clientId: `member-${kind}` });
  await member.client.subscribeAsync(`$share/group/jobs-${kind}/#`, { qos: 1 });
  const sender = await open(`a-sender-${kind}`);
  await sender.client.publishAsync(`jobs-${kind}/1`, "job", { qos: 1 });
  await passFence(member);
  expect(texts(member.received)).toEqual(["job"]);
});

test("no-local leaves out one's own messages", async () => {
  const first = await open("a-one");
  const two = await open("a-two");
  for (const { client } of [first, two]) await client.subscribeAsync("local/x", { qos: 1, nl: true });
  await first.client.publishAsync("local/x", "from one", { qos: 1 });
  await two.client.publishAsync("local/x", "from two", { qos: 1 });
  await until(() => first.received.length === 1 && two.received.length === 1, "both messages");
  expect([texts(first.received), texts(two.received)]).toEqual([["from two"], ["from one"]]);
});

test("a message that has expired is not delivered, and counted", async () => {
  const { dropped } = mqtt.server.usageOf("tenant-a");
  const lasting = { clean: false, clientId: "expiry", properties: { sessionExpiryInterval: 600 } };
  const first = await open("a-expiry", lasting);
  await first.client.subscribeAsync("expiry/x", { qos: 1 });
  await first.client.endAsync();
  const sender = await open("a-sender");
  await sender.client.publishAsync("expiry/x", "short", { qos: 1, properties: { messageExpiryInterval: 1 } });
  await sender.client.publishAsync("expiry/x", "long", {
    qos: 1,
    properties: { messageExpiryInterval: 100 },
  });
  await Bun.sleep(1_100); // the time that passes is the subject
  const raw = await RawClient.open(mqtt.port, 5);
  raw.send(connectPacket(5, { username: "a-expiry", clientId: "expiry", clean: false }));
  const message = await raw.next("publish");
  expect(message.payload.toString()).toBe("long");
  expect(message.properties?.messageExpiryInterval).toBeLessThan(100);
  expect(mqtt.server.usageOf("tenant-a").dropped).toBe(dropped + 1);
});

test("a wildcard subscription gets no more than the QoS it was granted", async () => {
  const { client, received } = await open("a-granted");
  await client.subscribeAsync("granted/#", { qos: 1 });
  await client.publishAsync("granted/x", "2", { qos: 2 });
  await client.publishAsync("granted/x", "2", { qos: 2 });
  await until(() => received.length === 2, "both messages");
  expect(received.map(({ packet }) => packet.qos)).toEqual([1, 1]);
});

test("wildcards do not reach topics that begin with a dollar sign", async () => {
  const { client, received } = await open("a-dollar");
  await client.subscribeAsync(["#", "+/x"], { qos: 0 });
  await client.publishAsync("$odd/x", "no", { qos: 1 });
  await client.publishAsync("even/x", "yes", { qos: 1 });
  await until(() => received.length > 0, "the message");
  expect(new Set(texts(received))).toEqual(new Set(["yes"]));
});

test("an application gets a reason for what it may not do", async () => {
  const raw = await RawClient.connect(mqtt.port, 5, { username: "a-raw" });
  raw.send(publishPacket("lineside/devices/1/state", "x", { id: 4 }));
  expect((await raw.next("puback")).reasonCode).toBe(0x87);
  raw.send({ cmd: "subscribe", messageId: 5, subscriptions: [{ topic: "secret/x", qos: 0 }] });
  expect((await raw.next("suback")).granted).toEqual([0x87]);
});

test("two client ids of one key have sessions of their own, and both end with the key", async () => {
  const first = await RawClient.connect(mqtt.port, 5, { username: "a-key", clientId: "1" });
  const two = await RawClient.connect(mqtt.port, 5, { username: "a-key", clientId: "2" });
  await first.ping();
  await two.ping();
  mqtt.server.disconnectApplication("a-key");
  await first.end();
  await two.end();
});

test("a client that allows topic aliases gets them", async () => {
  const raw = await RawClient.connect(mqtt.port, 5, {
    username: "a-alias",
    properties: { topicAliasMaximum: 1 },
  });
  raw.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "alias/#", qos: 0 }] });
  await raw.next("suback");
  for (const topic of ["alias/a", "alias/a", "alias/b"]) raw.send(publishPacket(topic, "x", { qos: 0 }));
  const seen = [];
  for (let index = 0; index < 3; index++) {
    const { topic, properties } = await raw.next("publish");
    seen.push([topic, properties?.topicAlias]);
  }
  expect(seen).toEqual([
    ["alias/a", 1],
    ["", 1],
    ["alias/b", undefined],
  ]);
});

test("a subscription to many filters lets others in before all retained messages are compared", async () => {
  const { client } = await open("a-many");
  for (let count = 0; count < 2_000; count++) client.publish(`many/${count}`, "x", { retain: true, qos: 0 });
  await client.publishAsync("many/last", "x", { retain: true, qos: 1 });
  const fields = (clientId: string) => ({ username: "a-many", clientId });
  const asking = await RawClient.connect(mqtt.port, 4, fields("asking"));
  const other = await RawClient.connect(mqtt.port, 4, fields("other"));
  const topics = Array.from({ length: 990 }, (_, count) => `+/none/${count}`);
  const subscriptions = [...topics, "many/last"].map((topic) => ({ topic, qos: 0 as const }));
  asking.send({ cmd: "subscribe", messageId: 1, subscriptions });
  await asking.next("suback");
  await other.ping();
  expect(asking.packets).toEqual([]);
  expect(await asking.next("publish")).toMatchObject({ topic: "many/last", retain: true });
  for (const each of [asking, other]) each.drop();
});

// What goes wrong over MQTT is listed with the client, API key, device or address that it is about: real packets over TCP.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { publishPacket, RawClient } from "../mqtt/raw-client.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

interface Fault {
  readonly reason: { code: string; params: Record<string, unknown>; message: string };
  readonly hint?: { code: string };
  readonly count: number;
  readonly where?: string;
  readonly tenantId?: string;
}
let fixture: TestApp;
let operator: string;
let owner: string;
let other: string;
let names = 0;

beforeAll(async () => {
  fixture = await createTestApp({
    config: { mqtt_queued_per_client_max: 3, mqtt_connections_per_key_max: 2, metrics_token: "scrape" },
  });
  operator = (await fixture.signIn("TENANT_OWNER", { tenant: "host" })).token;
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  other = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
});
afterAll(() => fixture.stop());

async function createClient(fields: Record<string, unknown> = {}) {
  const name = `client ${++names}`;
  const body = {
    name,
    signIn: "PASSWORD",
    username: `user-${names}`,
    publish: ["plant/#"],
    subscribe: ["#"],
  };
  const response = await fixture.call("POST", "/api/mqtt/clients", {
    token: owner,
    body: { ...body, ...fields },
  });
  expect(response.status).toBe(201);
  return response.body as { mqttClientId: string; name: string; username: string; password: string };
}
type SavedClient = Awaited<ReturnType<typeof createClient>>;

const connect = (version: 4 | 5, { username, password }: SavedClient, clientId: string, clean = true) =>
  RawClient.connect(fixture.app.mqttPort ?? 0, version, {
    username,
    password: Buffer.from(password),
    clientId,
    clean,
  });

const faultsOf = async (kind: string, id: string, token = owner): Promise<Fault[]> =>
  (await fixture.call("GET", `/api/faults?subject=${kind}&subjectId=${id}`, { token })).body;
const withoutOwner = async (code: string): Promise<Fault[]> => {
  const { body } = await fixture.call("GET", `/api/gateway/faults?code=${code}`, { token: operator });
  return body.filter(({ tenantId }: Fault) => tenantId === undefined);
};

describe.each([4, 5] as const)("an MQTT client that is no device, version %d,", (version) => {
  test("publishes on a forbidden topic", async () => {
    const saved = await createClient();
    const client = await connect(version, saved, "scada");
    for (let count = 0; count < 3; count++)
      client.send(publishPacket("boiler/set", `{"t":${count}}`, { qos: 1, id: count + 1 }));
    await until(async () => (await faultsOf("mqtt_client", saved.mqttClientId))[0]?.count === 3);
    expect(await faultsOf("mqtt_client", saved.mqttClientId)).toMatchObject([
      {
        source: "mqtt",
        subject: { kind: "mqtt_client", id: saved.mqttClientId, name: saved.name },
        reason: { code: "topic.forbidden" },
        hint: { code: "fault_hint.topic.forbidden" },
        where: "boiler/set",
        sample: '{"t":2}',
      },
    ]);
    client.drop();
  });

  test("subscribes to a forbidden topic", async () => {
    const saved = await createClient({ subscribe: ["plant/#"] });
    const client = await connect(version, saved, "panel");
    const subscriptions = ["plant/line", "boiler/#", "office/#"].map((topic) => ({ topic, qos: 0 as const }));
    client.send({ cmd: "subscribe", messageId: 1, subscriptions });
    await client.next("suback");
    expect(await faultsOf("mqtt_client", saved.mqttClientId)).toMatchObject([
      {
        source: "mqtt",
        reason: { code: "subscription.forbidden" },
        hint: { code: "fault_hint.subscription.forbidden" },
        where: "boiler/#",
        client: "panel",
      },
    ]);
    client.drop();
  });

  test("sends a packet that is too large", async () => {
    const saved = await createClient();
    for (let count = 0; count < 2; count++) {
      const client = await connect(version, saved, "camera");
      client.send(publishPacket("plant/picture", "x".repeat(70_000)));
      await client.end();
    }
    expect(await faultsOf("mqtt_client", saved.mqttClientId)).toMatchObject([
      {
        reason: { code: "fault.mqtt_packet_too_large", params: { bytes: expect.any(Number), max: 66_560 } },
        where: "plant/picture",
        client: "camera",
        count: 2,
      },
    ]);
  });

  test("shares its client id with another program", async () => {
    const saved = await createClient();
    const clients = [];
    for (let index = 0; index < 6; index++) {
      clients.push(await connect(version, saved, "twin"));
      await clients.at(-2)?.end();
    }
    expect(await faultsOf("mqtt_client", saved.mqttClientId)).toMatchObject([
      { reason: { code: "fault.mqtt_taken_over", params: { count: 5 } }, client: "twin", count: 3 },
    ]);
    clients.at(-1)?.drop();
  });

  test("breaks the protocol", async () => {
    const saved = await createClient();
    const client = await connect(version, saved, "broken");
    client.hex("f0 01 00 00"); // AUTH with a length that does not fit
    client.hex("80 00"); // SUBSCRIBE with wrong flags
    await client.end();
    const [fault] = await faultsOf("mqtt_client", saved.mqttClientId);
    expect(fault?.reason).toMatchObject({
      code: "fault.mqtt_packet_malformed",
      params: { error: expect.any(String) },
    });
  });

  test("is away for more messages than are kept for it", async () => {
    const saved = await createClient();
    const reader = await connect(version, saved, "reader", false);
    reader.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "plant/#", qos: 1 }] });
    await reader.next("suback");
    const isDurable = version === 4; // of MQTT 5 it would need a session expiry
    reader.drop();
    const writer = await connect(version, saved, "writer");
    for (let count = 1; count <= 5; count++) {
      writer.send(publishPacket("plant/line", `${count}`, { qos: 1, id: count }));
      await writer.next("puback");
    }
    const dropped = (await faultsOf("mqtt_client", saved.mqttClientId)).filter(
      ({ reason }) => reason.code === "fault.mqtt_messages_dropped",
    );
    if (isDurable) expect(dropped).toMatchObject([{ client: "reader", count: 2 }]);
    else expect(dropped).toEqual([]);
    writer.drop();
  });

  test("has too many connections", async () => {
    const saved = await createClient();
    const clients = [await connect(version, saved, "one"), await connect(version, saved, "two")];
    const third = await connect(version, saved, "three");
    await third.end();
    const faults = await faultsOf("mqtt_client", saved.mqttClientId);
    expect(faults).toMatchObject([{ reason: { code: "key.mqtt_connections_limit" }, client: "three" }]);
    for (const client of clients) client.drop();
  });

  test("signs in with a wrong password, or while it is disabled", async () => {
    const saved = await createClient();
    await (await connect(version, { ...saved, password: "not the password" }, "guest")).end();
    expect(await faultsOf("mqtt_client", saved.mqttClientId)).toMatchObject([
      { reason: { code: "refusal.password_wrong" } },
    ]);
    const path = `/api/mqtt/clients/${saved.mqttClientId}`;
    await fixture.call("PATCH", path, { token: owner, body: { enabled: false } });
    await (await connect(version, saved, "guest")).end();
    const codes = (await faultsOf("mqtt_client", saved.mqttClientId)).map(({ reason }) => reason.code);
    expect(codes).toContain("refusal.client_disabled");
  });
});

describe("nothing is known of a client", () => {
  test("whose protocol level does not exist", async () => {
    const client = await RawClient.open(fixture.app.mqttPort ?? 0);
    client.hex("10 0d 00 04 4d 51 54 54 09 02 00 3c 00 01 61");
    await client.end();
    expect(await withoutOwner("refusal.protocol_level_unknown")).toMatchObject([
      { identity: "0x09", address: "127.0.0.1", hint: { code: "refusal_hint.protocol_level_unknown" } },
    ]);
  });

  test("whose token is not UTF-8, or who does not speak MQTT at all", async () => {
    const token = await RawClient.open(fixture.app.mqttPort ?? 0);
    token.hex("10 11 00 04 4d 51 54 54 04 82 00 3c 00 01 61 00 02 ff fe");
    await token.end();
    const browser = await RawClient.open(fixture.app.mqttPort ?? 0);
    browser.raw(Buffer.from("GET / HTTP/1.1\r\nAuthorization: Bearer secret\r\n\r\n"));
    await browser.end();
    const faults = await withoutOwner("fault.mqtt_packet_malformed");
    expect(faults).toHaveLength(2);
    expect(faults).toMatchObject([
      { address: "127.0.0.1", protocol: "mqtt", hint: { code: "fault_hint.fault.mqtt_packet_malformed" } },
      { address: "127.0.0.1", where: "CONNECT" },
    ]);
    expect(JSON.stringify(faults)).not.toContain("secret");
  });

  test("and it is no tenant's to see", async () => {
    for (const token of [owner, other]) {
      const { body } = await fixture.call("GET", "/api/faults", { token });
      expect(body.filter(({ tenantId }: Fault) => tenantId === undefined)).toEqual([]);
    }
  });
});

test("two programs with the token of one device, and its packets that are too large, are listed on it", async () => {
  const { deviceId, token } = await fixture.createDevice(owner);
  const port = fixture.app.mqttPort ?? 0;
  const clients = [];
  for (let index = 0; index < 5; index++) {
    clients.push(await RawClient.connect(port, 4, { username: token, clientId: `copy ${index % 2}` }));
    await clients.at(-2)?.end();
  }
  const subscriptions = [{ topic: "plant/#", qos: 0 as const }];
  clients.at(-1)?.send({ cmd: "subscribe", messageId: 1, subscriptions });
  clients.at(-1)?.send(publishPacket("v1/devices/me/telemetry", "x".repeat(70_000)));
  await clients.at(-1)?.end();
  expect(await faultsOf("device", deviceId)).toMatchObject([
    { reason: { code: "device.mqtt_packet_too_large" }, where: "v1/devices/me/telemetry" },
    { reason: { code: "subscription.unknown" }, where: "plant/#" },
    { reason: { code: "device.mqtt_taken_over" }, count: 2 },
  ]);
  expect(await faultsOf("device", deviceId, other)).toEqual([]);
});

describe("messages that a device does not take are listed on it and counted", () => {
  const droppedMessages = async () => {
    const { text } = await fixture.call("GET", "/metrics", { token: "scrape" });
    return Number(/^lineside_mqtt_dropped_messages_total (\d+)$/m.exec(text)?.[1]);
  };
  const responses = "v1/devices/me/attributes/response/+";

  /** Connects a device that takes at most so much, and lets it ask for its attributes without acknowledging a response. */
  async function askWithoutReading(limits: Record<string, number>, requests: number) {
    const { deviceId, token } = await fixture.createDevice(owner);
    await fixture.call("POST", `/api/devices/${deviceId}/attributes`, {
      token: owner,
      body: { scope: "SHARED", attributes: { note: "x".repeat(2_000) } },
    });
    const before = await droppedMessages();
    const client = await RawClient.connect(fixture.app.mqttPort ?? 0, 5, {
      username: token,
      properties: limits,
    });
    client.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: responses, qos: 1 }] });
    await client.next("suback");
    for (let id = 1; id <= requests; id++)
      client.send(publishPacket(`v1/devices/me/attributes/request/${id}`, "{}", { qos: 0 }));
    return { deviceId, client, dropped: async () => (await droppedMessages()) - before };
  }

  test("because its window and its queue are full", async () => {
    const { deviceId, client, dropped } = await askWithoutReading({ receiveMaximum: 1 }, 10);
    await until(async () => (await dropped()) === 10 - 1 - 3);
    expect(await faultsOf("device", deviceId)).toMatchObject([
      { reason: { code: "fault.mqtt_messages_dropped" }, count: 6 },
    ]);
    client.drop();
  });

  test("because they are larger than it takes", async () => {
    const { deviceId, client, dropped } = await askWithoutReading({ maximumPacketSize: 500 }, 4);
    await until(async () => (await dropped()) === 4);
    expect(await faultsOf("device", deviceId)).toMatchObject([
      {
        reason: { code: "fault.mqtt_messages_too_large" },
        hint: { code: "fault_hint.fault.mqtt_messages_too_large" },
        count: 4,
      },
    ]);
    client.drop();
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { generate, type Packet } from "mqtt-packet";
import { connectPacket, publishPacket, RawClient } from "../mqtt/raw-client.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

const ATTRIBUTES = "v1/devices/me/attributes";
const RPC = "v1/devices/me/rpc";

const requests = [
  { of: "attributes", topic: `${ATTRIBUTES}/request/1`, answer: `${ATTRIBUTES}/response/1`, body: "{}" },
  {
    of: "the time",
    topic: `${RPC}/request/2`,
    answer: `${RPC}/response/2`,
    body: '{"method":"getServerTime","params":{}}',
  },
];

const segmentOf = (version: 4 | 5, packets: readonly Packet[]) =>
  Buffer.concat(packets.map((packet) => generate(packet, { protocolVersion: version })));

for (const version of [4, 5] as const)
  for (const isDurable of [false, true])
    describe(`version ${version}, ${isDurable ? "durable" : "clean"} session`, () => {
      const fieldsOf = (token: string) => ({
        username: token,
        clientId: "pump",
        clean: !isDurable,
        ...(version === 5 && isDurable ? { properties: { sessionExpiryInterval: 3600 } } : {}),
      });
      const subscribePacket = (topic: string, qos: 0 | 1): Packet => ({
        cmd: "subscribe",
        messageId: 7,
        subscriptions: [{ topic, qos }],
      });

      for (const { of, topic, answer: response, body } of requests)
        for (const qos of [0, 1] as const) {
          const packets = [
            subscribePacket(response.replace(/\d$/, "+"), qos),
            publishPacket(topic, body, { qos, id: 8 }),
          ];

          test(`a request of ${of} in one segment with its SUBSCRIBE is answered, QoS ${qos}`, async () => {
            const { token } = await fixture.createDevice(owner);
            const client = await RawClient.connect(fixture.app.mqttPort ?? 0, version, fieldsOf(token));
            client.raw(segmentOf(version, packets));
            expect((await client.next("publish")).topic).toBe(response);
            client.drop();
          });

          test(`a request of ${of} in one segment with CONNECT and SUBSCRIBE is answered, QoS ${qos}`, async () => {
            const { token } = await fixture.createDevice(owner);
            const client = await RawClient.open(fixture.app.mqttPort ?? 0, version);
            client.raw(segmentOf(version, [connectPacket(version, fieldsOf(token)), ...packets]));
            expect((await client.next("publish")).topic).toBe(response);
            client.drop();
          });
        }

      test("packets behind a SUBSCRIBE are taken in their order", async () => {
        const { token } = await fixture.createDevice(owner);
        const client = await RawClient.connect(fixture.app.mqttPort ?? 0, version, fieldsOf(token));
        const kinds: string[] = [];
        const packets: Packet[] = [];
        for (let id = 1; id <= 50; id++) {
          packets.push({ ...subscribePacket(`${ATTRIBUTES}/response/+`, 1), messageId: id } as Packet);
          packets.push(publishPacket("v1/devices/me/telemetry", `{"n":${id}}`, { id: 100 + id }));
          packets.push({ cmd: "pingreq" });
          kinds.push("suback");
        }
        client.raw(segmentOf(version, packets));
        for (const kind of kinds) await client.next(kind as "suback");
        for (let id = 1; id <= 50; id++) expect((await client.next("puback")).messageId).toBe(100 + id);
        for (let id = 1; id <= 50; id++) await client.next("pingresp");
        client.drop();
      });
    });

test("a request on a resumed session is answered without a new SUBSCRIBE", async () => {
  const { token } = await fixture.createDevice(owner);
  const fields = { username: token, clientId: "pump", clean: false };
  for (const qos of [0, 1] as const) {
    const first = await RawClient.connect(fixture.app.mqttPort ?? 0, 4, fields);
    first.send({
      cmd: "subscribe",
      messageId: 1,
      subscriptions: [{ topic: `${ATTRIBUTES}/response/+`, qos }],
    });
    await first.next("suback");
    first.send({ cmd: "disconnect" });
    await first.end();
    const second = await RawClient.open(fixture.app.mqttPort ?? 0, 4);
    const packets = [
      connectPacket(4, fields),
      publishPacket(`${ATTRIBUTES}/request/3`, "{}", { qos, id: 2 }),
    ];
    second.raw(segmentOf(4, packets));
    expect((await second.next("publish")).topic).toBe(`${ATTRIBUTES}/response/3`);
    second.send({ cmd: "disconnect" });
    await second.end();
  }
});

import { expect, test } from "bun:test";
import type { DeviceId, TenantId } from "../../src/lib/core/ids.ts";
import type { MqttAuthentication } from "../../src/mqtt/mqtt.types.ts";
import { until } from "../support/until.ts";
import { publishPacket, RawClient } from "./raw-client.ts";
import { serverPerTest } from "./running.ts";

const start = serverPerTest();
const topic = "v1/devices/me/attributes";

/** A client with one message of QoS 1 that it has not acknowledged. */
async function unacknowledged(version: 4 | 5) {
  const { port, server } = await start();
  const client = await RawClient.connect(port, version, { username: "token" });
  client.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic, qos: 1 }] });
  await client.next("suback");
  await server.publishToDevice("device-token" as DeviceId, topic, Buffer.from("{}"), 1);
  const message = await client.next("publish");
  return { client, messageId: message.messageId ?? 0 };
}

test.each([4, 5] as const)(
  "PUBREC and PUBCOMP of a QoS 1 message end the connection, MQTT %i",
  async (version) => {
    for (const cmd of ["pubrec", "pubcomp"] as const) {
      const { client, messageId } = await unacknowledged(version);
      client.send({ cmd, messageId });
      await until(() => client.closed);
      expect(client.packets.some((packet) => packet.cmd === "pubrel")).toBe(false);
    }
  },
);

test("a PUBACK of a message with QoS 1 is accepted", async () => {
  const { client, messageId } = await unacknowledged(4);
  client.send({ cmd: "puback", messageId });
  client.send({ cmd: "pingreq" });
  await client.next("pingresp");
  expect(client.closed).toBe(false);
});

const asProgram = (): MqttAuthentication => ({
  ok: true,
  application: {
    applicationId: "program",
    tenantId: "tenant" as TenantId,
    revoked: false,
    maySubscribe: () => true,
    mayPublish: () => true,
  },
});

/** A client that was sent a message of QoS 2, with identifier 1. */
async function receivedTwice() {
  const { port } = await start({ authenticate: asProgram });
  const client = await RawClient.connect(port, 4, { username: "program" });
  client.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "t", qos: 2 }] });
  await client.next("suback");
  const sender = await RawClient.connect(port, 4, { username: "program", clientId: "sender" });
  sender.send(publishPacket("t", "x", { qos: 2, id: 7 }));
  expect((await client.next("publish")).messageId).toBe(1);
  return client;
}

test.each(["puback", "pubcomp"] as const)(
  "%s of a QoS 2 message before PUBREC ends the connection",
  async (cmd) => {
    const client = await receivedTwice();
    client.send({ cmd, messageId: 1 });
    await until(() => client.closed);
  },
);

test("a PUBREC that is repeated gets PUBREL again, and PUBACK after it ends the connection", async () => {
  const client = await receivedTwice();
  for (let times = 0; times < 2; times++) {
    client.send({ cmd: "pubrec", messageId: 1 });
    await client.next("pubrel");
  }
  client.send({ cmd: "puback", messageId: 1 });
  await until(() => client.closed);
});

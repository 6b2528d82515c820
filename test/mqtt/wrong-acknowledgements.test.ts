import { expect, test } from "bun:test";
import type { DeviceId } from "../../src/lib/ids.ts";
import { until } from "../support/until.ts";
import { RawClient } from "./raw-client.ts";
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

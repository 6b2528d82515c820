import { expect, test } from "bun:test";
import type { TenantId } from "../../src/lib/core/ids.ts";
import type { MqttAuthentication } from "../../src/mqtt/mqtt.types.ts";
import { until } from "../support/until.ts";
import { connectPacket, publishPacket, RawClient } from "./raw-client.ts";
import { serverPerTest } from "./running.ts";

const start = serverPerTest();

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
const lasting = {
  clean: false,
  properties: { sessionExpiryInterval: 600 },
  username: "program",
  clientId: "lasting",
};

/** Payloads of the messages that a client has received, in their order. */
const payloadsOf = ({ packets }: RawClient): string[] =>
  packets.flatMap((packet) => (packet.cmd === "publish" ? [packet.payload.toString()] : []));

/** Publishes a message between two turns of the event loop, `count` times. */
async function publishMany(sender: RawClient, qos: 1 | 2, count: number): Promise<void> {
  for (let id = 1; id <= count; id++) {
    sender.send(publishPacket("t", `message ${id}`, { qos, id }));
    await Bun.sleep(0);
  }
}

test.each([1, 2] as const)(
  "a message of QoS %i that comes while its session is restored is sent once",
  async (qos) => {
    const { port } = await start({ authenticate: asProgram });
    const sender = await RawClient.connect(port, 4, { username: "program", clientId: "sender" });
    const before = await RawClient.connect(port, 5, lasting);
    before.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "t", qos: 2 }] });
    await before.next("suback");
    before.drop();
    await until(() => before.closed);
    const after = await RawClient.open(port, 5);
    after.send(connectPacket(5, lasting));
    await publishMany(sender, qos, 20);
    sender.send(publishPacket("t", "last", { qos, id: 99 }));
    await until(() => payloadsOf(after).includes("last"));
    await after.ping();
    const expected = [...Array.from({ length: 20 }, (_, index) => `message ${index + 1}`), "last"];
    expect(payloadsOf(after).sort()).toEqual(expected.sort());
  },
);

import { expect, test } from "bun:test";
import { generate, type Packet } from "mqtt-packet";
import { createRandom } from "../../src/lib/data/random.ts";
import { mutate } from "../bench/mutations.ts";
import { until } from "../support/until.ts";
import { connectPacket, publishPacket, RawClient } from "./raw-client.ts";
import { serverPerTest } from "./running.ts";

const start = serverPerTest();
const packetsMax = process.env.CI ? 40_000 : 10_000;
const telemetry = "v1/devices/me/telemetry";

const filters = ["v1/devices/me/attributes", "v2/a", "v1/devices/me/#", "#"];
const packets = (version: 4 | 5): Packet[] => [
  connectPacket(version, { username: "fuzz", clean: false }),
  connectPacket(version, { username: "fuzz", will: { topic: telemetry, payload: Buffer.from("w"), qos: 1 } }),
  publishPacket(telemetry, '{"a":1}'),
  publishPacket(telemetry, '{"a":1}', { qos: 2, id: 2 }),
  publishPacket("v1/devices/me/rpc/response/1", "{}", { qos: 0 }),
  { cmd: "pubrel", messageId: 2 },
  { cmd: "puback", messageId: 3 },
  { cmd: "pubrec", messageId: 4 },
  { cmd: "pubcomp", messageId: 4 },
  { cmd: "subscribe", messageId: 5, subscriptions: filters.map((topic) => ({ topic, qos: 1 as const })) },
  { cmd: "unsubscribe", messageId: 6, unsubscriptions: filters },
  { cmd: "pingreq" },
  { cmd: "disconnect" },
];

test.each([4, 5] as const)(
  "version %d: mutated packets end their connection at most, and a healthy client is served",
  async (version) => {
    const { port, server, devices } = await start();
    const healthy = await RawClient.connect(port, version, { username: "healthy" });
    const next = createRandom(version);
    const existing = packets(version).map((packet) => generate(packet, { protocolVersion: version }));
    let sent = 0;
    let client = await RawClient.open(port, version);
    while (sent < packetsMax) {
      if (client.closed) client = await RawClient.open(port, version);
      if (next() < 0.9) client.raw(existing[0]!);
      for (let count = 0; count < 20; count++, sent++) {
        const packet = existing[Math.floor(next() * existing.length)]!;
        client.raw(next() < 0.6 ? mutate(packet, next) : packet);
      }
      if (sent % 200 === 0) client.drop();
      await Bun.sleep(0);
      const fuzzed = devices.get("fuzz");
      if (fuzzed !== undefined && sent % 100 === 0) {
        await server.publishToDevice(fuzzed.deviceId, "v1/devices/me/attributes", Buffer.from("{}"), 1);
      }
    }
    client.drop();
    healthy.send(publishPacket(telemetry, "{}", { id: 77 }));
    expect((await healthy.next("puback")).messageId).toBe(77);
    await until(() => server.stats().connections === 1, "the fuzzing clients' end");
    expect(server.stats().protocolErrors).toBeGreaterThan(packetsMax / 100);
  },
);

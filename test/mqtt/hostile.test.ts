import { expect, test } from "bun:test";
import type { DeviceId } from "../../src/lib/core/ids.ts";
import { until } from "../support/until.ts";
import { connectPacket, publishPacket, RawClient } from "./raw-client.ts";
import { serverPerTest } from "./running.ts";

const start = serverPerTest();
const telemetry = "v1/devices/me/telemetry";
const attributes = "v1/devices/me/attributes";
const device = (name: string) => `device-${name}` as DeviceId;

test("more connections than allowed are closed, and places become free again", async () => {
  const { port, server } = await start({ limits: { connectionsMax: 3 } });
  const clients = [];
  for (const username of ["a", "b", "c"]) clients.push(await RawClient.connect(port, 4, { username }));
  const tooMany = await RawClient.open(port);
  await tooMany.end();
  expect(server.stats().refusedConnections).toBe(1);
  clients[0]!.drop();
  await until(() => server.stats().sockets === 2, "the free place");
  await RawClient.connect(port, 4, { username: "d" });
});

test("one address may not take every connection", async () => {
  const { port, server } = await start({ limits: { connectionsPerAddressMax: 2 } });
  await RawClient.connect(port, 4, { username: "a" });
  await RawClient.connect(port, 4, { username: "b" });
  await (await RawClient.open(port)).end();
  const elsewhere = { remoteAddress: "192.0.2.1", write: () => true, close() {}, pause() {}, resume() {} };
  const handle = server.accept(elsewhere);
  expect(server.stats().sockets).toBe(3);
  handle.closed();
  expect(server.stats().sockets).toBe(2);
});

test("an application that publishes to its port while it is taken is told which port", async () => {
  const { port } = await start();
  await expect(start({ port })).rejects.toThrow(`The MQTT port ${port} cannot be opened`);
});

test("hostile sockets are closed in time and a healthy client is served beside them", async () => {
  const { port, server } = await start({ limits: { connectTimeoutMs: 1_000 } });
  const healthy = await RawClient.connect(port, 5, { username: "healthy" });
  const hostile: RawClient[] = [];
  for (let index = 0; index < 400; index++) {
    const client = await RawClient.open(port);
    hostile.push(client);
    if (index % 4 === 0) client.hex("10");
    if (index % 4 === 1) client.hex("10ff3f00044d51545404");
    if (index % 4 === 2) client.raw(new Uint8Array(100_000).fill(0x10));
  }
  for (let id = 1; id <= 50; id++) healthy.send(publishPacket(telemetry, "{}", { id }));
  await until(() => healthy.packets.length === 50, "the healthy client's answers");
  await until(() => hostile.every(({ closed }) => closed), "the hostile sockets");
  await until(() => server.stats().sockets === 1, "the places of the hostile sockets");
});

test("a subscriber that reads nothing is reported and cut off, and the others miss nothing", async () => {
  const reported = new Set<string>();
  const { port, server } = await start({ report: ({ code }) => reported.add(code) });
  const frozen = await RawClient.connect(port, 4, { username: "frozen" });
  const healthy = await RawClient.connect(port, 4, { username: "healthy" });
  for (const client of [frozen, healthy]) {
    client.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: attributes, qos: 0 }] });
    await client.next("suback");
  }
  frozen.pause();
  const payload = Buffer.alloc(60_000, "x");
  let received = 0;
  for (let round = 0; round < 400; round++) {
    await server.publishToDevice(device("frozen"), attributes, payload, 0);
    if (round % 20 === 0) {
      await server.publishToDevice(device("healthy"), attributes, Buffer.from(`${round}`), 0);
      await healthy.next("publish");
      received++;
    }
  }
  expect(received).toBe(20);
  expect(server.stats().messagesDropped).toBeGreaterThan(0);
  expect(server.usageOf("tenant").dropped).toBe(server.stats().messagesDropped);
  expect([...reported]).toEqual(["fault.mqtt_messages_unread"]);
  await until(() => server.stats().connections === 1, "the frozen client's end");
  await healthy.ping();
});

test("a lasting subscriber that reads nothing keeps at most its queue", async () => {
  const { port, server } = await start({ limits: { queuedPerClientMax: 100 } });
  const frozen = await RawClient.connect(port, 4, { clean: false });
  frozen.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: attributes, qos: 1 }] });
  await frozen.next("suback");
  frozen.pause();
  for (let round = 0; round < 1_000; round++) {
    await server.publishToDevice(device("token"), attributes, Buffer.alloc(1_000), 1);
  }
  expect(server.stats().messagesDropped).toBeGreaterThanOrEqual(900);
});

test("a client that acknowledges nothing and one that never finishes QoS 2 harm nobody", async () => {
  const { port, server, ingest } = await start();
  const mute = await RawClient.connect(port, 4, { username: "mute" });
  mute.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: attributes, qos: 1 }] });
  await mute.next("suback");
  for (let round = 0; round < 500; round++) {
    await server.publishToDevice(device("mute"), attributes, Buffer.from("x"), 1);
  }
  await mute.ping();
  expect(mute.packets.filter(({ cmd }) => cmd === "publish").length).toBe(100);
  const greedy = await RawClient.connect(port, 5, { username: "greedy" });
  for (let id = 1; id <= 5_000; id++) greedy.send(publishPacket(telemetry, "{}", { qos: 2, id }));
  await greedy.end();
  expect(ingest.taken.length).toBeLessThanOrEqual(4_096);
  await mute.ping();
});

test("bytes one at a time make the same packets", async () => {
  const { port } = await start();
  const client = await RawClient.open(port, 5);
  const { generate } = await import("mqtt-packet");
  const stream = Buffer.concat([
    generate(connectPacket(5), { protocolVersion: 5 }),
    generate(publishPacket(telemetry, "{}", { id: 3 }), { protocolVersion: 5 }),
  ]);
  for (const byte of stream) {
    client.raw(Uint8Array.of(byte));
    await Bun.sleep(0);
  }
  expect((await client.next("puback")).messageId).toBe(3);
});

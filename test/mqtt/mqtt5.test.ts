import { expect, test } from "bun:test";
import type { DeviceId } from "../../src/lib/core/ids.ts";
import { until } from "../support/until.ts";
import { connectPacket, RawClient } from "./raw-client.ts";
import { serverPerTest } from "./running.ts";

const start = serverPerTest();
const attributes = "v1/devices/me/attributes";
const deviceId = "device-token" as DeviceId;
const bytes = (text: string) => new TextEncoder().encode(text);
const payloads = (client: RawClient) =>
  client.packets.flatMap((packet) => (packet.cmd === "publish" ? [packet.payload.toString()] : []));

const connack = async (port: number, fields: Record<string, unknown>) => {
  const client = await RawClient.open(port, 5);
  client.send(connectPacket(5, fields));
  return await client.next("connack");
};

test("CONNACK tells a client without an id which one it got, and the limits", async () => {
  const { port } = await start({ limits: { inFlightMax: 50, packetBytesMax: 4096 } });
  const { properties } = await connack(port, { clientId: "" });
  expect(properties?.assignedClientIdentifier).toMatch(/^lineside-/);
  expect(properties).toMatchObject({
    receiveMaximum: 50,
    maximumPacketSize: 4096,
    topicAliasMaximum: 16,
    sharedSubscriptionAvailable: false,
  });
});

test("CONNACK tells a client which keep-alive holds when the server has a limit", async () => {
  const { port } = await start({ limits: { keepAliveSecondsMax: 60 } });
  for (const [keepalive, notified] of [
    [120, 60],
    [0, 60],
    [30, undefined],
  ] as const) {
    expect((await connack(port, { keepalive })).properties?.serverKeepAlive).toBe(notified);
  }
});

test("CONNACK tells a client when its session will not last as long as asked", async () => {
  const { port } = await start({ limits: { sessionExpirySecondsMax: 100 } });
  const asked = await connack(port, { clean: false, properties: { sessionExpiryInterval: 5000 } });
  expect(asked.properties?.sessionExpiryInterval).toBe(100);
  const modest = await connack(port, { clean: false, properties: { sessionExpiryInterval: 50 } });
  expect(modest.properties?.sessionExpiryInterval).toBeUndefined();
});

test("a client that asks for few messages at a time gets few", async () => {
  const { port, server } = await start();
  const client = await RawClient.connect(port, 5, { properties: { receiveMaximum: 2 } });
  client.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: attributes, qos: 1 }] });
  await client.next("suback");
  for (let index = 0; index < 5; index++)
    await server.publishToDevice(deviceId, attributes, bytes(`${index}`), 1);
  await until(() => payloads(client).length === 2, "the first two");
  await client.ping();
  expect(payloads(client)).toEqual(["0", "1"]);
  const seen: string[] = [];
  while (seen.length < 5) {
    const message = await client.next("publish");
    seen.push(message.payload.toString());
    client.send({ cmd: "puback", messageId: message.messageId! });
  }
  expect(seen).toEqual(["0", "1", "2", "3", "4"]);
});

test("a message larger than the client takes is not sent, and the next one is", async () => {
  const { port, server } = await start();
  const client = await RawClient.connect(port, 5, { properties: { maximumPacketSize: 100 } });
  client.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: attributes, qos: 1 }] });
  await client.next("suback");
  await server.publishToDevice(deviceId, attributes, bytes("x".repeat(200)), 1);
  await server.publishToDevice(deviceId, attributes, bytes("small"), 1);
  await until(() => payloads(client).length === 1, "the small message");
  expect(payloads(client)).toEqual(["small"]);
});

test("DISCONNECT may shorten a session to nothing", async () => {
  const { port, events } = await start();
  const lasting = { clean: false, properties: { sessionExpiryInterval: 600 } };
  const first = await RawClient.connect(port, 5, lasting);
  first.send({ cmd: "disconnect", reasonCode: 0, properties: { sessionExpiryInterval: 0 } });
  await until(() => events.length === 2, "the disconnect");
  expect((await connack(port, lasting)).sessionPresent).toBe(false);
});

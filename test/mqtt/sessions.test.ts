import { describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DeviceId } from "../../src/lib/core/ids.ts";
import { until } from "../support/until.ts";
import { connectPacket, RawClient } from "./raw-client.ts";
import { serverPerTest } from "./running.ts";

const start = serverPerTest();
const attributes = "v1/devices/me/attributes";
const deviceId = "device-token" as DeviceId;
const bytes = (text: string) => new TextEncoder().encode(text);

const subscribe = async (client: RawClient, topic = attributes, qos: 0 | 1 | 2 = 1) => {
  client.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic, qos }] });
  return (await client.next("suback")).granted;
};
const payloads = (client: RawClient) =>
  client.packets.flatMap((packet) => (packet.cmd === "publish" ? [packet.payload.toString()] : []));

test("a damaged session file is set aside and the server starts", async () => {
  const mqtt = await start();
  await mqtt.server.stop();
  writeFileSync(mqtt.sessionFile, "this is no database, whatever its name says ".repeat(100));
  const again = await mqtt.restart();
  const client = await RawClient.connect(again.port, 4);
  await client.ping();
  expect(readdirSync(join(dirname(mqtt.sessionFile), "set-aside")).sort()).toEqual([
    `${basename(mqtt.sessionFile)}-synced.1`,
    `${basename(mqtt.sessionFile)}.1`,
  ]);
});

test("a database that cannot be read while the server stops loses no subscription", async () => {
  const mqtt = await start({
    onDisconnected() {
      throw new Error("disk I/O error");
    },
  });
  const lasting = { clean: false, clientId: "lasting" } as const;
  await RawClient.connect(mqtt.port, 4, { username: "other" });
  const client = await RawClient.connect(mqtt.port, 4, lasting);
  await subscribe(client);
  const again = await mqtt.restart();
  const back = await RawClient.open(again.port, 4);
  back.send(connectPacket(4, lasting));
  expect((await back.next("connack")).sessionPresent).toBe(true);
});

describe.each([4, 5] as const)("MQTT version %d", (version) => {
  const lasting = { clean: false, ...(version === 5 ? { properties: { sessionExpiryInterval: 600 } } : {}) };

  test("two devices with the same client id receive only their own", async () => {
    const { port, server } = await start();
    const rawClient = await RawClient.connect(port, version, { username: "one" });
    const two = await RawClient.connect(port, version, { username: "two" });
    await subscribe(rawClient);
    await subscribe(two);
    await server.publishToDevice("device-one" as DeviceId, attributes, bytes("for one"), 1);
    await server.publishToDevice("device-two" as DeviceId, attributes, bytes("for two"), 1);
    await until(() => payloads(rawClient).length > 0 && payloads(two).length > 0, "both messages");
    await rawClient.ping();
    await two.ping();
    expect(payloads(rawClient)).toEqual(["for one"]);
    expect(payloads(two)).toEqual(["for two"]);
  });

  test("a short topic hears what is published to the long one, under its own name", async () => {
    const { port, server } = await start();
    const client = await RawClient.connect(port, version);
    await subscribe(client, "v2/a");
    await server.publishToDevice(deviceId, attributes, bytes("{}"), 0);
    expect((await client.next("publish")).topic).toBe("v2/a");
  });

  test("commands reach a wildcard subscription with their topic", async () => {
    const { port, server } = await start();
    const client = await RawClient.connect(port, version);
    await subscribe(client, "v1/devices/me/rpc/request/+");
    await server.publishToDevice(deviceId, "v1/devices/me/rpc/request/12", bytes('{"method":"m"}'), 1);
    const message = await client.next("publish");
    expect(message.topic).toBe("v1/devices/me/rpc/request/12");
    expect(message.qos).toBe(1);
  });

  test("after UNSUBSCRIBE nothing comes", async () => {
    const { port, server } = await start();
    const client = await RawClient.connect(port, version);
    await subscribe(client);
    client.send({ cmd: "unsubscribe", messageId: 2, unsubscriptions: [attributes] });
    await client.next("unsuback");
    await server.publishToDevice(deviceId, attributes, bytes("{}"), 1);
    await client.ping();
    expect(payloads(client)).toEqual([]);
  });

  test("a new connection of a device takes over from its old one", async () => {
    const { port, events } = await start();
    const old = await RawClient.connect(port, version, { clientId: "a" });
    old.bytes.length = 0;
    const young = await RawClient.connect(port, version, { clientId: "b" });
    await old.end();
    expect(old.received).toBe(version === 5 ? "e0018e" : "");
    await young.ping();
    expect(events).toEqual(["connected token", "disconnected token", "connected token"]);
  });

  test("a lasting session is queued for while its client is away, and its subscriptions stay", async () => {
    const { port, server, events } = await start();
    const first = await RawClient.connect(port, version, lasting);
    await subscribe(first);
    first.send({ cmd: "disconnect" });
    await until(() => events.length === 2, "the disconnect");
    for (const text of ["1", "2", "3"]) await server.publishToDevice(deviceId, attributes, bytes(text), 1);
    const second = await RawClient.open(port, version);
    second.send(connectPacket(version, lasting));
    expect((await second.next("connack")).sessionPresent).toBe(true);
    await until(() => payloads(second).length === 3, "the queued messages");
    await server.publishToDevice(deviceId, attributes, bytes("4"), 1);
    await until(() => payloads(second).length === 4, "the next message");
    expect(payloads(second)).toEqual(["1", "2", "3", "4"]);
  });

  test("a queued message that was not acknowledged comes again, marked as a duplicate", async () => {
    const { port, server, events } = await start();
    const first = await RawClient.connect(port, version, lasting);
    await subscribe(first);
    await server.publishToDevice(deviceId, attributes, bytes("1"), 1);
    expect((await first.next("publish")).dup).toBe(false);
    first.drop();
    await until(() => events.length === 2, "the disconnect");
    const second = await RawClient.connect(port, version, lasting);
    const message = await second.next("publish");
    expect(message.dup).toBe(true);
    second.send({ cmd: "puback", messageId: message.messageId! });
    await second.ping();
    second.drop();
    await until(() => events.length === 4, "the second disconnect");
    const third = await RawClient.connect(port, version, lasting);
    await server.publishToDevice(deviceId, attributes, bytes("2"), 1);
    expect((await third.next("publish")).payload.toString()).toBe("2");
  });

  test("sessions and their queues survive a restart", async () => {
    const mqtt = await start();
    const first = await RawClient.connect(mqtt.port, version, lasting);
    await subscribe(first);
    first.send({ cmd: "disconnect" });
    await until(() => mqtt.events.length === 2, "the disconnect");
    await mqtt.server.publishToDevice(deviceId, attributes, bytes("1"), 1);
    const again = await mqtt.restart();
    await again.server.publishToDevice(deviceId, attributes, bytes("2"), 1);
    const second = await RawClient.open(again.port, version);
    second.send(connectPacket(version, lasting));
    expect((await second.next("connack")).sessionPresent).toBe(true);
    await until(() => payloads(second).length === 2, "the queued messages");
    expect(payloads(second)).toEqual(["1", "2"]);
  });

  test("a full queue loses its oldest", async () => {
    const { port, server, events } = await start({ limits: { queuedPerClientMax: 10 } });
    const first = await RawClient.connect(port, version, lasting);
    await subscribe(first);
    first.drop();
    await until(() => events.length === 2, "the disconnect");
    for (let index = 0; index < 30; index++)
      await server.publishToDevice(deviceId, attributes, bytes(`${index}`), 1);
    expect(server.stats().messagesDropped).toBe(20);
    const second = await RawClient.connect(port, version, lasting);
    await until(() => payloads(second).length === 10, "the queued messages");
    const [oldest, ...others] = payloads(second);
    // The first message may have been on its way to the lost connection, and is then kept to be repeated.
    expect(["20", "0"]).toContain(oldest ?? "");
    expect(others).toEqual(["21", "22", "23", "24", "25", "26", "27", "28", "29"]);
  });

  test("nothing is kept for a client that is away where the settings say so", async () => {
    const { port, server, events } = await start({ limits: { queuedPerClientMax: 0 } });
    const first = await RawClient.connect(port, version, lasting);
    await subscribe(first);
    first.drop();
    await until(() => events.length === 2, "the disconnect");
    await server.publishToDevice(deviceId, attributes, bytes("missed"), 1);
    expect(server.stats().messagesDropped).toBe(1);
    const second = await RawClient.connect(port, version, lasting);
    await server.publishToDevice(deviceId, attributes, bytes("live"), 1);
    await until(() => payloads(second).length === 1, "the message");
    expect(payloads(second)).toEqual(["live"]);
  });

  test.each([
    ["a clean start", { clean: true }],
    ["another client id", { ...lasting, clientId: "other" }],
  ])("%s ends the session that was there", async (_name, fields) => {
    const { port, server, events } = await start();
    const first = await RawClient.connect(port, version, lasting);
    await subscribe(first);
    first.drop();
    await until(() => events.length === 2, "the disconnect");
    await server.publishToDevice(deviceId, attributes, bytes("1"), 1);
    const second = await RawClient.open(port, version);
    second.send(connectPacket(version, fields));
    expect((await second.next("connack")).sessionPresent).toBe(false);
    await server.publishToDevice(deviceId, attributes, bytes("2"), 1);
    await second.ping();
    expect(payloads(second)).toEqual([]);
  });

  test("a removed device loses its connection and its session", async () => {
    const { port, server, devices } = await start();
    const client = await RawClient.connect(port, version, lasting);
    client.bytes.length = 0;
    devices.get("token")!.revoked = true;
    server.disconnectDevice(deviceId);
    await client.end();
    expect(client.received).toBe(version === 5 ? "e00187" : "");
    const again = await RawClient.open(port, version);
    again.send(connectPacket(version, lasting));
    expect((await again.next("connack")).sessionPresent).toBe(false);
  });
});

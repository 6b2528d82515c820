import { describe, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { publishPacket, RawClient } from "./raw-client.ts";
import { serverPerTest } from "./running.ts";

const start = serverPerTest();
const telemetry = "v1/devices/me/telemetry";
const message = (dup: boolean, id = 9) => publishPacket(telemetry, '{"a":1}', { qos: 2, id, dup });

describe.each([4, 5] as const)("QoS 2, MQTT version %d", (version) => {
  const lasting = { clean: false, ...(version === 5 ? { properties: { sessionExpiryInterval: 600 } } : {}) };

  test("is stored once, however often it is sent before PUBREL", async () => {
    const { port, ingest } = await start();
    const client = await RawClient.connect(port, version);
    client.send(message(false));
    await client.next("pubrec");
    client.send(message(true));
    await client.next("pubrec");
    client.send(message(false));
    await client.next("pubrec");
    client.send({ cmd: "pubrel", messageId: 9 });
    await client.next("pubcomp");
    expect(ingest.taken.length).toBe(1);
    client.send(message(false));
    await client.next("pubrec");
    expect(ingest.taken.length).toBe(2);
  });

  test("sent a third time without DUP ends the connection", async () => {
    const { port, ingest } = await start();
    const client = await RawClient.connect(port, version);
    for (const dup of [false, false, true]) {
      client.send(message(dup));
      await client.next("pubrec");
    }
    client.send(message(false));
    await until(() => client.closed);
    expect(ingest.taken.length).toBe(1);
  });

  test("another message under its identifier is stored, too: the client has lost its state", async () => {
    const { port, ingest } = await start();
    const client = await RawClient.connect(port, version);
    for (const body of ['{"a":1}', '{"a":2}', '{"a":1}']) {
      client.send(publishPacket(telemetry, body, { qos: 2, id: 9, dup: false }));
      await client.next("pubrec");
    }
    client.send({ cmd: "pubrel", messageId: 9 });
    await client.next("pubcomp");
    expect(ingest.taken.length).toBe(3);
  });

  test("sent again while its commit is in progress is answered once and stored once", async () => {
    const { port, ingest } = await start();
    ingest.held = true;
    const client = await RawClient.connect(port, version);
    client.send(message(false));
    client.send(message(true));
    await client.ping();
    ingest.commit();
    await client.next("pubrec");
    await client.ping();
    expect(client.packets).toEqual([]);
    expect(ingest.taken.length).toBe(1);
  });

  test("a lasting session remembers it over a reconnect", async () => {
    const { port, ingest } = await start();
    const first = await RawClient.connect(port, version, lasting);
    first.send(message(false));
    await first.next("pubrec");
    first.drop();
    const second = await RawClient.connect(port, version, lasting);
    second.send(message(true));
    await second.next("pubrec");
    second.send({ cmd: "pubrel", messageId: 9 });
    await second.next("pubcomp");
    expect(ingest.taken.length).toBe(1);
  });

  test("sent again over a new connection before the old one's commit is stored once", async () => {
    const { port, ingest, events } = await start();
    ingest.held = true;
    const first = await RawClient.connect(port, version, lasting);
    first.send(message(false));
    await until(() => ingest.taken.length === 1, "the message");
    first.drop();
    await until(() => events.length === 2, "the disconnect");
    const second = await RawClient.connect(port, version, lasting);
    second.send(message(true));
    await second.ping();
    ingest.commit();
    await second.next("pubrec");
    expect(ingest.taken.length).toBe(1);
  });

  test("a lasting session that took another's place remembers it over a restart", async () => {
    const mqtt = await start();
    const first = await RawClient.connect(mqtt.port, version, lasting);
    first.drop();
    const other = { ...lasting, clientId: "another" };
    const second = await RawClient.connect(mqtt.port, version, other);
    second.send(message(false));
    await second.next("pubrec");
    const again = await mqtt.restart();
    const third = await RawClient.connect(again.port, version, other);
    third.send(message(true));
    await third.next("pubrec");
    expect(mqtt.ingest.taken.length).toBe(1);
  });

  test("a lasting session remembers it over a restart, and a new message with its identifier is stored", async () => {
    const mqtt = await start();
    const first = await RawClient.connect(mqtt.port, version, lasting);
    for (const id of [9, 10]) {
      first.send(message(false, id));
      await first.next("pubrec");
    }
    const again = await mqtt.restart();
    const second = await RawClient.connect(again.port, version, lasting);
    second.send(message(true, 9));
    await second.next("pubrec");
    expect(mqtt.ingest.taken.length).toBe(2);
    second.send(message(false, 10));
    await second.next("pubrec");
    expect(mqtt.ingest.taken.length).toBe(3);
  });

  test("a session that ends with its connection forgets it", async () => {
    const { port, ingest } = await start();
    const first = await RawClient.connect(port, version);
    first.send(message(false));
    await first.next("pubrec");
    first.drop();
    const second = await RawClient.connect(port, version);
    second.send(message(true));
    await second.next("pubrec");
    expect(ingest.taken.length).toBe(2);
  });
});

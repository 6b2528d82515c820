import { describe, expect, test } from "bun:test";
import type { DeviceId } from "../../../src/lib/core/ids.ts";
import type { Will } from "../../../src/lib/mqtt/packets.ts";
import { Wills } from "../../../src/mqtt/broker/wills.ts";
import { ConnectionTurns } from "../../../src/mqtt/connection/connection-turns.ts";
import type { Session } from "../../../src/mqtt/session/session.ts";
import type { Principal } from "../../../src/mqtt/topics/principal.ts";
import { until } from "../../support/until.ts";
import { ManualClock } from "../mqtt-fixture.ts";
import { RawClient } from "../raw-client.ts";
import { serverPerTest } from "../running.ts";

const start = serverPerTest();
const will = {
  topic: "v1/devices/me/telemetry",
  payload: Buffer.from('{"online":0}'),
  qos: 1,
  retain: false,
};
const published = { deviceId: "device-token", kind: "telemetry" as const, body: '{"online":0}' };

describe.each([4, 5] as const)("MQTT version %d", (version) => {
  test("a client that breaks off leaves its will", async () => {
    const { port, ingest } = await start();
    const client = await RawClient.connect(port, version, { will });
    expect(ingest.taken).toEqual([]);
    client.drop();
    await until(() => ingest.taken.length === 1, "the will");
    expect(ingest.taken).toEqual([published]);
  });

  test("a client that breaks the protocol leaves its will", async () => {
    const { port, ingest } = await start();
    const client = await RawClient.connect(port, version, { will });
    client.hex("0000");
    await until(() => ingest.taken.length === 1, "the will");
    expect(ingest.taken).toEqual([published]);
  });

  test("a client that says good-bye leaves none", async () => {
    const { port, ingest, events } = await start();
    const client = await RawClient.connect(port, version, { will });
    client.send({ cmd: "disconnect" });
    await until(() => events.length === 2, "the disconnect");
    expect(ingest.taken).toEqual([]);
  });

  test("a will for a topic that is not the device's is listed as refused", async () => {
    const { port, ingest } = await start();
    const client = await RawClient.connect(port, version, { will: { ...will, topic: "other/topic" } });
    client.drop();
    await until(() => ingest.rejected.length === 1, "the refusal");
    expect(ingest.rejected[0]).toMatchObject({ where: "other/topic", code: "topic.unknown" });
  });
});

test("DISCONNECT with will publishes it", async () => {
  const { port, ingest } = await start();
  const client = await RawClient.connect(port, 5, { will });
  client.send({ cmd: "disconnect", reasonCode: 4 });
  await until(() => ingest.taken.length === 1, "the will");
});

const delayed = (sessionExpiryInterval: number) => ({
  clean: false,
  properties: { sessionExpiryInterval },
  will: { ...will, properties: { willDelayInterval: 10 } },
});

test("a delayed will waits, and is dropped when the client comes back to its session", async () => {
  const clock = new ManualClock();
  const { port, ingest, events } = await start({ clock });
  const first = await RawClient.connect(port, 5, delayed(60));
  first.drop();
  await until(() => events.length === 2, "the disconnect");
  for (let step = 0; step < 36; step++) clock.advance(250);
  expect(ingest.taken).toEqual([]);
  const second = await RawClient.connect(port, 5, delayed(60));
  for (let step = 0; step < 60; step++) clock.advance(250);
  expect(ingest.taken).toEqual([]);
  second.drop();
  await until(() => events.length === 4, "the second disconnect");
  for (let step = 0; step < 44; step++) clock.advance(250);
  expect(ingest.taken).toEqual([published]);
});

test("a delayed will is published when its session ends first", async () => {
  const clock = new ManualClock();
  const { port, ingest, events } = await start({ clock });
  const first = await RawClient.connect(port, 5, delayed(60));
  first.drop();
  await until(() => events.length === 2, "the disconnect");
  await RawClient.connect(port, 5, { clean: true });
  expect(ingest.taken).toEqual([published]);
});

test("a client that lost its access leaves no will, not even a delayed one", async () => {
  const clock = new ManualClock();
  const { port, ingest, events, server } = await start({ clock });
  await RawClient.connect(port, 5, delayed(60));
  server.disconnectDevice("device-token" as DeviceId);
  await until(() => events.length === 2, "the disconnect");
  for (let step = 0; step < 300; step++) clock.advance(250);
  expect(ingest.taken).toEqual([]);
});

test("the wills of many clients that go at the same time take several turns, and keep their order", async () => {
  let now = 0;
  const topics: string[] = [];
  const wills = new Wills(new ConnectionTurns({ monotonic: () => now }), (_, { topic }) => {
    topics.push(topic);
    now += 5;
  });
  const leave = (topic: string, delaySeconds: number) => {
    const session = { key: topic, expirySeconds: 60 } as Session;
    wills.left(session, { principal: {} as Principal, will: { topic, delaySeconds } as Will }, 0);
  };
  for (const topic of ["a", "b", "c"]) leave(topic, 0);
  expect(topics).toEqual(["a", "b"]);
  for (const topic of ["d", "e"]) leave(topic, 1);
  wills.tick(60_000);
  expect([topics, wills.isIdle]).toEqual([["a", "b"], false]);
  await until(() => wills.isIdle, "all wills");
  expect(topics).toEqual(["a", "b", "c", "d", "e"]);
});

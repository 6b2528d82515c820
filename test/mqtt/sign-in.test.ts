import { afterAll, beforeAll, expect, test } from "bun:test";
import type { MqttAuthentication, MqttCredentials } from "../../src/mqtt/mqtt.types.ts";
import { until } from "../support/until.ts";
import { createDevice, type Running, startMqtt } from "./mqtt-fixture.ts";
import { connectPacket, publishPacket, RawClient } from "./raw-client.ts";

let mqtt: Running;
/** Sign-ins that wait, by user name. */
const pending = new Map<
  string,
  {
    credentials: MqttCredentials;
    settle: (response: MqttAuthentication) => void;
    fail: (error: Error) => void;
  }
>();
const devices = new Map<string, ReturnType<typeof createDevice>>();

function deviceOf(name: string) {
  const device = devices.get(name) ?? createDevice(name);
  devices.set(name, device);
  if (name.startsWith("three")) device.sessionsMax = 3;
  return device;
}

beforeAll(async () => {
  mqtt = await startMqtt({
    authenticate(mqttCredentials) {
      const { username = "" } = mqttCredentials;
      if (!username.startsWith("slow")) return { ok: true, device: deviceOf(username) };
      return new Promise((settle, fail) =>
        pending.set(username, { credentials: mqttCredentials, settle, fail }),
      );
    },
  });
});
afterAll(() => mqtt.stop());

const waiting = async (username: string) => {
  await until(() => pending.has(username), "the sign-in");
  const found = pending.get(username);
  pending.delete(username);
  if (found === undefined) throw new Error("not there");
  return found;
};

test("what a client sends on the heels of a CONNECT that takes time is taken once it is in", async () => {
  const raw = await RawClient.open(mqtt.port, 5);
  raw.send(connectPacket(5, { username: "slow-1" }));
  raw.send(publishPacket("v1/devices/me/telemetry", "early", { id: 7 }));
  const { settle } = await waiting("slow-1");
  const other = await RawClient.connect(mqtt.port, 5, { username: "quick" });
  await other.ping();
  expect(mqtt.ingest.taken).toEqual([]);
  settle({ ok: true, device: deviceOf("slow-1") });
  expect((await raw.next("connack")).reasonCode).toBe(0);
  expect((await raw.next("puback")).messageId).toBe(7);
  expect(mqtt.ingest.taken).toEqual([{ deviceId: "device-slow-1", kind: "telemetry", body: "early" }]);
});

test.each([
  ["bad_credentials", 0x86, 4],
  ["not_authorized", 0x87, 5],
  ["unavailable", 0x88, 3],
  ["later", 0x9f, 3],
] as const)("a late refusal, %s, is told", async (reason, five, four) => {
  for (const [version, code] of [
    [5, five],
    [4, four],
  ] as const) {
    const raw = await RawClient.open(mqtt.port, version);
    raw.send(connectPacket(version, { username: `slow-${reason}` }));
    (await waiting(`slow-${reason}`)).settle({ ok: false, reason });
    const packet = await raw.next("connack");
    expect(version === 5 ? packet.reasonCode : packet.returnCode).toBe(code);
    await raw.end();
  }
});

test("a client that goes while it waits is not let in, and whoever decides can tell", async () => {
  const raw = await RawClient.open(mqtt.port, 5);
  raw.send(connectPacket(5, { username: "slow-gone" }));
  const { credentials, settle } = await waiting("slow-gone");
  expect(credentials.isGone()).toBe(false);
  raw.drop();
  await until(() => credentials.isGone(), "the end");
  settle({ ok: true, device: deviceOf("slow-gone") });
  await RawClient.connect(mqtt.port, 5, { username: "after-gone" });
  expect(mqtt.events).toContain("connected after-gone");
  expect(mqtt.events).not.toContain("connected slow-gone");
});

test("a sign-in that fails costs its client the connection and nobody else", async () => {
  const other = await RawClient.connect(mqtt.port, 5, { username: "bystander" });
  const raw = await RawClient.open(mqtt.port, 5);
  raw.send(connectPacket(5, { username: "slow-failing" }));
  (await waiting("slow-failing")).fail(new Error("no such luck"));
  await raw.end();
  await other.ping();
});

test("a client that floods before it is in is cut off", async () => {
  const raw = await RawClient.open(mqtt.port, 5);
  raw.send(connectPacket(5, { username: "slow-flood" }));
  const { credentials } = await waiting("slow-flood");
  for (let index = 0; index < 40 && !credentials.isGone(); index++) {
    raw.send(publishPacket("v1/devices/me/telemetry", "x".repeat(32_000), { id: index + 1 }));
    await Bun.sleep(1);
  }
  raw.drop();
  await until(() => credentials.isGone(), "the end");
});

const connect = (username: string, clientId: string) =>
  RawClient.connect(mqtt.port, 5, { username, clientId });

test("a device with three sessions keeps the newest three, and hears in each", async () => {
  const clients = [];
  for (const clientId of ["1", "2", "3"]) clients.push(await connect("three-a", clientId));
  for (const client of clients) await client.ping();
  clients.push(await connect("three-a", "4"));
  expect((await clients[0]!.next("disconnect")).reasonCode).toBe(0x8e);
  for (const client of clients.slice(1)) {
    client.send({
      cmd: "subscribe",
      messageId: 1,
      subscriptions: [{ topic: "v1/devices/me/attributes", qos: 0 }],
    });
    await client.next("suback");
  }
  await mqtt.server.publishToDevice(
    deviceOf("three-a").deviceId,
    "v1/devices/me/attributes",
    Buffer.from("x"),
    0,
  );
  for (const client of clients.slice(1)) expect((await client.next("publish")).payload.toString()).toBe("x");
  mqtt.server.disconnectDevice(deviceOf("three-a").deviceId);
  for (const client of clients.slice(1)) expect((await client.next("disconnect")).reasonCode).toBe(0x87);
});

test("the same client id takes its session over, and a device cut back to one keeps the newest", async () => {
  const first = await connect("three-b", "1");
  const again = await connect("three-b", "1");
  expect((await first.next("disconnect")).reasonCode).toBe(0x8e);
  const second = await connect("three-b", "2");
  await again.ping();
  const device = deviceOf("three-b");
  devices.set("one-b", device); // the name under which the next sign-in finds the same device, cut back
  device.sessionsMax = 1;
  await connect("one-b", "9");
  for (const client of [again, second]) expect((await client.next("disconnect")).reasonCode).toBe(0x8e);
});

test("a device whose profile refuses further sessions keeps its own, and each client id its session", async () => {
  const first = await connect("single", "1");
  deviceOf("single").sessionsWhenFull = "REFUSE";
  const refused = await RawClient.open(mqtt.port, 5);
  refused.send(connectPacket(5, { username: "single", clientId: "2" }));
  expect((await refused.next("connack")).reasonCode).toBe(0x97);
  await first.ping();
  const again = await connect("single", "1");
  expect((await first.next("disconnect")).reasonCode).toBe(0x8e);
  await again.ping();
});

test("durable sessions under ever new client ids stay within the number", async () => {
  for (let index = 0; index < 6; index++) {
    const raw = await RawClient.open(mqtt.port, 4);
    raw.send(connectPacket(4, { username: "three-c", clientId: `c${index}`, clean: false }));
    await raw.next("connack");
    raw.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "v2/a", qos: 1 }] });
    await raw.next("suback");
    raw.send({ cmd: "disconnect" });
    await raw.end();
  }
  const existing: boolean[] = [];
  for (let index = 0; index < 6; index++) {
    const raw = await RawClient.open(mqtt.port, 4);
    raw.send(connectPacket(4, { username: "three-c", clientId: `c${index}`, clean: false }));
    existing.push((await raw.next("connack")).sessionPresent);
    raw.drop();
  }
  expect(existing.filter(Boolean).length).toBeLessThanOrEqual(3);
  expect(mqtt.server.hasDurableSession(deviceOf("three-c").deviceId)).toBe(true);
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FakeClock } from "../../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";
import { WebSocketClient } from "../../support/websocket-client.ts";

let fixture: TestApp;
let owner: string;
let stranger: string;
let device: { deviceId: string; token: string };
let other: { deviceId: string; token: string };
let limited: string;

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  device = await fixture.createDevice(owner);
  other = await fixture.createDevice(owner);
  limited = (await fixture.signIn("TENANT_READ_ONLY", { devices: [other.deviceId] })).token;
});
afterAll(() => fixture.stop());

const report = (token: string, body: unknown) => fixture.call("POST", `/api/v1/${token}/telemetry`, { body });

const signedIn = (token: string) => WebSocketClient.signIn(fixture.app.url, token);
const connect = () => WebSocketClient.open(`${fixture.app.url}/api/ws`);

test("an alarm does not wait for the moment at which telemetry is sent", async () => {
  const clock = new FakeClock();
  const app = await createTestApp({ clock });
  const { token } = await app.signIn("TENANT_OWNER");
  const condition = { key: "t", op: "GT", value: 50 };
  const alarmRules = [{ alarmType: "hot", createRules: [{ severity: "MAJOR", condition }] }];
  const profile = await app.call("POST", "/api/device-profiles", { token, body: { name: "x", alarmRules } });
  const { profileId } = profile.body;
  const oven = await app.createDevice(token, { profileId });
  const reader = await WebSocketClient.signIn(app.app.url, token);
  reader.send({ type: "subscribe", id: "all", topics: ["telemetry", "alarms"] });
  await reader.next("snapshot");
  clock.advance(50);
  await app.call("POST", `/api/v1/${oven.token}/telemetry`, { body: { t: 60 } });
  const alarm = await reader.until(({ topic }) => topic === "alarms");
  expect(alarm).toMatchObject({ name: "hot", deviceId: oven.deviceId, event: "CREATED" });
  expect(reader.messages).toEqual([]);
  clock.advance(50);
  expect((await reader.until(({ topic }) => topic === "telemetry")).values).toEqual({ t: 60 });
  await reader.close();
  await app.stop();
});

describe("a session that changes underneath", () => {
  test("signing out closes its connections at once, and no others", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER");
    const [reader, bystander] = [await signedIn(token), await signedIn(owner)];
    await fixture.call("POST", "/api/auth/logout", { token });
    expect(await reader.closed).toMatchObject({ code: 4401 });
    await bystander.ping();
    await bystander.close();
  });

  test("a user who is disabled, deleted or given another role is disconnected at once", async () => {
    for (const way of ["disabled", "deleted", "another role"]) {
      const { token, user } = await fixture.signIn("TENANT_RW");
      const reader = await signedIn(token);
      const path = `/api/users/${user.userId}`;
      if (way === "deleted") await fixture.call("DELETE", path, { token: owner });
      else {
        const body = way === "disabled" ? { status: "DISABLED" } : { role: "TENANT_READ_ONLY" };
        await fixture.call("PATCH", path, { token: owner, body });
      }
      expect([way, (await reader.closed).code]).toEqual([way, 4401]);
    }
  });

  test("a stream follows what its reader is granted, by name and through an asset, without a new subscription", async () => {
    const { token, user } = await fixture.signIn("TENANT_READ_ONLY", { devices: [] });
    const pump = await fixture.createDevice(owner, { assetId: "hall 7" });
    const grant = (body: unknown) =>
      fixture.call("PATCH", `/api/users/${user.userId}`, { token: owner, body });
    const reader = await signedIn(token);
    reader.send({ type: "subscribe", id: "all", topics: ["telemetry"] });
    expect((await reader.next("snapshot")).devices).toEqual([]);
    const received: unknown[] = [];
    for (const [a, body] of [
      [1, { deviceIds: [pump.deviceId] }],
      [2, { deviceIds: [] }],
      [3, { assetIds: ["hall 7"] }],
      [4, { assetIds: ["hall 8"] }],
      [5, { hasGlobalAssetAccess: true }],
      [6, { hasGlobalAssetAccess: false }],
      [7, { hasGlobalDeviceAccess: true }],
    ] as const) {
      expect((await grant(body)).status).toBe(200);
      await report(pump.token, { a });
      if (a % 2 === 1) received.push((await reader.until(({ topic }) => topic === "telemetry")).values);
    }
    expect(received).toEqual([{ a: 1 }, { a: 3 }, { a: 5 }, { a: 7 }]);
    expect(reader.messages).toEqual([]);
    await reader.close();
  });

  test("another user cannot take over a connection and its subscriptions", async () => {
    const reader = await signedIn(owner);
    reader.send({ type: "subscribe", id: "1", topics: ["telemetry"] });
    reader.send({ type: "auth", token: stranger });
    expect(await reader.closed).toMatchObject({ code: 4401 });
  });

  test("a connection that was closed from here leaves the other readers their telemetry", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER");
    const closed = await signedIn(token);
    closed.send({ type: "subscribe", id: "1", topics: ["telemetry"] });
    await closed.next("snapshot");
    await fixture.call("POST", "/api/auth/logout", { token });
    await closed.closed;
    const reader = await signedIn(owner);
    reader.send({ type: "subscribe", id: "1", topics: ["telemetry"], deviceIds: [other.deviceId] });
    await reader.next("snapshot");
    await report(other.token, { a: 1 });
    expect((await reader.until(({ topic }) => topic === "telemetry")).values).toEqual({ a: 1 });
    await reader.close();
  });

  test("a fresh token of the same person goes on", async () => {
    const reader = await signedIn(owner);
    const { body } = await fixture.call("POST", "/api/auth/refresh", { token: owner });
    reader.send({ type: "auth", token: body.accessToken });
    await reader.next("ready");
    await reader.close();
  });
});

describe("signing in", () => {
  test("a bad token ends the connection", async () => {
    const reader = await connect();
    reader.send({ type: "auth", token: "nonsense" });
    expect(await reader.closed).toMatchObject({ code: 4401 });
  });

  test("nothing is sent before", async () => {
    const reader = await connect();
    reader.send({ type: "subscribe", id: "1", topics: ["telemetry"] });
    expect(await reader.closed).toMatchObject({ code: 4401 });
    expect(reader.messages.map(({ type }) => type)).toEqual(["error"]);
  });

  test("malformed messages are answered, not fatal", async () => {
    const reader = await signedIn(owner);
    for (const message of [
      "{",
      "[]",
      { type: "x" },
      { type: "subscribe", id: "", topics: ["telemetry"] },
      { type: "subscribe", id: "a", topics: ["gossip"] },
    ]) {
      reader.send(message);
      expect((await reader.next("error")).code).toBe("realtime.message_invalid");
    }
    await reader.ping();
    await reader.close();
  });
});

describe("telemetry", () => {
  test("a snapshot first, then every message", async () => {
    await report(device.token, { ts: 1767225600000, values: { a: 1, b: "x" } });
    const reader = await signedIn(owner);
    reader.send({ type: "subscribe", id: "s", topics: ["telemetry"], deviceIds: [device.deviceId] });
    const snapshot = await reader.next("snapshot");
    expect(snapshot.telemetry).toEqual([
      {
        deviceId: device.deviceId,
        values: { a: 1, b: "x" },
        timestamps: { a: 1767225600000, b: 1767225600000 },
        ts: 1767225600000,
      },
    ]);
    expect(snapshot.devices).toMatchObject([{ deviceId: device.deviceId, active: true }]);
    await report(device.token, { ts: 1767225601000, values: { a: 2 } });
    await report(other.token, { a: 99 });
    await report(device.token, { ts: 1767225602000, values: { a: 3 } });
    expect(await reader.until(({ topic }) => topic === "telemetry")).toEqual({
      type: "data",
      id: "s",
      topic: "telemetry",
      deviceId: device.deviceId,
      ts: 1767225601000,
      values: { a: 2 },
      timestamps: { a: 1767225601000 },
    });
    expect((await reader.until(({ topic }) => topic === "telemetry")).values).toEqual({ a: 3 });
    expect(reader.messages).toEqual([]);
    await reader.close();
  });

  test("only the keys that were asked for", async () => {
    const reader = await signedIn(owner);
    reader.send({
      type: "subscribe",
      id: "k",
      topics: ["telemetry"],
      deviceIds: [device.deviceId],
      keys: ["b"],
    });
    await reader.next("snapshot");
    await report(device.token, { a: 5 });
    await report(device.token, { a: 6, b: "y" });
    expect((await reader.until(({ topic }) => topic === "telemetry")).values).toEqual({ b: "y" });
    await reader.close();
  });

  test("another tenant's device does not exist", async () => {
    const own = await fixture.createDevice(stranger);
    const reader = await signedIn(stranger);
    reader.send({ type: "subscribe", id: "x", topics: ["telemetry"], deviceIds: [device.deviceId] });
    expect((await reader.next("error")).code).toBe("device.not_found");
    reader.send({ type: "subscribe", id: "all", topics: ["telemetry", "devices", "attributes", "events"] });
    await reader.next("snapshot");
    await report(device.token, { a: 7 });
    await fixture.call("POST", `/api/devices/${device.deviceId}/attributes`, {
      token: owner,
      body: { scope: "SERVER", attributes: { z: 1 } },
    });
    await report(own.token, { a: 8 });
    await reader.until(({ topic, deviceId }) => topic === "telemetry" && deviceId === own.deviceId);
    expect(reader.messages.filter(({ deviceId }) => deviceId !== own.deviceId)).toEqual([]);
    await reader.close();
  });

  test("without device ids, all devices that the reader may see", async () => {
    const reader = await signedIn(limited);
    reader.send({ type: "subscribe", id: "all", topics: ["telemetry"] });
    const { devices } = await reader.next("snapshot");
    expect(devices?.map(({ deviceId }) => deviceId)).toEqual([other.deviceId]);
    await report(device.token, { a: 8 });
    await report(other.token, { a: 9 });
    expect(await reader.until(({ topic }) => topic === "telemetry")).toMatchObject({
      deviceId: other.deviceId,
      values: { a: 9 },
    });
    expect(reader.messages).toEqual([]);
    await reader.close();
  });

  test("nothing after unsubscribing", async () => {
    const reader = await signedIn(owner);
    reader.send({ type: "subscribe", id: "u", topics: ["telemetry"], deviceIds: [device.deviceId] });
    await reader.next("snapshot");
    reader.send({ type: "unsubscribe", id: "u" });
    await reader.ping();
    reader.send({ type: "subscribe", id: "v", topics: ["telemetry"], deviceIds: [other.deviceId] });
    await reader.next("snapshot");
    await report(device.token, { a: 10 });
    await report(other.token, { a: 11 });
    await reader.until(({ deviceId }) => deviceId === other.deviceId);
    expect(reader.messages).toEqual([]);
    await reader.close();
  });
});

test("a subscription to events begins without the state of the devices, and brings its events", async () => {
  const reader = await signedIn(owner);
  reader.send({ type: "subscribe", id: "quiet", topics: ["events", "alarms", "attributes", "commands"] });
  expect((await reader.next("snapshot")).devices).toEqual([]);
  reader.send({ type: "subscribe", id: "states", topics: ["devices", "events"] });
  expect((await reader.next("snapshot")).devices).not.toEqual([]);
  await report(device.token, 5);
  expect(await reader.until(({ id }) => id === "quiet")).toMatchObject({ event: "rejected" });
  await reader.close();
});

test("a stream brings attributes, device changes and rejections", async () => {
  const reader = await signedIn(owner);
  reader.send({ type: "subscribe", id: "e", topics: ["attributes", "devices", "events"] });
  await reader.next("snapshot");
  await fixture.call("POST", `/api/devices/${device.deviceId}/attributes`, {
    token: owner,
    body: { scope: "SHARED", attributes: { target: 5 } },
  });
  expect(await reader.until(({ topic }) => topic === "attributes")).toMatchObject({
    deviceId: device.deviceId,
    scope: "SHARED",
    values: { target: 5 },
    deleted: [],
  });
  await fixture.call("DELETE", `/api/devices/${device.deviceId}/attributes/SHARED/target`, { token: owner });
  expect(await reader.until(({ topic }) => topic === "attributes")).toMatchObject({ deleted: ["target"] });
  const fresh = await fixture.createDevice(owner);
  expect(await reader.until(({ event }) => event === "created")).toMatchObject({
    topic: "devices",
    deviceId: fresh.deviceId,
  });
  await report(fresh.token, { a: 1 });
  expect(await reader.until(({ event }) => event === "state")).toMatchObject({
    deviceId: fresh.deviceId,
    active: true,
  });
  await report(fresh.token, 5);
  expect(await reader.until(({ topic }) => topic === "events")).toMatchObject({
    event: "rejected",
    deviceId: fresh.deviceId,
    rejection: { code: "telemetry.body_invalid" },
  });
  await reader.close();
});

test("maintenance of a gateway reaches readers who watch or see its children alone, and others once", async () => {
  const gateway = await fixture.createDevice(owner, { role: "GATEWAY" });
  const child = await fixture.createDevice(owner, { parentDeviceId: gateway.deviceId });
  const { token } = await fixture.signIn("TENANT_READ_ONLY", { devices: [child.deviceId] });
  const readers = [await signedIn(owner), await signedIn(owner), await signedIn(token)];
  const topics = ["devices"];
  const ids = [{ deviceIds: [child.deviceId] }, {}, {}];
  for (const [index, reader] of readers.entries()) {
    reader.send({ type: "subscribe", id: "m", topics, ...ids[index] });
    await reader.next("snapshot");
  }
  const until = new Date(Date.now() + 60_000).toISOString();
  const path = `/api/devices/${gateway.deviceId}/maintenance`;
  expect((await fixture.call("POST", path, { token: owner, body: { until } })).status).toBeLessThan(300);
  const seen = [child.deviceId, gateway.deviceId, child.deviceId];
  for (const [index, reader] of readers.entries()) {
    expect(await reader.until(({ event }) => event === "maintenance")).toMatchObject({
      deviceId: seen[index] ?? "",
      until,
    });
    await reader.ping();
    expect(reader.messages).toEqual([]);
    await reader.close();
  }
});

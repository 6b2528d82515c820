// A gateway whose clock is days behind: what devices stamp correctly is kept, and stored when the clock is set.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

const DAY_MS = 86_400_000;
const START = Date.parse("2026-06-01T12:00:00Z");
let fixture: TestApp;
let clock: FakeClock;
let owner: string;
let device: { deviceId: string; token: string };
let client: MqttClient;

beforeAll(async () => {
  clock = new FakeClock(START);
  fixture = await createTestApp({ clock, host: "one" });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(async () => {
  await client?.endAsync();
  await fixture.stop();
});
beforeEach(async () => {
  await client?.endAsync();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(owner);
  client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, { username: device.token });
});

const publish = (body: unknown) =>
  client.publishAsync("v1/devices/me/telemetry", JSON.stringify(body), { qos: 1 });
const heldPath = (deviceId = device.deviceId) => `/api/devices/${deviceId}/held-readings`;
const held = async () => (await fixture.call("GET", heldPath(), { token: owner })).body;
const latest = async () =>
  (await fixture.call("GET", `/api/devices/${device.deviceId}/telemetry/latest`, { token: owner })).body
    .values ?? {};
const warnings = async () => (await fixture.call("GET", "/readyz")).body.warnings;

test("a site's readings that are ahead do not question the clock of the gateway", async () => {
  const other = (await fixture.signIn("TENANT_OWNER", { tenant: "neighbor" })).token;
  const { deviceId, token } = await fixture.createDevice(other);
  const body = { ts: clock.now() + 2 * DAY_MS, values: { ahead: 1 } };
  expect((await fixture.call("POST", `/api/v1/${token}/telemetry`, { body })).status).toBe(200);
  const { body: kept } = await fixture.call("GET", heldPath(deviceId), { token: other });
  expect(kept.messages).toBe(1);
  expect(await warnings()).not.toContainEqual(expect.objectContaining({ code: "system.clock_behind" }));
});

describe("a message that is two days ahead", () => {
  test("is kept, and stored by itself when the clock is set", async () => {
    const ts = clock.now() + 2 * DAY_MS;
    await publish([
      { ts: clock.now(), values: { now: 1 } },
      { ts, values: { ahead: 2 } },
    ]);
    expect(await held()).toMatchObject({ messages: 1, firstDueAt: new Date(ts - DAY_MS).toISOString() });
    expect(await latest()).toEqual({ now: 1 });
    expect(await warnings()).toContainEqual(expect.objectContaining({ code: "system.clock_behind" }));
    clock.jump(2 * DAY_MS);
    clock.advance(10_000);
    owner = (await fixture.signIn("TENANT_OWNER")).token;
    await untilAnswer(held, ({ messages }) => messages === 0);
    expect(await latest()).toEqual({ now: 1, ahead: 2 });
    expect(await warnings()).not.toContainEqual(expect.objectContaining({ code: "system.clock_behind" }));
  });

  test("is stored at once when somebody says so", async () => {
    await publish({ ts: clock.now() + 3 * DAY_MS, values: { ahead: 1 } });
    const response = await fixture.call("POST", `${heldPath()}/store`, { token: owner });
    expect([response.status, response.body]).toEqual([200, { messages: 0 }]);
    const path = `/api/devices/${device.deviceId}/telemetry/range?keys=ahead&from=0&to=${clock.now() + 4 * DAY_MS}`;
    const history = await fixture.call("GET", path, { token: owner });
    expect(JSON.stringify(history.body)).toContain("ahead");
    // The newest value is one that the gateway's clock has reached.
    expect(await latest()).toEqual({});
  });

  test("is deleted when somebody says so", async () => {
    await publish({ ts: clock.now() + 3 * DAY_MS, values: { ahead: 1 } });
    const response = await fixture.call("DELETE", heldPath(), { token: owner });
    expect([response.status, response.body]).toEqual([200, { messages: 0 }]);
    expect(await latest()).toEqual({});
  });

  test.each(["telemetry", "telemetry/batch"])("is kept over HTTP as well: %s", async (path) => {
    const ahead = clock.now() + 2 * DAY_MS;
    const items = [
      { ts: clock.now(), telemetry: { http: 1 } },
      { ts: ahead, telemetry: { http: 2 } },
    ];
    const body = path === "telemetry" ? items : { items };
    const response = await fixture.call("POST", `/api/v1/${device.token}/${path}`, { body });
    expect(response.status).toBe(200);
    expect(await held()).toMatchObject({ messages: 1, firstDueAt: new Date(ahead - DAY_MS).toISOString() });
    expect(await latest()).toEqual({ http: 1 });
  });

  test("is refused on each way in if it is more than ten years ahead", async () => {
    const body = { ts: clock.now() + 11 * 366 * DAY_MS, values: { a: 1 } };
    const response = await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body });
    expect([response.status, response.body.code]).toEqual([400, "telemetry.ts_future"]);
    expect(await held()).toEqual({ messages: 0 });
  });
});

test("a reading without a timestamp beside one that is ahead is stored now", async () => {
  await publish([{ now: 1 }, { ts: clock.now() + 2 * DAY_MS, values: { ahead: 2 } }]);
  expect(await latest()).toEqual({ now: 1 });
  expect(await held()).toMatchObject({ messages: 1 });
});

test("a gateway's message is kept for the child, as it is acknowledged whole", async () => {
  const { deviceId: parent, token } = await fixture.createDevice(owner, {
    role: "GATEWAY",
    deviceType: "gateway",
  });
  const gateway = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, { username: token });
  const body = { meter: [{ ts: clock.now() + 2 * DAY_MS, values: { ahead: 1 } }, { now: 2 }] };
  await gateway.publishAsync("v1/gateway/telemetry", JSON.stringify(body), { qos: 1 });
  await gateway.endAsync();
  const children = await fixture.call("GET", `/api/devices?parentDeviceId=${parent}`, { token: owner });
  const { deviceId } = children.body[0];
  expect((await fixture.call("GET", heldPath(deviceId), { token: owner })).body).toMatchObject({
    messages: 1,
  });
  const newest = await fixture.call("GET", `/api/devices/${deviceId}/telemetry/latest`, { token: owner });
  expect(newest.body.values).toEqual({ now: 2 });
  const rejections = await fixture.call("GET", `/api/devices/${parent}/rejections`, { token: owner });
  expect(rejections.body).toEqual([]);
});

test("messages of a device that wait take 16 MiB at most, and the oldest give way", async () => {
  const text = "x".repeat(50_000);
  const telemetry = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, text]));
  const path = `/api/v1/${device.token}/telemetry/batch`;
  for (let days = 2; days < 12; days++) {
    const response = await fixture.call("POST", path, {
      body: { items: [{ ts: clock.now() + days * DAY_MS, telemetry }] },
    });
    expect(response.status).toBe(200);
  }
  const waiting = await held();
  expect(waiting.messages).toBe(8); // of 2 MB each
  expect(waiting.firstDueAt).toBe(new Date(clock.now() + 3 * DAY_MS).toISOString());
  const { body } = await fixture.call("GET", `/api/devices/${device.deviceId}/rejections`, { token: owner });
  expect(body).toMatchObject([{ code: "telemetry.held_dropped", count: 2, params: { mib: 16 } }]);
});

test("a message eleven years ahead is rejected", async () => {
  await publish({ ts: clock.now() + 11 * 366 * DAY_MS, values: { a: 1 } });
  expect(await held()).toEqual({ messages: 0 });
});

test("a restart keeps what waits", async () => {
  const still = new FakeClock(START);
  const first = await createTestApp({ clock: still });
  const { token } = await first.signIn("TENANT_OWNER");
  const { deviceId, token: deviceToken } = await first.createDevice(token);
  const sender = await connectAsync(`mqtt://127.0.0.1:${first.app.mqttPort}`, { username: deviceToken });
  const body = JSON.stringify({ ts: START + 3 * DAY_MS, values: { ahead: 1 } });
  await sender.publishAsync("v1/devices/me/telemetry", body, { qos: 1 });
  await sender.endAsync();
  await first.app.stop();
  const second = await createTestApp({ clock: still, directory: first.directory });
  expect((await second.call("GET", heldPath(deviceId), { token })).body).toMatchObject({ messages: 1 });
  await second.stop();
});

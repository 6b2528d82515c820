import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

let fixture: TestApp;
let owner: string;
let profileId: string;
const clock = new FakeClock();

beforeAll(async () => {
  fixture = await createTestApp({ clock, config: { device_messages_per_second: 100 } });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

const patch = (body: unknown) =>
  fixture.call("PATCH", `/api/device-profiles/${profileId}`, { token: owner, body });
beforeEach(async () => {
  const { body } = await fixture.call("POST", "/api/device-profiles", {
    token: owner,
    body: { name: crypto.randomUUID(), messagesPerSecond: 2, messagesBurst: 3 },
  });
  profileId = body.profileId;
});
const post = (token: string, path = "telemetry") =>
  fixture.call("POST", `/api/v1/${token}/${path}`, { body: { a: 1 } });
const rejections = async (deviceId: string) =>
  (await fixture.call("GET", `/api/devices/${deviceId}/rejections`, { token: owner })).body;

test("a device that sends more than its profile allows is told when to go on, and its neighbour is not held up", async () => {
  const device = await fixture.createDevice(owner, { profileId });
  const neighbour = await fixture.createDevice(owner, { profileId });
  for (let index = 0; index < 3; index++) expect((await post(device.token)).status).toBe(200);
  const refused = await post(device.token, "attributes");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  expect((await post(neighbour.token)).status).toBe(200);
  expect((await rejections(device.deviceId))[0]).toMatchObject({
    code: "device.messages_limit",
    where: "/attributes",
    reason: "A device can send at most 2 messages per second to this gateway.",
  });
  clock.advance(500);
  expect((await post(device.token)).status).toBe(200);
  expect((await post(device.token)).status).toBe(429);
});

test("an imported file counts against the bytes of the plan, as messages do, and is read no faster", async () => {
  const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "small", plan: "basic" });
  const device = await fixture.createDevice(token);
  const imported = (megabytes: number) =>
    fixture.call("POST", `/api/devices/${device.deviceId}/telemetry/import?format=ndjson`, {
      token,
      raw: `{"ts":1767225600000,"a":"${"x".repeat(50_000)}"}\n`.repeat(megabytes * 20),
      headers: { "content-type": "application/x-ndjson" },
    });
  const large = { a: "y".repeat(60_000), b: "y".repeat(60_000), c: "y".repeat(60_000) };
  const live = () => fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: large });
  expect(await imported(2.5)).toMatchObject({ status: 200, body: { success: true } });
  expect([(await live()).status, (await live()).body.code]).toEqual([429, "plan.bytes_limit"]);
  let isDone = false;
  const waiting = imported(5).finally(() => {
    isDone = true;
  });
  let seconds = 0;
  await until(() => {
    clock.advance(1_000);
    seconds++;
    return isDone;
  });
  expect((await waiting).body).toMatchObject({ success: true, rows: 100 });
  expect(seconds).toBeGreaterThan(5);
  clock.advance(60_000);
  expect((await live()).status).toBe(200);
});

test("a flood beyond the rate is one entry, which counts all of it", async () => {
  const device = await fixture.createDevice(owner, { profileId });
  for (let index = 0; index < 3; index++) await post(device.token);
  for (let index = 0; index < 40; index++) expect((await post(device.token)).status).toBe(429);
  expect(await rejections(device.deviceId)).toMatchObject([{ count: 40 }]);
  clock.advance(499);
  await post(device.token);
  clock.advance(501);
  for (let index = 0; index < 2; index++) await post(device.token);
  expect((await post(device.token)).status).toBe(429);
  expect(await rejections(device.deviceId)).toMatchObject([{ count: 42 }]);
});

test("over MQTT 5 it is 0x97, and the session limits tell the rate", async () => {
  const device = await fixture.createDevice(owner, { profileId });
  const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
    username: device.token,
    protocolVersion: 5,
    reconnectPeriod: 0,
    keepalive: 0,
  });
  await client.subscribeAsync("v1/devices/me/rpc/response/+");
  const response = new Promise<string>((resolve) => client.once("message", (_, body) => resolve(`${body}`)));
  await client.publishAsync("v1/devices/me/rpc/request/1", '{"method":"getSessionLimits"}', { qos: 1 });
  expect(JSON.parse(await response).rateLimits).toMatchObject({ messages: "2:1" });
  clock.advance(10_000);
  const codes: number[] = [];
  for (let index = 0; index < 5; index++)
    codes.push(
      await client.publishAsync("v1/devices/me/telemetry", '{"a":1}', { qos: 1 }).then(
        () => 0,
        (error: { code: number }) => error.code,
      ),
    );
  expect(codes).toEqual([0, 0, 0, 0x97, 0x97]);
  await client.endAsync();
});

test("a limit that is lifted, raised or left to the gateway holds for devices in use", async () => {
  const device = await fixture.createDevice(owner, { profileId });
  for (let index = 0; index < 4; index++) await post(device.token);
  expect((await patch({ messagesBurst: 6 })).body).toMatchObject({ messagesPerSecond: 2, messagesBurst: 6 });
  for (let index = 0; index < 3; index++) expect((await post(device.token)).status).toBe(200);
  expect((await post(device.token)).status).toBe(429);
  expect((await patch({ messagesPerSecond: null, messagesBurst: null })).body).not.toHaveProperty(
    "messagesPerSecond",
  );
  expect((await post(device.token)).status).toBe(200);
  await patch({ messagesPerSecond: 1, messagesBurst: 1 });
  expect((await post(device.token)).status).toBe(429);
});

test.each([{ messagesPerSecond: 0 }, { messagesBurst: 0 }, { sessionsMax: 0 }, { sessionsMax: 17 }])(
  "%j is refused",
  async (body) => {
    expect((await patch(body)).status).toBe(400);
  },
);

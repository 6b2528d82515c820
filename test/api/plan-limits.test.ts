import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const limits = { devices: 3, users: 4, retentionDays: null, messagesPerSecond: 2 };
/** As many messages as pass at once. */
const BURST = limits.messagesPerSecond * 10;
const tooMany = {
  statusCode: 429,
  error: "Too Many Requests",
  message: "The plan of this site allows 2 messages per second from all devices together.",
  code: "plan.messages_limit",
  params: { limit: 2 },
};

let fixture: TestApp;
let clock: FakeClock;
let owner: string;
let devices: Array<{ deviceId: string; token: string }>;

beforeAll(async () => {
  clock = new FakeClock();
  // Tenants of tests are on this plan.
  const plans = JSON.stringify([{ id: "onprem", name: "Small", limits }]);
  fixture = await createTestApp({ clock, config: { plans } });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  devices = [await fixture.createDevice(owner), await fixture.createDevice(owner)];
});
afterAll(() => fixture.stop());
beforeEach(() => clock.advance(11_000)); // room for a whole burst

const post = (index: number, body: unknown = { a: 1 }, kind = "telemetry") =>
  fixture.call("POST", `/api/v1/${devices[index]?.token}/${kind}`, { body });
const rejections = async (
  index: number,
): Promise<Array<{ code: string; reason: string; where: string; count: number }>> =>
  (await fixture.call("GET", `/api/devices/${devices[index]?.deviceId}/rejections`, { token: owner })).body;
const spend = async (count: number) => {
  for (let sent = 0; sent < count; sent++) expect((await post(0)).status).toBe(200);
};

describe("devices", () => {
  test("beyond the plan are 403 and name the limit; one that goes makes room", async () => {
    const third = await fixture.createDevice(owner);
    const create = () =>
      fixture.call("POST", "/api/devices", { token: owner, body: { name: "fourth", deviceType: "sensor" } });
    expect((await create()).body).toEqual({
      statusCode: 403,
      error: "Forbidden",
      message: "The plan of this site allows 3 devices. Delete one, or select another plan.",
      code: "plan.devices_limit",
      params: { limit: 3 },
    });
    expect((await fixture.call("GET", "/api/devices", { token: owner })).body).toHaveLength(3);
    await fixture.call("DELETE", `/api/devices/${third.deviceId}`, { token: owner });
    const fourth = await create();
    expect(fourth.status).toBe(201);
    await fixture.call("DELETE", `/api/devices/${fourth.body.deviceId}`, { token: owner });
  });

  test("of two at once for the last place, one gets it", async () => {
    const responses = await Promise.all(
      ["a", "b"].map((name) =>
        fixture.call("POST", "/api/devices", { token: owner, body: { name, deviceType: "sensor" } }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 403]);
    const { deviceId } = responses.find(({ status }) => status === 201)?.body ?? {};
    await fixture.call("DELETE", `/api/devices/${deviceId}`, { token: owner });
  });

  test("of another tenant take no place", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "two" });
    await fixture.createDevice(token);
    expect((await fixture.call("GET", "/api/devices", { token: owner })).body).toHaveLength(2);
  });
});

test("users beyond the plan are 403 and name the limit", async () => {
  const create = (email: string) =>
    fixture.call("POST", "/api/users", {
      token: owner,
      body: { fullName: "x", email, role: "TENANT_RW", inviteDelivery: "MANUAL" },
    });
  const responses = [];
  for (const name of ["a", "b", "c", "d"]) responses.push(await create(`${name}@one.example`));
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 403]);
  expect(responses[3]?.body.message).toBe(
    "The plan of this site allows 4 users. Delete one, or select another plan.",
  );
});

test("webhooks of which nothing is stored count like those that are stored", async () => {
  const { secret } = (await fixture.call("POST", "/api/tenant/integration/rotate-secret", { token: owner }))
    .body;
  const input = {
    name: "unused",
    type: "HTTP",
    status: "active",
    settings_json: { autoCreateDevice: false },
  };
  const { integrationId } = (await fixture.call("POST", "/api/integrations", { token: owner, body: input }))
    .body;
  const send = (text: string) =>
    fixture.call("POST", `/api/v1/integrations/generic/${integrationId}/telemetry`, {
      raw: text,
      headers: { "content-type": "application/json", "x-webhook-secret": secret },
    });
  const unusable = ['{"externalDeviceId":"nobody","telemetry":{"a":1}}', "{", "{}"];
  for (let sent = 0; sent <= BURST; sent++)
    expect((await send(unusable[sent % unusable.length] ?? "")).status).not.toBe(429);
  const refused = await send(unusable[0] ?? "");
  expect([refused.status, refused.body]).toEqual([429, tooMany]);
  const { body: faults } = await fixture.call("GET", "/api/faults", { token: owner });
  expect(faults).toContainEqual(
    expect.objectContaining({
      reason: expect.objectContaining({ code: "plan.messages_limit" }),
      subject: expect.objectContaining({ kind: "integration", id: integrationId }),
    }),
  );
  clock.advance(11_000);
  expect((await send(unusable[0] ?? "")).status).not.toBe(429);
});

describe("messages over HTTP", () => {
  test("beyond the plan are 429, say when to come again, name the limit and are listed on the device", async () => {
    await spend(BURST);
    const refused = await post(1, { b: 1 });
    expect([refused.status, refused.body]).toEqual([429, tooMany]);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await rejections(1))[0]).toMatchObject({
      code: "plan.messages_limit",
      where: "/telemetry",
      reason: tooMany.message,
    });
    const { body } = await fixture.call("GET", `/api/devices/${devices[1]?.deviceId}/telemetry/latest`, {
      token: owner,
    });
    expect(body.values).not.toHaveProperty("b");
  });

  test("go through again once there is room, at the rate of the plan", async () => {
    await spend(BURST);
    expect((await post(0)).status).toBe(429);
    clock.advance(1_000);
    await spend(2);
    expect((await post(0)).status).toBe(429);
  });

  test("count whatever they carry: batches, attributes, bodies that are refused", async () => {
    await spend(BURST - 3);
    expect(
      (await post(0, { items: [{ telemetry: { a: 1 }, ts: clock.now() }] }, "telemetry/batch")).status,
    ).toBe(200);
    expect((await post(0, { firmware: "1" }, "attributes")).status).toBe(200);
    expect((await post(0, { "": 1 })).status).toBe(400);
    expect((await post(0, { firmware: "2" }, "attributes")).status).toBe(429);
  });

  test("of another tenant are not held up", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "three" });
    const device = await fixture.createDevice(token);
    await spend(BURST);
    expect((await post(0)).status).toBe(429);
    expect((await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } })).status).toBe(
      200,
    );
  });

  test("that a wall clock jumps by makes no room and takes none", async () => {
    await spend(BURST);
    clock.jump(3_600_000);
    expect((await post(0)).status).toBe(429);
    clock.jump(-7_200_000);
    clock.advance(1_000);
    expect((await post(0)).status).toBe(200);
    clock.jump(3_600_000);
  });
});

describe("messages over MQTT", () => {
  const connect = (protocolVersion: 4 | 5): Promise<MqttClient> =>
    connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
      username: devices[1]?.token ?? "",
      protocolVersion,
      reconnectPeriod: 0,
      keepalive: 0,
    });
  const publish = (client: MqttClient, qos: 1 | 2 = 1) =>
    client.publishAsync("v1/devices/me/telemetry", '{"m":1}', { qos });

  test.each([1, 2] as const)("5, QoS %i: 0x97, and the session goes on", async (qos) => {
    const client = await connect(5);
    await spend(BURST);
    const reason = await publish(client, qos).then(
      () => 0,
      (error: { code: number }) => error.code,
    );
    expect(reason).toBe(0x97);
    clock.advance(1_000);
    await publish(client, qos);
    await client.endAsync();
  });

  const refusedCount = async () => (await rejections(1)).reduce((sum, { count }) => sum + count, 0);

  test("3.1.1: no acknowledgement until there is room, then the message is listed", async () => {
    const client = await connect(4);
    await spend(BURST);
    const before = await refusedCount();
    let isAnswered = false;
    const answered = publish(client).then(() => {
      isAnswered = true;
    });
    await until(async () => (await refusedCount()) !== before);
    await fixture.call("GET", "/healthz"); // a round trip in which an early answer would have come
    expect(isAnswered).toBe(false);
    clock.advance(1_000);
    await answered;
    expect((await rejections(1))[0]).toMatchObject({
      code: "plan.messages_limit",
      where: "v1/devices/me/telemetry",
    });
    await publish(client);
    await client.endAsync();
  });
});

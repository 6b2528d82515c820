import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const DEVICE_KEYS = 100;
const TENANT_KEYS = 150;

let directory: string;
let fixture: TestApp;
let owner: { token: string };

const start = () =>
  createTestApp({
    directory,
    config: { device_keys_max: DEVICE_KEYS, tenant_keys_max: TENANT_KEYS },
  });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "lineside-keys-"));
  fixture = await start();
  owner = await fixture.signIn("TENANT_OWNER");
});
afterAll(async () => {
  await fixture.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Keys `k<from>` to `k<from + count - 1>`. */
const values = (from: number, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${from + index}`, index]));
const post = (token: string, body: unknown, kind = "telemetry") =>
  fixture.call("POST", `/api/v1/${token}/${kind}`, { body });
const keysOf = async (deviceId: string, token = owner.token): Promise<string[]> =>
  (await fixture.call("GET", `/api/devices/${deviceId}/keys`, { token })).body.map(
    ({ key }: { key: string }) => key,
  );
const usedKeys = async (token = owner.token): Promise<number> =>
  (await fixture.call("GET", "/api/tenant/usage", { token })).body.usage.keys;

test("a device that makes up keys is stopped at its limit, by name, and keeps what it had", async () => {
  const { deviceId, token } = await fixture.createDevice(owner.token);
  const items = Array.from({ length: 20 }, (_, batch) => ({
    ts: 1_700_000_000_000,
    telemetry: values(batch * 400, 400),
  }));
  const { status, body } = await post(token, { items }, "telemetry/batch");
  expect([status, body.message]).toEqual([
    403,
    'A device can have at most 100 telemetry keys. Not stored: "k100", "k101", "k102" and 7897 more. Everything else in the message is stored.',
  ]);
  expect(await keysOf(deviceId)).toHaveLength(DEVICE_KEYS);
  expect(await usedKeys()).toBe(DEVICE_KEYS);

  // What it reports of its own goes on, also beside a key too many.
  const mixed = await post(token, { k1: 42, another: 1 });
  expect([mixed.status, mixed.body.message]).toEqual([
    403,
    expect.stringContaining('Not stored: "another".'),
  ]);
  expect((await post(token, { k1: 43, k2: 44 })).status).toBe(200);
  const latest = await fixture.call("GET", `/api/devices/${deviceId}/telemetry/latest`, {
    token: owner.token,
  });
  expect(latest.body.values).toMatchObject({ k1: 43, k2: 44 });
  expect(latest.body.values).not.toHaveProperty("another");

  const rejections = await fixture.call("GET", `/api/devices/${deviceId}/rejections`, { token: owner.token });
  expect(rejections.body[0]).toMatchObject({
    code: "telemetry.device_keys_limit",
    reason: expect.stringContaining('"another"'),
  });
});

test("MQTT names the limit as 0x97, and the session goes on", async () => {
  const { token } = await fixture.createDevice(
    (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token,
  );
  const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
    username: token,
    protocolVersion: 5,
    reconnectPeriod: 0,
  });
  const publish = (body: unknown) =>
    client.publishAsync("v1/devices/me/telemetry", JSON.stringify(body), { qos: 1 }).then(
      () => 0,
      (error: { code: number }) => error.code,
    );
  expect(await publish(values(0, DEVICE_KEYS))).toBe(0);
  expect(await publish({ ...values(0, 2), more: 1 })).toBe(0x97);
  expect(await publish(values(0, 2))).toBe(0);
  await client.endAsync();
});

test("all devices of a tenant share its limit, and other tenants have one of their own", async () => {
  const { deviceId, token } = await fixture.createDevice(owner.token);
  const { status, body } = await post(token, values(0, DEVICE_KEYS));
  expect([status, body.message]).toEqual([
    403,
    expect.stringMatching(/^The devices of this site can have at most 150 telemetry keys together\./),
  ]);
  expect(await keysOf(deviceId)).toHaveLength(TENANT_KEYS - DEVICE_KEYS);
  const neighbour = await fixture.signIn("TENANT_OWNER", { tenant: "three" });
  const theirs = await fixture.createDevice(neighbour.token);
  expect((await post(theirs.token, values(1_000, DEVICE_KEYS))).status).toBe(200);
  expect(await usedKeys(neighbour.token)).toBe(DEVICE_KEYS);
});

test("counts the same after a restart, and deleting telemetry makes room", async () => {
  await fixture.stop();
  fixture = await start();
  expect(await usedKeys()).toBe(TENANT_KEYS);
  const { body } = await fixture.call("GET", "/api/devices", { token: owner.token });
  const [first] = body as Array<{ deviceId: string }>;
  const deviceId = first?.deviceId ?? "";
  const token = (await fixture.call("GET", `/api/devices/${deviceId}`, { token: owner.token })).body
    .credentials.token as string;
  const [key] = await keysOf(deviceId);
  expect((await post(token, { another: 1 })).status).toBe(403);
  const deleted = await fixture.call(
    "DELETE",
    `/api/devices/${deviceId}/telemetry?keys=${key}&from=0&to=8640000000000000`,
    {
      token: owner.token,
    },
  );
  expect(deleted.status).toBe(200);
  expect((await post(token, { another: 1 })).status).toBe(200);
  expect((await post(token, { [key ?? ""]: 1 })).status).toBe(403);
  expect(await usedKeys()).toBe(TENANT_KEYS);
});

test("a gateway's child beyond its limit costs neither its own known keys nor the other children anything", async () => {
  const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "gateways" });
  const gateway = await fixture.createDevice(token, {
    role: "GATEWAY",
    type: "GATEWAY",
    deviceType: "gateway",
  });
  const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
    username: gateway.token,
    protocolVersion: 5,
    reconnectPeriod: 0,
  });
  const publish = (body: unknown) =>
    client.publishAsync("v1/gateway/telemetry", JSON.stringify(body), { qos: 1 });
  await publish({ A: [values(0, DEVICE_KEYS)] });
  await publish({ A: [{ k1: 7, another: 1 }], B: [{ t: 3 }] });
  await client.endAsync();
  const { body } = await fixture.call("GET", "/api/devices", { token });
  const children = new Map(
    (body as Array<{ name: string; deviceId: string }>).map(({ name, deviceId }) => [name, deviceId]),
  );
  const latestOf = async (name: string) =>
    (await fixture.call("GET", `/api/devices/${children.get(name)}/telemetry/latest`, { token })).body.values;
  expect(await latestOf("A")).toMatchObject({ k1: 7 });
  expect(await latestOf("A")).not.toHaveProperty("another");
  expect(await latestOf("B")).toEqual({ t: 3 });
  const rejections = await fixture.call("GET", `/api/devices/${children.get("A")}/rejections`, { token });
  expect(rejections.body[0]).toMatchObject({ code: "telemetry.device_keys_limit" });
});

test("names that are made up, deleted and made up again are limited by the day", async () => {
  const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "made up" });
  const device = await fixture.createDevice(token);
  const range = "from=0&to=8640000000000000";
  const renew = async (round: number) => {
    const response = await post(device.token, values(10_000 + round * 50, 50));
    await fixture.call("DELETE", `/api/devices/${device.deviceId}/telemetry?${range}`, { token });
    return response;
  };
  for (let round = 0; round < TENANT_KEYS / 50; round++) expect((await renew(round)).status).toBe(200);
  const { status, body } = await renew(9);
  expect([status, body.message]).toEqual([
    403,
    expect.stringMatching(/^The devices of this site can add at most 150 new telemetry keys a day\./),
  ]);
  // Names that are in use already are none of them.
  expect((await post(device.token, values(10_000, 20))).status).toBe(200);
});

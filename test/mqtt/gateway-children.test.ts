import { describe, expect, test } from "bun:test";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp } from "../support/test-app.ts";
import { GatewayClient, json } from "./gateway-client.ts";
import {
  child,
  children,
  codes,
  createGateway,
  fixture,
  fresh,
  get,
  latest,
  owner,
  rejections,
  setAttributes,
  useGateways,
} from "./gateway-fixture.ts";

useGateways();

describe("names", () => {
  test.each([
    "__proto__",
    "constructor",
    "toString",
    "über 气压 🌡",
    "v1/devices/me",
    "a+b#c",
    "'; DROP TABLE devices;--",
  ])("%s is only a name", async (name) => {
    const gateway = await createGateway();
    const connection = await GatewayClient.connect(fixture, gateway);
    const key = JSON.stringify(name);
    expect(await connection.say("telemetry", `{${key}: {"__proto__": 1, "t": 2}}`)).toBe(0);
    expect(await connection.say("attributes", `{${key}: {"constructor": "x"}}`)).toBe(0);
    const [created] = await children(gateway);
    expect(created).toMatchObject({ name, childName: name });
    const values = await get(`/api/devices/${created.deviceId}/telemetry/latest`);
    expect(values.values.t).toBe(2);
    await fixture.call("DELETE", `/api/devices/${created.deviceId}`, { token: owner });
    await connection.end();
  });

  test("of devices that are not its children are refused: one with its own connection, another's child, the gateway itself", async () => {
    const [gateway, other] = [await createGateway({ name: fresh() }), await createGateway()];
    const [own, others] = [fresh(), fresh()];
    const device = await fixture.createDevice(owner, { name: own });
    const connection = await GatewayClient.connect(fixture, gateway);
    const second = await GatewayClient.connect(fixture, other);
    expect(await second.say("telemetry", { [others]: { t: 1 } })).toBe(0);
    const { name } = await get(`/api/devices/${gateway.deviceId}`);
    for (const taken of [own, others, name]) {
      expect(await connection.say("telemetry", { [taken]: { t: 666 } })).toBe(0x87);
      expect(await connection.say("connect", { device: taken })).toBe(0x87);
    }
    expect(await children(gateway)).toEqual([]);
    expect(await latest(other, others)).toEqual({ t: 1 });
    const [newest] = await rejections(gateway.deviceId);
    expect(newest.code).toBe("gateway.child_elsewhere");
    expect(newest.reason).toContain("Attach it first");
    // Until a person says so.
    await fixture.call("PATCH", `/api/devices/${device.deviceId}`, {
      token: owner,
      body: { parentDeviceId: gateway.deviceId },
    });
    expect(await connection.say("telemetry", { [own]: { t: 2 } })).toBe(0);
    expect(await latest(gateway, own)).toEqual({ t: 2 });
    await connection.end();
    await second.end();
  });

  test("of another tenant's devices are free", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "neighbour" });
    const name = fresh();
    const foreign = await fixture.createDevice(token, { name });
    const gateway = await createGateway();
    const connection = await GatewayClient.connect(fixture, gateway);
    expect(await connection.say("telemetry", { [name]: { t: 1 } })).toBe(0);
    const created = await child(gateway, name);
    expect(created.deviceId).not.toBe(foreign.deviceId);
    expect((await get(`/api/devices/${foreign.deviceId}/telemetry/latest`, token)).values).toEqual({});
    await connection.end();
  });

  test("stay with the gateway when a user renames the device", async () => {
    const gateway = await createGateway();
    const name = fresh();
    const connection = await GatewayClient.connect(fixture, gateway, { filter: "v1/gateway/attributes" });
    await connection.say("telemetry", { [name]: { t: 1 } });
    const { deviceId } = await child(gateway, name);
    await fixture.call("PATCH", `/api/devices/${deviceId}`, {
      token: owner,
      body: { name: `${name} in hall 3` },
    });
    await connection.say("telemetry", { [name]: { t: 2 } });
    expect((await children(gateway)).length).toBe(1);
    expect(await latest(gateway, name)).toEqual({ t: 2 });
    await setAttributes(deviceId, "SHARED", { a: 1 });
    expect(json(await connection.next()).device).toBe(name);
    await connection.end();
  });
});

test("a child belongs to the asset of its gateway", async () => {
  const gateway = await createGateway({ assetId: "hall 7" });
  const name = fresh();
  const connection = await GatewayClient.connect(fixture, gateway);
  await connection.say("telemetry", { [name]: { t: 1 } });
  expect(await child(gateway, name)).toMatchObject({ assetId: "hall 7" });
  await connection.end();
});

test("a child may have the name that a user gave to another child of the same gateway", async () => {
  const gateway = await createGateway();
  const [a, b] = [fresh(), fresh()];
  const connection = await GatewayClient.connect(fixture, gateway);
  await connection.say("telemetry", { [a]: { t: 1 } });
  const first = await child(gateway, a);
  await fixture.call("PATCH", `/api/devices/${first.deviceId}`, { token: owner, body: { name: b } });
  expect(await connection.say("telemetry", { [b]: { t: 2 }, [a]: { t: 3 } })).toBe(0);
  expect(await latest(gateway, a)).toEqual({ t: 3 });
  expect(await latest(gateway, b)).toEqual({ t: 2 });
  await connection.end();
});

test("a gateway creates ten thousand children by itself, and no more", async () => {
  const gateway = await createGateway();
  const connection = await GatewayClient.connect(fixture, gateway);
  const thousand = (round: number) =>
    Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`${round}/${n}`, { n }]));
  for (let round = 0; round < 10; round++) expect(await connection.say("telemetry", thousand(round))).toBe(0);
  expect(await connection.say("telemetry", { "10/0": { n: 1 } })).toBe(0x87);
  expect(await codes(gateway.deviceId)).toEqual(["gateway.children_limit"]);
  expect(await connection.say("telemetry", { "9/999": { n: 1 } })).toBe(0);
  expect((await children(gateway)).length).toBe(10_000);
  await connection.end();
});

test("a message counts once against the rate of its gateway, whatever it carries", async () => {
  const app = await createTestApp({ clock: new FakeClock() });
  const { token } = await app.signIn("TENANT_OWNER");
  const profile = await app.call("POST", "/api/device-profiles", {
    token,
    body: { name: "two at once", messagesPerSecond: 1, messagesBurst: 2 },
  });
  const gateway = await app.createDevice(token, { role: "GATEWAY", profileId: profile.body.profileId });
  const names = Array.from({ length: 20 }, fresh);
  const connection = await GatewayClient.connect(app, gateway);
  const body = Object.fromEntries(names.map((name) => [name, { t: 1 }]));
  expect(await connection.say("telemetry", body)).toBe(0);
  expect(await connection.say("attributes", body)).toBe(0);
  expect(await connection.say("telemetry", body)).toBe(0x97);
  const of = async (list: string) =>
    (await app.call("GET", `/api/devices/${gateway.deviceId}/${list}`, { token })).body.length;
  expect([await of("children"), await of("rejections")]).toEqual([20, 1]);
  await connection.end();
  await app.stop();
});

test("messages that name the same new child at once create one", async () => {
  const gateway = await createGateway();
  const name = fresh();
  const connection = await GatewayClient.connect(fixture, gateway);
  const said = Array.from({ length: 20 }, (_, n) =>
    n % 2 === 0
      ? connection.say("telemetry", { [name]: { n } })
      : connection.say("connect", { device: name }),
  );
  expect(new Set(await Promise.all(said))).toEqual(new Set([0]));
  expect((await children(gateway)).length).toBe(1);
  await connection.end();
});

import { describe, expect, test } from "bun:test";
import { decode, encode } from "cbor-x";
import { GatewayClient, type GatewayDevice, json } from "./gateway-client.ts";
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

const client = async (gateway: GatewayDevice, name: string) => {
  const { deviceId } = await child(gateway, name);
  const entries = await get(`/api/devices/${deviceId}/attributes?scope=CLIENT`);
  return Object.fromEntries(entries.map(({ key, value }: { key: string; value: unknown }) => [key, value]));
};

describe.each([4, 5] as const)("a gateway on MQTT version %i", (version) => {
  test("creates its children by any form of their telemetry, readable once acknowledged", async () => {
    const gateway = await createGateway();
    const [a, b, c, d] = [fresh(), fresh(), fresh(), fresh()];
    const connection = await GatewayClient.connect(fixture, gateway, { version });
    const ts = Date.now();
    const body = {
      [a]: [
        { ts: ts - 1000, values: { t: 1, first: true } },
        { ts, values: { t: 2 } },
      ],
      [b]: { ts, values: { on: true } },
      [c]: { text: "as it is" },
      [d]: [{ n: 1 }, { m: { deep: [1] } }],
    };
    expect(await connection.say("telemetry", body)).toBe(0);
    expect(await latest(gateway, a)).toEqual({ t: 2, first: true });
    expect(await latest(gateway, b)).toEqual({ on: true });
    expect(await latest(gateway, c)).toEqual({ text: "as it is" });
    expect(await latest(gateway, d)).toEqual({ n: 1, m: { deep: [1] } });
    expect(await child(gateway, a)).toMatchObject({
      name: a,
      deviceType: "default",
      role: "DEVICE",
      parentDeviceId: gateway.deviceId,
      active: true,
    });
    await connection.end();
  });

  test("says the type of a child when it connects it, and a profile of that name is its profile", async () => {
    const profile = await fixture.call("POST", "/api/device-profiles", {
      token: owner,
      body: { name: `meter v${version}` },
    });
    const gateway = await createGateway();
    const [a, b] = [fresh(), fresh()];
    const connection = await GatewayClient.connect(fixture, gateway, { version });
    await connection.say("connect", { device: a, type: `meter v${version}` });
    await connection.say("connect", { device: b });
    await connection.say("connect", { device: a, type: "another" });
    expect(await child(gateway, a)).toMatchObject({
      deviceType: `meter v${version}`,
      profileId: profile.body.profileId,
    });
    expect((await child(gateway, b)).deviceType).toBe("default");
    await connection.end();
  });

  test("reports attributes of its children and asks for them", async () => {
    const gateway = await createGateway();
    const name = fresh();
    const connection = await GatewayClient.connect(fixture, gateway, {
      version,
      filter: "v1/gateway/attributes/response",
    });
    await connection.say("attributes", { [name]: { firmware: "1.4", limits: { max: 3 } } });
    expect(await client(gateway, name)).toEqual({ firmware: "1.4", limits: { max: 3 } });
    const { deviceId } = await child(gateway, name);
    await setAttributes(deviceId, "SHARED", { target: 21, mode: "eco" });
    const ask = async (body: object) => {
      await connection.say("attributes/request", { device: name, ...body });
      return json(await connection.next());
    };
    expect(await ask({ id: 1, client: true, key: "firmware" })).toEqual({
      id: 1,
      device: name,
      value: "1.4",
    });
    expect(await ask({ id: 2, client: false, key: "target" })).toEqual({ id: 2, device: name, value: 21 });
    expect(await ask({ id: 3, client: false, keys: ["target", "mode", "none"] })).toEqual({
      id: 3,
      device: name,
      values: { target: 21, mode: "eco" },
    });
    expect(await ask({ id: 4, client: false, keys: ["mode"] })).toEqual({
      id: 4,
      device: name,
      value: "eco",
    });
    expect(await ask({ id: "five", client: true })).toEqual({
      id: "five",
      device: name,
      values: { firmware: "1.4", limits: { max: 3 } },
    });
    expect(await ask({ id: 6, client: false, key: "none" })).toEqual({ id: 6, device: name });
    await connection.end();
  });

  test("gets shared attributes of children that are set and deleted", async () => {
    const gateway = await createGateway();
    const name = fresh();
    const connection = await GatewayClient.connect(fixture, gateway, {
      version,
      filter: "v1/gateway/attributes",
    });
    await connection.say("connect", { device: name });
    const { deviceId } = await child(gateway, name);
    await setAttributes(deviceId, "SHARED", { target: 19.5 });
    expect(json(await connection.next())).toEqual({ device: name, data: { target: 19.5 } });
    await fixture.call("DELETE", `/api/devices/${deviceId}/attributes/SHARED/target`, { token: owner });
    expect(json(await connection.next())).toEqual({ device: name, data: { deleted: ["target"] } });
    await setAttributes(deviceId, "SERVER", { x: 1 });
    await connection.say("attributes", { [name]: { y: 1 } });
    expect(connection.waiting).toBe(0);
    await connection.end();
  });
});

test("a gateway sends CBOR, and is answered in it where its profile says so", async () => {
  const profile = await fixture.call("POST", "/api/device-profiles", {
    token: owner,
    body: { name: "cbor gateway", payload: "CBOR" },
  });
  const gateway = await createGateway({ profileId: profile.body.profileId });
  const name = fresh();
  const connection = await GatewayClient.connect(fixture, gateway, { filter: "v1/gateway/#" });
  await connection.say(
    "telemetry",
    Buffer.from(encode({ [name]: [{ ts: Date.now(), values: { t: 1.5 } }] })),
  );
  await connection.say("attributes", Buffer.from(encode({ [name]: { serial: "A7" } })));
  expect(await latest(gateway, name)).toEqual({ t: 1.5 });
  await connection.say(
    "attributes/request",
    Buffer.from(encode({ id: 9, device: name, client: true, key: "serial" })),
  );
  expect(decode((await connection.next()).payload)).toEqual({ id: 9, device: name, value: "A7" });
  await connection.end();
});

describe("a refused message", () => {
  test("of one child is listed there, and those of other children are stored", async () => {
    const gateway = await createGateway();
    const [good, bad, unborn] = [fresh(), fresh(), fresh()];
    const connection = await GatewayClient.connect(fixture, gateway);
    await connection.say("connect", { device: bad });
    const body = {
      [bad]: [{ ts: "yesterday", values: { t: 1 } }],
      [unborn]: 7,
      [good]: { t: 2 },
      "": { t: 3 },
    };
    expect(await connection.say("telemetry", body)).toBe(0);
    expect(await latest(gateway, good)).toEqual({ t: 2 });
    expect(await child(gateway, unborn)).toBeUndefined();
    const { deviceId } = await child(gateway, bad);
    expect((await rejections(deviceId))[0]).toMatchObject({
      where: "v1/gateway/telemetry",
      code: "telemetry.ts_invalid",
      sample: JSON.stringify(body[bad]),
    });
    const listed = await rejections(gateway.deviceId);
    expect(listed.map(({ code }: { code: string }) => code)).toEqual([
      "gateway.child_name_invalid",
      "telemetry.body_invalid",
    ]);
    expect(listed[1].sample).toBe(JSON.stringify({ [unborn]: 7 }));
    await connection.end();
  });

  test("has a reason code on MQTT 5, and the session goes on", async () => {
    const gateway = await createGateway();
    const name = fresh();
    const connection = await GatewayClient.connect(fixture, gateway);
    for (const [topic, body] of [
      ["telemetry", "no JSON"],
      ["telemetry", []],
      ["telemetry", {}],
      ["telemetry", { [name]: [] }],
      ["telemetry", { [name]: { t: null } }],
      ["attributes", { [name]: [1] }],
      ["attributes", 7],
      ["connect", { name }],
      ["connect", { device: name, type: 7 }],
      ["connect", { device: "x".repeat(257) }],
      ["connect", { device: " " }],
      ["connect", { device: "a\nb" }],
      ["telemetry", '{"\\ud800": {"t": 1}, "\\udfff": {"t": 1}}'],
      ["disconnect", { device: name }],
      ["attributes/request", { id: 1, device: name, client: "yes" }],
      ["attributes/request", { id: 1.5, device: name }],
      ["attributes/request", { id: 1, device: name, keys: "a,b" }],
      ["attributes/request", { id: 1 }],
    ] as const) {
      expect([topic, body, await connection.say(topic, body)]).toEqual([topic, body, 0x99]);
    }
    expect(await child(gateway, name)).toBeUndefined();
    const listed: { count: number }[] = await rejections(gateway.deviceId);
    expect(listed.reduce((sum, { count }) => sum + count, 0)).toBe(19);
    expect(await connection.say("telemetry", { [name]: { t: 1 } })).toBe(0);
    await connection.end();
  });

  test("is any message of children from a device that is no gateway", async () => {
    const device = await fixture.createDevice(owner);
    const connection = await GatewayClient.connect(fixture, device);
    const name = fresh();
    for (const topic of ["connect", "disconnect", "telemetry", "attributes", "attributes/request", "rpc"])
      expect(await connection.say(topic, { device: name, [name]: { t: 1 } })).toBe(0x90);
    expect(new Set(await codes(device.deviceId))).toEqual(new Set(["topic.gateway_only"]));
    const all = await get(`/api/devices?search=${encodeURIComponent(name)}`);
    expect(all).toEqual([]);
    await connection.end();
  });

  test("is one of a child that the profile does not let the gateway create, until a user attaches it", async () => {
    const profile = await fixture.call("POST", "/api/device-profiles", {
      token: owner,
      body: { name: "makes none", createsChildren: false },
    });
    const gateway = await createGateway({ profileId: profile.body.profileId });
    const name = fresh();
    const connection = await GatewayClient.connect(fixture, gateway);
    expect(await connection.say("telemetry", { [name]: { t: 1 } })).toBe(0x87);
    expect(await codes(gateway.deviceId)).toEqual(["gateway.child_not_created"]);
    await fixture.createDevice(owner, { name, parentDeviceId: gateway.deviceId });
    expect(await connection.say("telemetry", { [name]: { t: 1 } })).toBe(0);
    expect(await latest(gateway, name)).toEqual({ t: 1 });
    await connection.end();
  });

  test("is one of a child beyond the plan, while existing children go on", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "small", plan: "basic" });
    const { limits } = (await get("/api/plans")).find(({ id }: { id: string }) => id === "basic");
    const gateway = await createGateway({}, token);
    const connection = await GatewayClient.connect(fixture, gateway);
    const body = Object.fromEntries(Array.from({ length: limits.devices + 5 }, (_, n) => [`n${n}`, { n }]));
    expect(await connection.say("telemetry", body)).toBe(0);
    expect((await children(gateway, token)).length).toBe(limits.devices - 1);
    const listed = (await get(`/api/devices/${gateway.deviceId}/rejections`, token))[0];
    expect(listed.code).toBe("plan.devices_limit");
    expect(await connection.say("telemetry", { beyond: { n: 1 } })).toBe(0x87);
    await connection.end();
  });

  test("has more children than allowed; of many invalid ones, some are listed and the rest counted", async () => {
    const gateway = await createGateway();
    const connection = await GatewayClient.connect(fixture, gateway);
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`many ${n}`, { n }]));
    expect(await connection.say("telemetry", many)).toBe(0x99);
    expect(await codes(gateway.deviceId)).toEqual(["gateway.too_many_children"]);
    const bad = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`bad ${n}`, n]));
    expect(await connection.say("telemetry", bad)).toBe(0x99);
    const listed = await rejections(gateway.deviceId);
    expect(listed.length).toBe(22);
    expect(listed[0].reason).toBe("10 more child devices were rejected in one message.");
    expect(await children(gateway)).toEqual([]);
    await connection.end();
  });
});

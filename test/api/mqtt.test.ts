import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { encode } from "cbor-x";
import { connectAsync, type MqttClient } from "mqtt";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

let fixture: TestApp;
let owner: string;
let device: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(owner);
});
afterAll(() => fixture.stop());

const url = () => `mqtt://127.0.0.1:${fixture.app.mqttPort}`;
const connect = (
  options: { token?: string; version?: 4 | 5; clean?: boolean; address?: string; clientId?: string } = {},
): Promise<MqttClient> =>
  connectAsync(options.address ?? url(), {
    username: options.token ?? device.token,
    protocolVersion: options.version ?? 5,
    clean: options.clean ?? true,
    reconnectPeriod: 0,
    ...(options.clientId === undefined ? {} : { clientId: options.clientId }),
    ...(options.clean === false && options.version !== 4
      ? { properties: { sessionExpiryInterval: 600 } }
      : {}),
  });
const latest = async () =>
  (await fixture.call("GET", `/api/devices/${device.deviceId}/telemetry/latest`, { token: owner })).body
    .values;
const nextMessage = (client: MqttClient) =>
  new Promise<{ topic: string; text: string }>((resolve) =>
    client.once("message", (topic, payload) => resolve({ topic, text: payload.toString() })),
  );

describe("telemetry over MQTT is readable over HTTP once it is acknowledged", () => {
  for (const version of [4, 5] as const)
    for (const qos of [1, 2] as const)
      test(`version ${version}, QoS ${qos}`, async () => {
        const client = await connect({ version });
        await client.publishAsync("v1/devices/me/telemetry", JSON.stringify({ [`v${version}q${qos}`]: 1 }), {
          qos,
        });
        expect(await latest()).toMatchObject({ [`v${version}q${qos}`]: 1 });
        await client.endAsync();
      });

  test("over WebSocket, in CBOR, by the short topic", async () => {
    const client = await connect({ address: `${fixture.app.url.replace(/^http/, "ws")}/mqtt` });
    await client.publishAsync("v2/t", encode({ ts: Date.now(), values: { websocket: true } }), { qos: 1 });
    expect(await latest()).toMatchObject({ websocket: true });
    await client.endAsync();
  });

  test("on the topic that the profile names, as soon as it names it", async () => {
    const profiles = await fixture.call("GET", "/api/device-profiles", { token: owner });
    const path = `/api/device-profiles/${profiles.body[0].profileId}`;
    const client = await connect();
    await expect(client.publishAsync("plant/line1/up", '{"custom":1}', { qos: 1 })).rejects.toMatchObject({
      code: 0x90,
    });
    await fixture.call("PATCH", path, { token: owner, body: { telemetryTopic: "plant/line1/up" } });
    await client.publishAsync("plant/line1/up", '{"custom":2}', { qos: 1 });
    expect(await latest()).toMatchObject({ custom: 2 });
    await fixture.call("PATCH", path, { token: owner, body: { telemetryTopic: null } });
    await expect(client.publishAsync("plant/line1/up", '{"custom":3}', { qos: 1 })).rejects.toMatchObject({
      code: 0x90,
    });
    await client.endAsync();
  });

  test("client attributes too", async () => {
    const client = await connect();
    await client.publishAsync("v1/devices/me/attributes", '{"firmware":"2.0"}', { qos: 1 });
    const { body } = await fixture.call("GET", `/api/devices/${device.deviceId}/attributes?scope=CLIENT`, {
      token: owner,
    });
    expect(body).toMatchObject([{ key: "firmware", value: "2.0" }]);
    await client.endAsync();
  });
});

describe("what is refused is answered and listed", () => {
  test("a broken body and a wrong topic keep the session", async () => {
    const client = await connect();
    const refusal = async (topic: string, body: string) => {
      const error = await client.publishAsync(topic, body, { qos: 1 }).then(
        () => undefined,
        (reason: { code?: number }) => reason,
      );
      return error?.code;
    };
    expect(await refusal("v1/devices/me/telemetry", '{"a":')).toBe(0x99);
    expect(await refusal("v1/devices/me/telemetrie", '{"a":1}')).toBe(0x90);
    await client.publishAsync("v1/devices/me/telemetry", '{"still":"here"}', { qos: 1 });
    expect(await latest()).toMatchObject({ still: "here" });
    const { body } = await fixture.call("GET", `/api/devices/${device.deviceId}/rejections`, {
      token: owner,
    });
    expect(
      body.slice(0, 2).map((rejection: { where: string; code: string }) => [rejection.where, rejection.code]),
    ).toEqual([
      ["v1/devices/me/telemetrie", "topic.unknown"],
      ["v1/devices/me/telemetry", "body.malformed"],
    ]);
    await client.endAsync();
  });

  test("an unknown token", async () => {
    for (const version of [4, 5] as const)
      await expect(connect({ token: "nonsense", version })).rejects.toMatchObject({
        code: version === 4 ? 4 : 0x86,
      });
  });
});

describe("shared attributes", () => {
  const set = (attributes: Record<string, unknown>) =>
    fixture.call("POST", `/api/devices/${device.deviceId}/attributes`, {
      token: owner,
      body: { scope: "SHARED", attributes },
    });

  test("are pushed as they change, deletions too, and only to their device", async () => {
    const neighbour = await fixture.createDevice(owner);
    const [client, other] = await Promise.all([connect(), connect({ token: neighbour.token })]);
    let received = 0;
    other.on("message", () => received++);
    await client.subscribeAsync("v1/devices/me/attributes", { qos: 1 });
    await other.subscribeAsync("v1/devices/me/attributes", { qos: 1 });
    const changed = nextMessage(client);
    await set({ target: 21 });
    expect(await changed).toEqual({ topic: "v1/devices/me/attributes", text: '{"target":21}' });
    const deleted = nextMessage(client);
    await fixture.call("DELETE", `/api/devices/${device.deviceId}/attributes/SHARED/target`, {
      token: owner,
    });
    expect((await deleted).text).toBe('{"deleted":["target"]}');
    expect(received).toBe(0);
    await Promise.all([client.endAsync(), other.endAsync()]);
  });

  test("wait for a durable session that is away", async () => {
    const first = await connect({ clean: false, clientId: "durable" });
    await first.subscribeAsync("v1/devices/me/attributes", { qos: 1 });
    await first.endAsync();
    await set({ while_away: 1 });
    const second = connectAsync(url(), {
      username: device.token,
      protocolVersion: 5,
      clean: false,
      clientId: "durable",
      reconnectPeriod: 0,
      properties: { sessionExpiryInterval: 600 },
    });
    const client = await second;
    expect((await nextMessage(client)).text).toBe('{"while_away":1}');
    await client.endAsync();
  });
});

describe("a device's sessions end with its credentials", () => {
  for (const [name, end] of [
    [
      "rotating the token",
      (deviceId: string) =>
        fixture.call("POST", `/api/devices/${deviceId}/credentials/rotate`, { token: owner }),
    ],
    [
      "deleting the device",
      (deviceId: string) => fixture.call("DELETE", `/api/devices/${deviceId}`, { token: owner }),
    ],
  ] as const)
    test(name, async () => {
      const { deviceId, token } = await fixture.createDevice(owner);
      const client = await connect({ token });
      const closed = new Promise((resolve) => client.once("close", () => resolve("closed")));
      await end(deviceId);
      expect(await closed).toBe("closed");
      await expect(connect({ token })).rejects.toMatchObject({ code: 0x86 });
      await client.endAsync(true);
    });
});

test("connecting and leaving are seen on the device", async () => {
  const { deviceId, token } = await fixture.createDevice(owner);
  const client = await connect({ token });
  const detail = async () => (await fixture.call("GET", `/api/devices/${deviceId}`, { token: owner })).body;
  expect(await detail()).toMatchObject({ active: false, lastConnectedAt: expect.any(String) });
  await client.endAsync();
  await until(async () => (await detail()).lastDisconnectedAt !== undefined);
  const { body } = await fixture.call("GET", `/api/devices/${deviceId}/attributes?scope=SERVER`, {
    token: owner,
  });
  expect(body.map(({ key }: { key: string }) => key)).toEqual([
    "active",
    "lastConnectTime",
    "lastDisconnectTime",
  ]);
});

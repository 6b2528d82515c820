import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WebSocketClient } from "../support/websocket-client.ts";
import { GatewayClient, type GatewayDevice, json } from "./gateway-client.ts";

let fixture: TestApp;
let clock: FakeClock;
let owner: string;
beforeAll(async () => {
  clock = new FakeClock();
  fixture = await createTestApp({ clock });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

const get = async (path: string) => (await fixture.call("GET", path, { token: owner })).body;
const createGateway = (): Promise<GatewayDevice> =>
  fixture.createDevice(owner, { role: "GATEWAY", deviceType: "gateway" });
const detail = (deviceId: string) => get(`/api/devices/${deviceId}`);
const childrenOf = (gateway: GatewayDevice) => get(`/api/devices/${gateway.deviceId}/children`);
const patch = (deviceId: string, body: unknown) =>
  fixture.call("PATCH", `/api/devices/${deviceId}`, { token: owner, body });
const iso = () => new Date(clock.now()).toISOString();
let names = 0;
const fresh = () => `visitor ${++names}`;

/** A gateway that is connected and has connected one child. */
async function connected() {
  const gateway = await createGateway();
  const name = fresh();
  const connection = await GatewayClient.connect(fixture, gateway);
  await connection.say("connect", { device: name });
  const [{ deviceId }] = await childrenOf(gateway);
  return { gateway, name, connection, deviceId: deviceId as string };
}
/** The end of a connection is seen some moments after the client has closed it. */
async function gone({ deviceId }: { deviceId: string }): Promise<void> {
  let seen = await detail(deviceId);
  await until(() => {
    void detail(deviceId).then((now) => (seen = now));
    return seen.lastDisconnectedAt !== undefined;
  }, "the end of the connection");
}

describe("a child", () => {
  test("is connected by a word or by its data, and disconnected by a word", async () => {
    const { name, connection, deviceId, gateway } = await connected();
    const time = iso();
    expect(await detail(deviceId)).toMatchObject({ lastConnectedAt: time, active: false });
    clock.advance(1_000);
    await connection.say("connect", { device: name });
    expect((await detail(deviceId)).lastConnectedAt).toBe(time);
    await connection.say("telemetry", { [name]: { t: 1 } });
    expect(await detail(deviceId)).toMatchObject({
      lastConnectedAt: time,
      active: true,
      lastActivityAt: iso(),
    });
    clock.advance(1_000);
    await connection.say("disconnect", { device: name });
    expect((await detail(deviceId)).lastDisconnectedAt).toBe(iso());
    clock.advance(1_000);
    await connection.say("attributes", { [name]: { a: 1 } });
    expect((await detail(deviceId)).lastConnectedAt).toBe(iso());
    expect((await detail(gateway.deviceId)).active).toBe(true);
    await connection.end();
  });

  test("is gone with its gateway's connection, however that ends", async () => {
    const { connection, deviceId, gateway } = await connected();
    clock.advance(1_000);
    connection.client.stream.destroy();
    await gone(gateway);
    expect((await detail(deviceId)).lastDisconnectedAt).toBe(
      (await detail(gateway.deviceId)).lastDisconnectedAt,
    );
  });

  test("is not gone when its gateway connects anew before the old connection has ended", async () => {
    const { connection, deviceId, gateway, name } = await connected();
    clock.advance(1_000);
    const second = await GatewayClient.connect(fixture, gateway);
    await second.say("telemetry", { [name]: { t: 1 } });
    const { lastConnectedAt, lastDisconnectedAt } = await detail(deviceId);
    expect(Date.parse(lastConnectedAt)).toBeGreaterThanOrEqual(Date.parse(lastDisconnectedAt));
    await connection.client.endAsync(true);
    await second.end();
  });

  test("turns inactive by its own silence, while its gateway and the other children go on", async () => {
    const { connection, deviceId, gateway, name } = await connected();
    const other = fresh();
    await connection.say("telemetry", { [name]: { t: 1 }, [other]: { t: 1 } });
    clock.advance(599_000);
    await connection.say("telemetry", { [other]: { t: 2 } });
    clock.advance(2_000);
    expect(await detail(deviceId)).toMatchObject({ active: false });
    expect((await detail(gateway.deviceId)).active).toBe(true);
    const states = (await childrenOf(gateway)).map(({ active }: { active: boolean }) => active);
    expect(states).toEqual([false, true]);
    await connection.end();
  });

  test("that is detached leaves at once and is spoken for no more; attached again, it is", async () => {
    const { connection, deviceId, gateway, name } = await connected();
    clock.advance(1_000);
    await patch(deviceId, { parentDeviceId: null });
    expect((await detail(deviceId)).lastDisconnectedAt).toBe(iso());
    expect(await connection.say("telemetry", { [name]: { t: 1 } })).toBe(0x87);
    expect((await get(`/api/devices/${deviceId}/telemetry/latest`)).values).toEqual({});
    await patch(deviceId, { parentDeviceId: gateway.deviceId });
    expect(await connection.say("telemetry", { [name]: { t: 2 } })).toBe(0);
    expect((await get(`/api/devices/${deviceId}/telemetry/latest`)).values).toEqual({ t: 2 });
    await connection.end();
  });

  test("that is moved to another gateway belongs to that one only", async () => {
    const { connection, deviceId, name } = await connected();
    const other = await createGateway();
    const second = await GatewayClient.connect(fixture, other);
    expect(await second.say("telemetry", { [name]: { t: 1 } })).toBe(0x87);
    await patch(deviceId, { parentDeviceId: other.deviceId });
    expect(await connection.say("telemetry", { [name]: { t: 2 } })).toBe(0x87);
    expect(await second.say("telemetry", { [name]: { t: 3 } })).toBe(0);
    clock.advance(1_000);
    await connection.end();
    await second.say("attributes", { [name]: { a: 1 } });
    const { lastConnectedAt, lastDisconnectedAt } = await detail(deviceId);
    expect(Date.parse(lastConnectedAt)).toBeGreaterThanOrEqual(Date.parse(lastDisconnectedAt));
    await second.end();
  });

  test("that is called otherwise is known by its new name", async () => {
    const { connection, deviceId, gateway, name } = await connected();
    await patch(deviceId, { name: `${name} in the hall`, childName: `${name}/new` });
    expect(await connection.say("telemetry", { [`${name}/new`]: { t: 1 } })).toBe(0);
    expect((await childrenOf(gateway)).length).toBe(1);
    await connection.end();
  });

  test("whose own token is changed goes on through its gateway", async () => {
    const { connection, deviceId, name } = await connected();
    await fixture.call("POST", `/api/devices/${deviceId}/credentials/rotate`, { token: owner });
    expect(await connection.say("telemetry", { [name]: { t: 1 } })).toBe(0);
    expect((await get(`/api/devices/${deviceId}/telemetry/latest`)).values).toEqual({ t: 1 });
    clock.advance(1_000);
    await fixture.call("POST", `/api/devices/${deviceId}/credentials/rotate`, { token: owner });
    await patch(deviceId, { parentDeviceId: null });
    expect((await detail(deviceId)).lastDisconnectedAt).toBe(iso());
    await connection.end();
  });

  test("that is deleted is made anew when the gateway goes on speaking of it", async () => {
    const { connection, deviceId, gateway, name } = await connected();
    await connection.say("telemetry", { [name]: { old: 1 } });
    await fixture.call("DELETE", `/api/devices/${deviceId}`, { token: owner });
    expect(await connection.say("telemetry", { [name]: { t: 1 } })).toBe(0);
    const [created] = await childrenOf(gateway);
    expect(created.deviceId).not.toBe(deviceId);
    expect((await get(`/api/devices/${created.deviceId}/telemetry/latest`)).values).toEqual({ t: 1 });
    await connection.end();
  });

  test("stays when its gateway is deleted, and waits for another", async () => {
    const { connection, deviceId, gateway, name } = await connected();
    connection.client.on("error", () => undefined);
    clock.advance(1_000);
    await fixture.call("DELETE", `/api/devices/${gateway.deviceId}`, { token: owner });
    expect((await detail(deviceId)).lastDisconnectedAt).toBe(iso());
    const next = await createGateway();
    const second = await GatewayClient.connect(fixture, next);
    expect(await second.say("telemetry", { [name]: { t: 1 } })).toBe(0x87);
    await patch(deviceId, { parentDeviceId: next.deviceId });
    expect(await second.say("telemetry", { [name]: { t: 2 } })).toBe(0);
    await second.end();
    await connection.client.endAsync(true);
  });

  test("has its shared attributes told to the gateway that has it now", async () => {
    const { connection, deviceId, name } = await connected();
    const other = await createGateway();
    const second = await GatewayClient.connect(fixture, other, { filter: "v1/gateway/attributes" });
    await connection.client.subscribeAsync("v1/gateway/attributes", { qos: 1 });
    await patch(deviceId, { parentDeviceId: other.deviceId });
    await fixture.call("POST", `/api/devices/${deviceId}/attributes`, {
      token: owner,
      body: { scope: "SHARED", attributes: { target: 5 } },
    });
    expect(json(await second.next())).toEqual({ device: name, data: { target: 5 } });
    expect(connection.waiting).toBe(0);
    await connection.end();
    await second.end();
  });
});

test("a stream brings states of children", async () => {
  const { connection, deviceId, name } = await connected();
  const stream = await WebSocketClient.signIn(fixture.app.url, owner);
  await stream.subscribe(["devices"]);
  await connection.say("telemetry", { [name]: { t: 1 } });
  const states = () =>
    stream.messages.filter((message) => message.event === "state" && message.deviceId === deviceId);
  await until(() => {
    clock.advance(100); // events are gathered for some moments
    return states().length > 0;
  }, "the state of the child");
  expect(states()[0]).toMatchObject({ active: true });
  await stream.close();
  await connection.end();
});

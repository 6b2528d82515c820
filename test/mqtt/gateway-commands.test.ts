import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decode, encode } from "cbor-x";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";
import { GatewayClient, type GatewayDevice, json, type ReceivedMessage } from "./gateway-client.ts";

let fixture: TestApp;
let owner: string;
beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

const RPC = "v1/gateway/rpc";
const createGateway = (fields: Record<string, unknown> = {}): Promise<GatewayDevice> =>
  fixture.createDevice(owner, { role: "GATEWAY", deviceType: "gateway", ...fields });
let names = 0;
async function createChild({ deviceId }: GatewayDevice, fields: Record<string, unknown> = {}) {
  const name = `worker ${++names}`;
  return { name, ...(await fixture.createDevice(owner, { name, parentDeviceId: deviceId, ...fields })) };
}
const send = async ({ deviceId }: { deviceId: string }, body: unknown, app = fixture, token = owner) =>
  (await app.call("POST", `/api/devices/${deviceId}/commands`, { token, body })).body;
const read = async (device: { deviceId: string }, commandId: string, app = fixture, token = owner) =>
  (await app.call("GET", `/api/devices/${device.deviceId}/commands/${commandId}`, { token })).body;
/** Waits until the API says that a command is in a state. */
async function reached(
  device: { deviceId: string },
  commandId: string,
  status: string,
  app = fixture,
  token = owner,
) {
  return await untilAnswer(
    () => read(device, commandId, app, token),
    (command) => command.status === status,
  );
}
const reply = (connection: GatewayClient, received: ReceivedMessage, data: unknown) => {
  const { device, data: command } = json(received);
  return connection.say("rpc", { device, id: command.id, data });
};
const codes = async (deviceId: string) =>
  (await fixture.call("GET", `/api/devices/${deviceId}/rejections`, { token: owner })).body.map(
    ({ code }: { code: string }) => code,
  );

describe("a command to a child", () => {
  for (const version of [4, 5] as const)
    test(`goes through its gateway, is delivered and answered, version ${version}`, async () => {
      const gateway = await createGateway();
      const child = await createChild(gateway);
      const connection = await GatewayClient.connect(fixture, gateway, { version, filter: RPC });
      const { commandId } = await send(child, { method: "setRelay", params: { on: true } });
      const received = await connection.next();
      expect(received.topic).toBe(RPC);
      expect(json(received)).toEqual({
        device: child.name,
        data: { id: expect.any(Number), method: "setRelay", params: { on: true } },
      });
      await reached(child, commandId, "DELIVERED");
      expect(await reply(connection, received, { done: true })).toBe(0);
      expect(await read(child, commandId)).toMatchObject({
        status: "SUCCESSFUL",
        response: { done: true },
        attempts: 1,
      });
      await connection.end();
    });

  test("waits for the gateway to be there and to listen", async () => {
    const gateway = await createGateway();
    const child = await createChild(gateway);
    const { commandId, status } = await send(child, { method: "later" });
    expect(status).toBe("QUEUED");
    const connection = await GatewayClient.connect(fixture, gateway, { filter: "v1/gateway/attributes" });
    await connection.say("connect", { device: child.name });
    expect((await read(child, commandId)).status).toBe("QUEUED");
    await connection.client.subscribeAsync("v1/gateway/+", { qos: 1 });
    expect(json(await connection.next()).data.method).toBe("later");
    await reached(child, commandId, "DELIVERED");
    await connection.end();
  });

  test("waits while the gateway has said good-bye for it, and goes out as soon as it speaks of it", async () => {
    const gateway = await createGateway();
    const [child, other] = [await createChild(gateway), await createChild(gateway)];
    const connection = await GatewayClient.connect(fixture, gateway, { filter: RPC });
    await connection.say("disconnect", { device: child.name });
    const { commandId } = await send(child, { method: "first" });
    await send(other, { method: "second" });
    expect(json(await connection.next()).data.method).toBe("second");
    expect((await read(child, commandId)).status).toBe("QUEUED");
    await connection.say("telemetry", { [child.name]: { t: 1 } });
    expect(json(await connection.next()).data.method).toBe("first");
    await connection.end();
  });

  test("is encoded as the gateway speaks, and fails when the child says so", async () => {
    const profile = await fixture.call("POST", "/api/device-profiles", {
      token: owner,
      body: { name: "cbor relay", payload: "CBOR" },
    });
    const gateway = await createGateway({ profileId: profile.body.profileId });
    const child = await createChild(gateway);
    const connection = await GatewayClient.connect(fixture, gateway, { filter: RPC });
    const { commandId } = await send(child, { method: "open", params: [1] });
    const { device, data } = decode((await connection.next()).payload);
    expect({ device, ...data }).toEqual({ device: child.name, id: data.id, method: "open", params: [1] });
    await reached(child, commandId, "DELIVERED");
    await connection.say("rpc", Buffer.from(encode({ device, id: data.id, data: { error: "stuck" } })));
    expect(await read(child, commandId)).toMatchObject({ status: "FAILED", error: "stuck" });
    await connection.end();
  });

  test("goes to the child itself where that has a connection of its own", async () => {
    const gateway = await createGateway();
    const child = await createChild(gateway);
    const connection = await GatewayClient.connect(fixture, gateway, { filter: RPC });
    const own = await GatewayClient.connect(fixture, child, { filter: "v1/devices/me/rpc/request/+" });
    await send(child, { method: "direct" });
    expect(json(await own.next()).method).toBe("direct");
    await own.end();
    await send(child, { method: "relayed" });
    expect(json(await connection.next()).data.method).toBe("relayed");
    await connection.end();
  });

  test("is taken by a child that polls over HTTP with its own token", async () => {
    const gateway = await createGateway();
    const child = await createChild(gateway);
    const { commandId } = await send(child, { method: "polled" });
    const polled = await fixture.call("GET", `/api/v1/${child.token}/rpc?timeout=1000`);
    expect(polled.body).toMatchObject({ method: "polled" });
    await fixture.call("POST", `/api/v1/${child.token}/rpc/${polled.body.id}`, { body: "done" });
    expect((await read(child, commandId)).status).toBe("SUCCESSFUL");
  });

  test("that the gateway lost with its connection goes out again; one that it acknowledged does not", async () => {
    const gateway = await createGateway();
    const child = await createChild(gateway);
    const first = await GatewayClient.connect(fixture, gateway, { filter: RPC });
    const kept = await send(child, { method: "kept" });
    await first.next();
    await reached(child, kept.commandId, "DELIVERED");
    first.client.options.reconnectPeriod = 0;
    first.client.handleMessage = () => undefined; // acknowledges nothing any more
    const lost = await send(child, { method: "lost" });
    await reached(child, lost.commandId, "SENT");
    first.client.stream.destroy();
    await reached(child, lost.commandId, "QUEUED");
    const second = await GatewayClient.connect(fixture, gateway, { filter: RPC });
    expect(json(await second.next()).data.method).toBe("lost");
    await reached(child, lost.commandId, "DELIVERED");
    expect(second.waiting).toBe(0);
    expect((await read(child, kept.commandId)).status).toBe("DELIVERED");
    await second.end();
  });

  test("waits in the durable session of a gateway that is away, over a restart too, and comes once", async () => {
    const directory = await mkdtemp(join(tmpdir(), "lineside-gateway-"));
    let app = await createTestApp({ directory });
    const { token } = await app.signIn("TENANT_OWNER");
    const gateway = await app.createDevice(token, { role: "GATEWAY" });
    const child = await app.createDevice(token, { parentDeviceId: gateway.deviceId, name: "durable" });
    const before = await GatewayClient.connect(app, gateway, { session: "gw", filter: RPC });
    before.client.handleMessage = () => undefined;
    const { commandId } = await send(child, { method: "once" }, app, token);
    await reached(child, commandId, "SENT", app, token);
    before.client.stream.destroy();
    await app.stop();
    app = await createTestApp({ directory });
    expect((await read(child, commandId, app, token)).status).toBe("SENT");
    const after = await GatewayClient.connect(app, gateway, { session: "gw" });
    expect(json(await after.next())).toMatchObject({ device: "durable", data: { method: "once" } });
    expect(await reached(child, commandId, "DELIVERED", app, token)).toMatchObject({ attempts: 1 });
    expect(after.waiting).toBe(0);
    await after.end();
    await app.stop();
    await rm(directory, { recursive: true });
  });

  test("follows a child that is given another gateway", async () => {
    const [old, next] = [await createGateway(), await createGateway()];
    const child = await createChild(old);
    const before = await GatewayClient.connect(fixture, old, { filter: RPC });
    const after = await GatewayClient.connect(fixture, next, { filter: RPC });
    before.client.handleMessage = () => undefined;
    const { commandId } = await send(child, { method: "follow" });
    const move = (parentDeviceId: string | null) =>
      fixture.call("PATCH", `/api/devices/${child.deviceId}`, { token: owner, body: { parentDeviceId } });
    await reached(child, commandId, "SENT");
    await move(null);
    await reached(child, commandId, "QUEUED");
    await move(next.deviceId);
    const received = await after.next();
    expect(json(received)).toMatchObject({ device: child.name, data: { method: "follow" } });
    await reached(child, commandId, "DELIVERED");
    // Another gateway must not respond for the child.
    const { id } = json(received).data;
    const stranger = await GatewayClient.connect(fixture, await createGateway());
    expect(await stranger.say("rpc", { device: child.name, id, data: 666 })).toBe(0x90);
    expect(await reply(after, received, "here")).toBe(0);
    expect(await read(child, commandId)).toMatchObject({ status: "SUCCESSFUL", response: "here" });
    for (const { client } of [before, after, stranger]) await client.endAsync(true);
  });

  test("is sent again until it is acknowledged, then times out", async () => {
    const clock = new FakeClock();
    const app = await createTestApp({ clock });
    const { token } = await app.signIn("TENANT_OWNER");
    const gateway = await app.createDevice(token, { role: "GATEWAY" });
    const child = await app.createDevice(token, { parentDeviceId: gateway.deviceId, name: "slow" });
    const connection = await GatewayClient.connect(app, gateway, { filter: RPC });
    connection.client.handleMessage = () => undefined;
    const { commandId } = await send(
      child,
      { method: "again", retries: 1, retryIntervalMs: 1_000 },
      app,
      token,
    );
    clock.advance(1_000);
    expect(await read(child, commandId, app, token)).toMatchObject({ status: "SENT", attempts: 2 });
    clock.advance(30_000);
    expect(await read(child, commandId, app, token)).toMatchObject({ status: "TIMEOUT", attempts: 2 });
    await connection.end();
    await app.stop();
  });
});

test("hundreds of commands to many children go out as the gateway acknowledges them, and none is lost", async () => {
  const gateway = await createGateway();
  const children = await Promise.all(Array.from({ length: 10 }, () => createChild(gateway)));
  const sent: (readonly [{ deviceId: string }, string])[] = [];
  const all = children.flatMap((child) => Array.from({ length: 25 }, () => child));
  for (const sending of all.map(
    async (child) => [child, (await send(child, { method: "m" })).commandId] as const,
  ))
    sent.push(await sending);
  const connection = await GatewayClient.connect(fixture, gateway, { filter: RPC });
  const received = new Set<number>();
  while (received.size < sent.length) received.add(json(await connection.next()).data.id);
  for (const [child, commandId] of sent) await reached(child, commandId, "DELIVERED");
  expect(connection.waiting).toBe(0);
  await connection.end();
});

test("commands that went with their deleted devices keep no room from the others", async () => {
  const gateway = await createGateway();
  const connection = await GatewayClient.connect(fixture, gateway, { filter: RPC });
  const { handleMessage } = connection.client;
  connection.client.handleMessage = () => undefined; // acknowledges nothing
  const doomed = await createChild(gateway);
  await Promise.all(Array.from({ length: 200 }, (_, n) => send(doomed, { method: `m${n}` })));
  const other = await createChild(gateway);
  const { commandId } = await send(other, { method: "waits" });
  expect((await read(other, commandId)).status).toBe("QUEUED");
  await fixture.call("DELETE", `/api/devices/${doomed.deviceId}`, { token: owner });
  await reached(other, commandId, "SENT");
  connection.client.handleMessage = handleMessage;
  await connection.client.endAsync(true);
});

describe("an answer is refused", () => {
  test("to no command of the gateway's children, and without a number", async () => {
    const gateway = await createGateway();
    const [child, other] = [await createChild(gateway), await createChild(gateway)];
    const connection = await GatewayClient.connect(fixture, gateway, { filter: RPC });
    const { commandId } = await send(child, { method: "mine" });
    const { id } = json(await connection.next()).data;
    for (const [body, reason] of [
      [{ device: child.name, id: 999_999, data: 1 }, 0x90],
      [{ device: other.name, id, data: 1 }, 0x90],
      [{ device: child.name, data: 1 }, 0x99],
      [{ device: child.name, id: "x", data: 1 }, 0x99],
      [{ id, data: 1 }, 0x99],
      ["", 0x99],
    ] as const)
      expect([body, await connection.say("rpc", body)]).toEqual([body, reason]);
    expect((await codes(gateway.deviceId)).length).toBe(6);
    expect(["SENT", "DELIVERED"]).toContain((await read(child, commandId)).status);
    // Under whatever other name: the number tells.
    expect(await connection.say("rpc", { device: "as it was called before", id, data: 1 })).toBe(0);
    expect((await read(child, commandId)).status).toBe("SUCCESSFUL");
    await connection.end();
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { encode } from "cbor-x";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { WebSocketClient } from "../support/websocket-client.ts";

let fixture: TestApp;
let owner: string;
beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

interface Device {
  readonly deviceId: string;
  readonly token: string;
}
type Frame = Record<string, unknown>;

const connect = (device: Device) =>
  WebSocketClient.open<Frame>(`${fixture.app.url}/api/v1/${device.token}/ws`);

const latest = async (device: Device) =>
  (await fixture.call("GET", `/api/devices/${device.deviceId}/telemetry/latest`, { token: owner })).body
    .values;
const rejections = async (device: Device) =>
  (await fixture.call("GET", `/api/devices/${device.deviceId}/rejections`, { token: owner })).body;

describe("a device on its WebSocket", () => {
  test("sends telemetry in every form, and is acknowledged when it is stored", async () => {
    const device = await fixture.createDevice(owner);
    const socket = await connect(device);
    socket.send({ topic: "v1/devices/me/telemetry", temperature: 21.5, ack: 1 });
    expect(await socket.next()).toEqual({ ack: 1 });
    socket.send({ topic: "v2/t", body: [{ ts: Date.now(), values: { humidity: 40 } }], ack: "b" });
    expect(await socket.next()).toEqual({ ack: "b" });
    socket.send({ topic: "v1/devices/me/telemetry", ts: Date.now(), values: { door: true }, ack: 3 });
    expect(await socket.next()).toEqual({ ack: 3 });
    socket.send({ topic: "v1/devices/me/telemetry", body: { payload: { level: 7 } }, ack: 4 });
    expect(await socket.next()).toEqual({ ack: 4 });
    expect(await latest(device)).toEqual({ temperature: 21.5, humidity: 40, door: true, level: 7 });
    await socket.close();
  });

  test("speaks CBOR in binary frames, and is answered in it", async () => {
    const device = await fixture.createDevice(owner);
    const socket = await connect(device);
    socket.send(new Uint8Array(encode({ topic: "v1/devices/me/attributes", firmware: "2.1", ack: 9 })));
    expect(await socket.next()).toEqual({ ack: 9 });
    const path = `/api/devices/${device.deviceId}/attributes?scope=CLIENT`;
    const { body } = await fixture.call("GET", path, { token: owner });
    expect(body).toMatchObject([{ key: "firmware", value: "2.1" }]);
    await socket.close();
  });

  test("gets its shared attributes, requests them, and the time", async () => {
    const device = await fixture.createDevice(owner);
    const socket = await connect(device);
    const path = `/api/devices/${device.deviceId}/attributes`;
    await fixture.call("POST", path, {
      token: owner,
      body: { scope: "SHARED", attributes: { mode: "eco", level: 2 } },
    });
    expect(await socket.next()).toEqual({ topic: "v1/devices/me/attributes", mode: "eco", level: 2 });
    await fixture.call("DELETE", `${path}/SHARED/level`, { token: owner });
    expect(await socket.next()).toEqual({ topic: "v1/devices/me/attributes", deleted: ["level"] });
    socket.send({ topic: "v1/devices/me/attributes/request/5", sharedKeys: "mode" });
    expect(await socket.next()).toEqual({
      topic: "v1/devices/me/attributes/response/5",
      shared: { mode: "eco" },
    });
    socket.send({ topic: "v1/devices/me/rpc/request/6", method: "getServerTime", params: {} });
    expect(await socket.next()).toEqual({
      topic: "v1/devices/me/rpc/response/6",
      time: expect.any(Number),
    });
    await socket.close();
  });

  test("takes no attribute for a part of the frame, whatever it is called", async () => {
    const device = await fixture.createDevice(owner);
    const socket = await connect(device);
    const share = (attributes: Frame) =>
      fixture.call("POST", `/api/devices/${device.deviceId}/attributes`, {
        token: owner,
        body: { scope: "SHARED", attributes },
      });
    const topic = "v1/devices/me/attributes";
    for (const attributes of [
      { topic: "v1/devices/me/rpc/request/7", method: "erase", params: {} },
      { ack: 7 },
      { body: "tall" },
    ]) {
      await share(attributes);
      expect(await socket.next()).toEqual({ topic, body: attributes });
    }
    await share({ level: 3 });
    expect(await socket.next()).toEqual({ topic, level: 3 });
    await socket.close();
  });

  test("gets commands, those that waited too, and answers them", async () => {
    const device = await fixture.createDevice(owner, { commandTransport: "WS" });
    const path = `/api/devices/${device.deviceId}/commands`;
    const first = await fixture.call("POST", path, { token: owner, body: { method: "waited" } });
    const socket = await connect(device);
    const request = await socket.next();
    expect(request).toEqual({
      topic: expect.stringMatching(/^v1\/devices\/me\/rpc\/request\/\d+$/),
      method: "waited",
      params: {},
    });
    const reply = String(request.topic).replace("request", "response");
    socket.send({ topic: reply, body: "done", ack: 1 });
    expect(await socket.next()).toEqual({ ack: 1 });
    const { body } = await fixture.call("GET", `${path}/${first.body.commandId}`, { token: owner });
    expect(body).toMatchObject({ status: "SUCCESSFUL", response: "done" });
    await socket.close();
  });

  test("gets an error for an invalid message, which is listed, and stays connected", async () => {
    const device = await fixture.createDevice(owner);
    const socket = await connect(device);
    const wrong: Array<[string, string]> = [
      ["no json", "body.malformed"],
      ["[1]", "frame.invalid"],
      ['{"temperature":1}', "frame.topic_missing"],
      ['{"topic":"v1/devices/me/telemetry","ack":{},"a":1}', "frame.ack_invalid"],
      ['{"topic":"v1/devices/me/telemetry","ts":"never","values":{"a":1},"ack":7}', "telemetry.ts_invalid"],
      ['{"topic":"v1/devices/other/telemetry","a":1}', "topic.unknown"],
      ['{"topic":"v2/t","body":"x","ack":8}', "telemetry.body_invalid"],
      [`{"topic":"v1/devices/me/telemetry","a":"${"x".repeat(70_000)}"}`, "frame.too_large"],
    ];
    const codes: unknown[] = [];
    for (const [frame] of wrong) codes.push(((await socket.send(frame).next()).error as Frame).code);
    expect(codes).toEqual(wrong.map(([, code]) => code));
    const listed = (await rejections(device)).map(({ code, source }: Frame) => [source, code]);
    expect(listed.sort()).toEqual(wrong.map(([, code]) => ["ws", code]).sort());
    socket.send({ topic: "v2/t", ok: 1, ack: "still here" });
    expect(await socket.next()).toEqual({ ack: "still here" });
    await socket.close();
  });

  test("is connected once: the next connection takes the place of the one before", async () => {
    const device = await fixture.createDevice(owner);
    const first = await connect(device);
    const second = await connect(device);
    expect((await first.closed).code).toBe(1008);
    second.send({ topic: "v2/t", a: 1, ack: 1 });
    expect(await second.next()).toEqual({ ack: 1 });
    await second.close();
  });

  test("is disconnected when it is deleted or gets another token", async () => {
    const device = await fixture.createDevice(owner);
    const socket = await connect(device);
    await fixture.call("POST", `/api/devices/${device.deviceId}/credentials/rotate`, { token: owner });
    expect((await socket.closed).code).toBe(1008);
    const other = await fixture.createDevice(owner);
    const another = await connect(other);
    await fixture.call("DELETE", `/api/devices/${other.deviceId}`, { token: owner });
    expect((await another.closed).code).toBe(1008);
  });

  test("with a wrong token, or without a handshake, is refused", async () => {
    const device = await fixture.createDevice(owner);
    await expect(connect({ ...device, token: "wrong" })).rejects.toThrow("not connected");
    expect((await fixture.call("GET", "/api/v1/wrong/ws")).status).toBe(401);
    expect((await fixture.call("GET", `/api/v1/${device.token}/ws`)).status).toBe(426);
  });
});

test("a command goes by the way that its device names, and else by whichever it listens at", async () => {
  const send = (device: Device) =>
    fixture.call("POST", `/api/devices/${device.deviceId}/commands`, { token: owner, body: { method: "m" } });
  const mqttOnly = await fixture.createDevice(owner, { commandTransport: "MQTT" });
  const first = await connect(mqttOnly);
  expect((await send(mqttOnly)).body.status).toBe("QUEUED");
  const any = await fixture.createDevice(owner);
  const second = await connect(any);
  expect((await send(any)).body.status).toBe("SENT");
  expect(await second.next()).toMatchObject({ method: "m" });
  await first.close();
  await second.close();
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WebSocketClient } from "../support/websocket-client.ts";
import { GatewayClient, type GatewayDevice } from "./gateway-client.ts";

let fixture: TestApp;
let owner: string;
beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

type Frame = Record<string, unknown>;
const get = async (path: string) => (await fixture.call("GET", path, { token: owner })).body;
const children = ({ deviceId }: GatewayDevice) => get(`/api/devices/${deviceId}/children`);
const send = async (deviceId: string, method: string) =>
  (await fixture.call("POST", `/api/devices/${deviceId}/commands`, { token: owner, body: { method } })).body;

/** A gateway on the WebSocket of devices. */
async function open({ token }: GatewayDevice) {
  const client = await WebSocketClient.open<Frame>(`${fixture.app.url}/api/v1/${token}/ws`);
  return {
    say: (topic: string, body: unknown, ack?: number) =>
      client.send({ topic: `v1/gateway/${topic}`, body, ...(ack && { ack }) }),
    next: () => client.next(),
    close: () => client.close(),
  };
}
const createGateway = (fields = {}): Promise<GatewayDevice> =>
  fixture.createDevice(owner, { role: "GATEWAY", deviceType: "gateway", ...fields });

test("a gateway sends and receives for its children on its WebSocket", async () => {
  const gateway = await createGateway();
  const socket = await open(gateway);
  socket.say("telemetry", { "ws child": [{ t: 1 }], topic: { t: 2 } }, 1);
  expect(await socket.next()).toEqual({ ack: 1 });
  const created = await children(gateway);
  expect(created.map(({ name }: Frame) => name)).toEqual(["topic", "ws child"]);
  const [, { deviceId }] = created;
  socket.say("attributes", { "ws child": { firmware: "3" } }, 2);
  expect(await socket.next()).toEqual({ ack: 2 });
  socket.say("attributes/request", { id: 1, device: "ws child", client: true, key: "firmware" });
  expect(await socket.next()).toEqual({
    topic: "v1/gateway/attributes/response",
    id: 1,
    device: "ws child",
    value: "3",
  });
  const body = { scope: "SHARED", attributes: { target: 4 } };
  await fixture.call("POST", `/api/devices/${deviceId}/attributes`, { token: owner, body });
  expect(await socket.next()).toEqual({
    topic: "v1/gateway/attributes",
    device: "ws child",
    data: { target: 4 },
  });
  const { commandId } = await send(deviceId, "open");
  const { topic, device, data } = await socket.next();
  expect({ topic, device }).toEqual({ topic: "v1/gateway/rpc", device: "ws child" });
  socket.say("rpc", { device, id: (data as Frame).id, data: "done" }, 3);
  expect(await socket.next()).toEqual({ ack: 3 });
  expect(await get(`/api/devices/${deviceId}/commands/${commandId}`)).toMatchObject({
    status: "SUCCESSFUL",
    response: "done",
  });
  socket.say("telemetry", { "ws child": 7 }, 4);
  expect(await socket.next()).toMatchObject({ ack: 4, error: { code: "telemetry.body_invalid" } });
  expect((await get(`/api/devices/${deviceId}/rejections`))[0]).toMatchObject({ source: "ws" });
  await socket.close();
});

test("children are disconnected with the gateway's last connection, and their commands wait for the next", async () => {
  const gateway = await createGateway();
  const first = await open(gateway);
  first.say("connect", { device: "lasting" }, 1);
  await first.next();
  const [{ deviceId }] = await children(gateway);
  const second = await open(gateway); // takes the place of the first
  second.say("telemetry", { lasting: { t: 1 } }, 2);
  await second.next();
  const { lastConnectedAt, lastDisconnectedAt = lastConnectedAt } = await get(`/api/devices/${deviceId}`);
  expect(Date.parse(lastConnectedAt)).toBeGreaterThanOrEqual(Date.parse(lastDisconnectedAt));
  const lost = await send(deviceId, "later");
  await second.next();
  await second.close();
  let status = "";
  await until(() => {
    void get(`/api/devices/${deviceId}/commands/${lost.commandId}`).then(
      (command) => (status = command.status),
    );
    return status === "QUEUED";
  }, "the command to wait again");
  const gone = await get(`/api/devices/${deviceId}`);
  expect(Date.parse(gone.lastDisconnectedAt)).toBeGreaterThanOrEqual(Date.parse(gone.lastConnectedAt));
  const mqtt = await GatewayClient.connect(fixture, gateway, { filter: "v1/gateway/rpc" });
  expect(JSON.parse((await mqtt.next()).payload.toString()).data.method).toBe("later");
  await mqtt.end();
});

test("a gateway whose commands go over a WebSocket gets those of its children there, too", async () => {
  const gateway = await createGateway({ commandTransport: "WS" });
  const mqtt = await GatewayClient.connect(fixture, gateway, { filter: "v1/gateway/rpc" });
  await mqtt.say("connect", { device: "by socket" });
  const [{ deviceId }] = await children(gateway);
  expect((await send(deviceId, "first")).status).toBe("QUEUED");
  const socket = await open(gateway);
  expect((await socket.next()).data).toMatchObject({ method: "first" });
  expect(mqtt.waiting).toBe(0);
  await socket.close();
  await mqtt.end();
});

import { describe, expect, test } from "bun:test";
import { WebSocketClient } from "../support/websocket-client.ts";
import { type Device, fixture, owner, read, send, useCommands } from "./commands-fixture.ts";

useCommands();

describe("a request has many forms", () => {
  const forms: [string, object, string, unknown][] = [
    ["command", { command: { method: "m", params: { a: 1 } } }, "m", { a: 1 }],
    ["command without params", { command: { method: "m", a: 1 } }, "m", { a: 1 }],
    ["command without a method", { type: "relay", command: { on: 1 } }, "relay", { on: 1 }],
    ["method alone", { method: "reboot" }, "reboot", {}],
    ["key and value", { key: "speed", value: 7 }, "setValue", { key: "speed", value: 7 }],
    ["channel and state", { channel: 2, state: 1 }, "setState", { channel: 2, state: 1 }],
    ["type", { type: "blink", params: { times: 3 } }, "blink", { times: 3 }],
  ];
  for (const [name, body, method, params] of forms)
    test(name, async () => {
      const device = await fixture.createDevice(owner);
      const { commandId } = (await send(device, body)).body;
      expect(await read(device, commandId)).toMatchObject({ method, params });
    });

  const refused: [string, object][] = [
    ["nothing", {}],
    ["a key without a value", { key: "speed" }],
    ["a command that is no object", { command: [1] }],
    ["a method that is no text", { command: { method: 1 } }],
    ["negative retries", { method: "m", retries: -1 }],
    ["a channel that is a text", { channel: "one", state: 1 }],
  ];
  for (const [name, body] of refused)
    test(`${name} is refused`, async () => {
      const device = await fixture.createDevice(owner);
      const response = await send(device, body);
      expect(response.status).toBe(400);
      expect(response.body).toMatchObject({ statusCode: 400, error: "Bad Request" });
    });

  test("a requestId is returned, and unique for each device", async () => {
    const device = await fixture.createDevice(owner);
    const first = await send(device, { method: "m", requestId: "order-7" });
    expect(first.body).toMatchObject({ requestId: "order-7" });
    expect((await send(device, { method: "m", requestId: "order-7" })).status).toBe(409);
    const other = await fixture.createDevice(owner);
    expect((await send(other, { method: "m", requestId: "order-7" })).status).toBe(201);
  });
});

test("commands are listed by the time at which they were created", async () => {
  const device = await fixture.createDevice(owner);
  const list = async (query: string) =>
    (
      await fixture.call("GET", `/api/devices/${device.deviceId}/commands?${query}`, { token: owner })
    ).body.map(({ method }: { method: string }) => method);
  const { commandId } = (await send(device, { method: "first" })).body;
  const createdAt = Date.parse((await read(device, commandId)).createdAt);
  expect(await list(`from=${createdAt}&to=${createdAt}`)).toEqual(["first"]);
  expect(await list(`from=${createdAt + 1}`)).toEqual([]);
  expect(await list(`to=${createdAt - 1}&status=QUEUED`)).toEqual([]);
  const page = await fixture.call("GET", `/api/devices/${device.deviceId}/commands?to=${createdAt - 1}`, {
    token: owner,
  });
  expect(page.headers.get("x-total-count")).toBe("0");
});

describe("over HTTP a device", () => {
  const poll = (device: Device, timeout: number) =>
    fixture.call("GET", `/api/v1/${device.token}/rpc?timeout=${timeout}`);
  const response = (device: Device, id: unknown, body: unknown) =>
    fixture.call("POST", `/api/v1/${device.token}/rpc/${id}`, { body });

  test("gets a queued command and answers it", async () => {
    const device = await fixture.createDevice(owner);
    const { body } = await send(device, { method: "sample", params: { every: 5 } });
    const got = await poll(device, 1_000);
    expect(got.body).toEqual({ id: expect.any(Number), method: "sample", params: { every: 5 } });
    expect((await response(device, got.body.id, { ok: 1 })).body).toEqual({ success: true });
    expect(await read(device, body.commandId)).toMatchObject({ status: "SUCCESSFUL", response: { ok: 1 } });
  });

  test("waits for a command whose result the sender waits for", async () => {
    const device = await fixture.createDevice(owner);
    const polled = poll(device, 10_000);
    await poll(device, 0); // was sent later and is answered: the first one waits
    const finished = send(device, { method: "ping" }, { query: "?wait=10000" });
    const { id } = (await polled).body;
    await response(device, id, "pong");
    expect((await finished).body).toMatchObject({ success: true, status: "SUCCESSFUL", response: "pong" });
  });

  test("gets 408 without a command, and an ended poll loses no command", async () => {
    const device = await fixture.createDevice(owner);
    const none = await poll(device, 10);
    expect([none.status, none.body.statusCode]).toEqual([408, 408]);
    await send(device, { method: "later" });
    expect((await poll(device, 10)).body.method).toBe("later");
  });

  test("that is deleted while it waits gets 408 at once", async () => {
    const device = await fixture.createDevice(owner);
    const polled = poll(device, 50_000);
    await poll(device, 0); // was sent later and is answered: the first one waits
    await fixture.call("DELETE", `/api/devices/${device.deviceId}`, { token: owner });
    expect((await polled).status).toBe(408);
  });

  test("may not answer a command that it was not sent", async () => {
    const device = await fixture.createDevice(owner);
    const { body } = await send(device, { method: "unsent" });
    const { rpcId } = await read(device, body.commandId);
    expect((await response(device, rpcId, {})).status).toBe(404);
    expect((await response(device, "x", {})).status).toBe(400);
    expect((await fixture.call("GET", "/api/v1/not-a-token/rpc?timeout=0")).status).toBe(401);
  });
});

describe("test-ack plays the device", () => {
  const ack = (device: Device, body: object) =>
    fixture.call("POST", `/api/devices/${device.deviceId}/test-ack`, { token: owner, body });

  test("answers the newest open command, or the one that is named", async () => {
    const device = await fixture.createDevice(owner);
    const named = await send(device, { method: "a", requestId: "named" });
    const newest = await send(device, { method: "b" });
    const first = await ack(device, { success: true, channel: 1 });
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ commandId: newest.body.commandId, status: "SUCCESSFUL" });
    expect((await ack(device, { requestId: "named", success: false, message: "no" })).body).toMatchObject({
      success: false,
      commandId: named.body.commandId,
      status: "FAILED",
      error: "no",
    });
    expect((await ack(device, {})).status).toBe(404);
    expect((await ack(device, { requestId: "unknown" })).status).toBe(404);
  });
});

test("a reader may see commands but not send them, and gets them in realtime", async () => {
  const device = await fixture.createDevice(owner);
  const reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  expect((await send(device, { method: "m" }, { token: reader })).status).toBe(403);
  const stream = await WebSocketClient.signIn(fixture.app.url, reader);
  await stream.subscribe(["commands"], { deviceIds: [device.deviceId] });
  const { body } = await send(device, { method: "m" });
  expect(await stream.until(({ status }) => status === "QUEUED")).toMatchObject({
    topic: "commands",
    deviceId: device.deviceId,
    commandId: body.commandId,
  });
  await fixture.call("POST", `/api/devices/${device.deviceId}/test-ack`, { token: owner, body: {} });
  await stream.until(({ status }) => status === "SUCCESSFUL");
  await stream.close();
  const list = await fixture.call("GET", `/api/devices/${device.deviceId}/commands?status=SUCCESSFUL`, {
    token: reader,
  });
  expect(list.headers.get("x-total-count")).toBe("1");
  const all = await fixture.call("GET", `/api/devices/${device.deviceId}/commands`, { token: reader });
  expect(all.body).toEqual(list.body);
  expect(list.body).toMatchObject([{ commandId: body.commandId, method: "m" }]);
});

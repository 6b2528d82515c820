import { describe, expect, test } from "bun:test";
import { decode, encode } from "cbor-x";
import { connectAsync, type MqttClient } from "mqtt";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";
import { type Device, fixture, owner, read, send, useCommands } from "./commands-fixture.ts";

useCommands();

interface Request {
  readonly topic: string;
  readonly payload: Buffer;
}

/** A device that is connected, with the commands that it gets, in order. */
class Connected {
  readonly client: MqttClient;
  readonly #requests: Request[] = [];
  #wake: () => void = () => undefined;

  private constructor(client: MqttClient) {
    this.client = client;
    client.on("message", (topic, payload) => {
      this.#requests.push({ topic, payload });
      this.#wake();
    });
  }

  static async connect(
    device: Device,
    options: { version?: 4 | 5; qos?: 0 | 1 | 2; filter?: string; port?: number; session?: string } = {},
  ): Promise<Connected> {
    const { version = 5, qos = 1, filter = "v1/devices/me/rpc/request/+" } = options;
    const client = await connectAsync(`mqtt://127.0.0.1:${options.port ?? fixture.app.mqttPort}`, {
      username: device.token,
      protocolVersion: version,
      reconnectPeriod: 0,
      clean: options.session === undefined,
      ...(options.session === undefined ? {} : { clientId: options.session }),
    });
    const connected = new Connected(client);
    await client.subscribeAsync(filter, { qos });
    return connected;
  }

  async next(): Promise<Request> {
    while (this.#requests.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#requests.shift()!;
  }

  get waiting(): number {
    return this.#requests.length;
  }

  answer({ topic }: Request, body: unknown): Promise<unknown> {
    return this.client.publishAsync(topic.replace("/request/", "/response/"), JSON.stringify(body), {
      qos: 1,
    });
  }
}

const json = ({ payload }: Request) => JSON.parse(payload.toString());

/** Waits until the API says that a command is in a state. */
async function reached(device: Device, commandId: string, status: string, app = fixture, token = owner) {
  return await untilAnswer(
    () => read(device, commandId, app, token),
    (command) => command.status === status,
  );
}

describe("a command to a device on MQTT", () => {
  for (const version of [4, 5] as const)
    test(`is delivered, answered and read, version ${version}`, async () => {
      const device = await fixture.createDevice(owner);
      const connected = await Connected.connect(device, { version });
      const created = await send(device, { method: "setRelay", params: { on: true } });
      expect(created.status).toBe(201);
      expect(created.body).toMatchObject({ success: true, requestId: expect.any(String) });
      const request = await connected.next();
      expect(request.topic).toMatch(/^v1\/devices\/me\/rpc\/request\/\d+$/);
      expect(json(request)).toEqual({ method: "setRelay", params: { on: true } });
      await reached(device, created.body.commandId, "DELIVERED");
      await connected.answer(request, { done: true });
      const command = await read(device, created.body.commandId);
      expect(command).toMatchObject({
        status: "SUCCESSFUL",
        response: { done: true },
        attempts: 1,
        error: null,
        rpcId: Number(request.topic.split("/").at(-1)),
      });
      for (const time of ["createdAt", "sentAt", "deliveredAt", "finishedAt"])
        expect(new Date(command[time]).toISOString()).toBe(command[time]);
      await connected.client.endAsync();
    });

  test("is delivered and answered on the short topics", async () => {
    const device = await fixture.createDevice(owner);
    const connected = await Connected.connect(device, { filter: "v2/r/req/+" });
    const { body } = await send(device, { method: "ping" });
    const request = await connected.next();
    const id = request.topic.split("/").at(-1);
    expect(request.topic).toBe(`v2/r/req/${id}`);
    await connected.client.publishAsync(`v2/r/res/${id}`, '"pong"', { qos: 1 });
    expect(await read(device, body.commandId)).toMatchObject({ status: "SUCCESSFUL", response: "pong" });
    await connected.client.endAsync();
  });

  test.each([
    ["ok", { status: "SUCCESSFUL", response: "ok" }],
    [" Ventil zu, 4 °C\r\n", { status: "SUCCESSFUL", response: "Ventil zu, 4 °C" }],
    ["", { status: "SUCCESSFUL", response: null }],
    ["ok\0", { status: "SUCCESSFUL", response: "ok" }],
    [" done\r\n\0\0", { status: "SUCCESSFUL", response: "done" }],
    ["\0", { status: "SUCCESSFUL", response: null }],
    ["[INFO] relay on", { status: "SUCCESSFUL", response: "[INFO] relay on" }],
    ["[12:30:05][main] done", { status: "SUCCESSFUL", response: "[12:30:05][main] done" }],
    ["[1,2", { status: "FAILED", response: { received: "[1,2" } }],
    ["[1,2] [3", { status: "FAILED" }],
    ["[fals", { status: "FAILED" }],
    ["12.5", { status: "SUCCESSFUL", response: 12.5 }],
    ['{"success":fal', { status: "FAILED", response: { received: '{"success":fal' } }],
    [Buffer.from([0xff, 0x00, 0xfe]), { status: "FAILED" }],
  ])("ends with the response %p, over MQTT as over HTTP", async (sent, end) => {
    const device = await fixture.createDevice(owner);
    const connected = await Connected.connect(device);
    const byMqtt = await send(device, { method: "setRelay" });
    const request = await connected.next();
    await connected.client.publishAsync(request.topic.replace("/request/", "/response/"), sent, { qos: 1 });
    expect(await read(device, byMqtt.body.commandId)).toMatchObject(end);
    await connected.client.endAsync();
    const byHttp = await send(device, { method: "setRelay" });
    const asked = (await fixture.call("GET", `/api/v1/${device.token}/rpc`)).body;
    const path = `/api/v1/${device.token}/rpc/${asked.id}`;
    expect((await fixture.call("POST", path, { raw: sent })).status).toBe(200);
    const command = await read(device, byHttp.body.commandId);
    expect(command).toMatchObject(end);
    if (end.status !== "FAILED") return;
    expect(command.error).toStartWith("The response could not be read: ");
    expect(command.errorText).toEqual({
      code: "command_error.unreadable",
      params: { reason: { code: expect.stringMatching(/^body\./), params: expect.any(Object) } },
    });
  });

  test("is encoded in CBOR where the profile says so", async () => {
    const profile = await fixture.call("POST", "/api/device-profiles", {
      token: owner,
      body: { name: "cbor commands", payload: "CBOR" },
    });
    const device = await fixture.createDevice(owner, { profileId: profile.body.profileId });
    const connected = await Connected.connect(device);
    const { body } = await send(device, { method: "read", params: [1, 2] });
    const request = await connected.next();
    expect(decode(request.payload)).toEqual({ method: "read", params: [1, 2] });
    const response = request.topic.replace("/request/", "/response/");
    await connected.client.publishAsync(response, Buffer.from(encode({ sum: 3 })), { qos: 1 });
    expect(await read(device, body.commandId)).toMatchObject({ status: "SUCCESSFUL", response: { sum: 3 } });
    await connected.client.endAsync();
  });

  test("counts as delivered with its answer where the subscription is of QoS 0", async () => {
    const device = await fixture.createDevice(owner);
    const connected = await Connected.connect(device, { qos: 0 });
    const { body } = await send(device, { method: "ping" });
    const request = await connected.next();
    expect(await read(device, body.commandId)).toMatchObject({ status: "SENT", deliveredAt: null });
    await connected.answer(request, null);
    const command = await read(device, body.commandId);
    expect(command).toMatchObject({ status: "SUCCESSFUL", response: null });
    expect(command.deliveredAt).not.toBeNull();
    await connected.client.endAsync();
  });

  const failures: [unknown, string][] = [
    [{ error: "valve is stuck" }, "valve is stuck"],
    [{ error: { code: 7 } }, '{"code":7}'],
    [{ success: false, message: "no power" }, "no power"],
    [{ success: false }, "The device reports a failure."],
  ];
  for (const [answer, error] of failures)
    test(`fails when the device answers ${JSON.stringify(answer)}`, async () => {
      const device = await fixture.createDevice(owner);
      const connected = await Connected.connect(device);
      const { body } = await send(device, { method: "open" });
      await connected.answer(await connected.next(), answer);
      expect(await read(device, body.commandId)).toMatchObject({ status: "FAILED", error, response: answer });
      await connected.client.endAsync();
    });

  test("waits for a device that is away, and reaches it once, in order, when it comes", async () => {
    const device = await fixture.createDevice(owner);
    const first = await send(device, { method: "first" });
    const second = await send(device, { method: "second" });
    expect([first.body.status, second.body.status]).toEqual(["QUEUED", "QUEUED"]);
    const connected = await Connected.connect(device);
    expect([json(await connected.next()).method, json(await connected.next()).method]).toEqual([
      "first",
      "second",
    ]);
    await reached(device, second.body.commandId, "DELIVERED");
    await connected.client.endAsync();
    const again = await Connected.connect(device);
    await send(device, { method: "third" });
    expect(json(await again.next()).method).toBe("third");
    expect(again.waiting).toBe(0);
    await again.client.endAsync();
  });

  test("is delivered together with many others that were queued", async () => {
    const device = await fixture.createDevice(owner);
    const methods = Array.from({ length: 150 }, (_, index) => `step${index}`);
    for (const method of methods) expect((await send(device, { method })).status).toBe(201);
    const connected = await Connected.connect(device);
    const got: string[] = [];
    for (const _ of methods) got.push(json(await connected.next()).method);
    expect(got).toEqual(methods);
    await connected.client.endAsync();
  });

  test.each([undefined, "durable"])(
    "is sent again when a connection breaks before its acknowledgement, session %p",
    async (session) => {
      const device = await fixture.createDevice(owner);
      // A session keeps nothing of QoS 0.
      const options = {
        version: 4,
        qos: 0,
        ...(session === undefined ? {} : { session: `${session} ${device.deviceId}` }),
      } as const;
      const connected = await Connected.connect(device, options);
      const { body } = await send(device, { method: "once more" });
      await connected.next();
      connected.client.stream.destroy();
      await reached(device, body.commandId, "QUEUED");
      const again = await Connected.connect(device);
      const request = await again.next();
      await again.answer(request, {});
      expect(await read(device, body.commandId)).toMatchObject({ status: "SUCCESSFUL", attempts: 2 });
      await again.client.endAsync();
    },
  );

  test("cannot be answered by another device, and the attempt is refused and listed", async () => {
    const device = await fixture.createDevice(owner);
    const other = await fixture.createDevice(owner);
    const connected = await Connected.connect(device);
    const { body } = await send(device, { method: "mine" });
    const request = await connected.next();
    const stranger = await Connected.connect(other);
    const refusal = (await stranger.answer(request, { stolen: true }).catch((error) => error)) as {
      code: number;
    };
    expect(refusal.code).toBeGreaterThanOrEqual(0x80);
    expect((await read(device, body.commandId)).status).not.toBe("SUCCESSFUL");
    const listed = await fixture.call("GET", `/api/devices/${other.deviceId}/rejections`, { token: owner });
    expect(listed.body[0]).toMatchObject({ code: "command.not_sent" });
    await connected.client.endAsync();
    await stranger.client.endAsync();
  });
});

describe("time and restarts", () => {
  test("a command without an answer is retried as often as requested, then times out; a late answer still counts", async () => {
    const clock = new FakeClock();
    const app = await createTestApp({ clock });
    const { token } = await app.signIn("TENANT_OWNER");
    const device = await app.createDevice(token);
    const connected = await Connected.connect(device, { qos: 0, port: app.app.mqttPort });
    const body = { method: "slow", retries: 2, retryIntervalMs: 1_000 };
    const { commandId } = (await send(device, body, { app, token })).body;
    const requests = [await connected.next()];
    for (let attempt = 2; attempt <= 3; attempt++) {
      clock.advance(1_000);
      requests.push(await connected.next());
    }
    expect(new Set(requests.map(({ topic }) => topic)).size).toBe(1);
    clock.advance(29_000);
    expect(await read(device, commandId, app, token)).toMatchObject({ status: "SENT", attempts: 3 });
    clock.advance(1_000);
    expect(await read(device, commandId, app, token)).toMatchObject({
      status: "TIMEOUT",
      error: "The device did not answer within 30000 ms.",
      errorText: { code: "command_error.no_response_within", params: { ms: 30_000 } },
    });
    await connected.answer(requests[0]!, { late: true });
    expect(await read(device, commandId, app, token)).toMatchObject({
      status: "SUCCESSFUL",
      response: { late: true },
      error: null,
    });
    await connected.client.endAsync();
    await app.stop();
  });

  test("a command that nobody fetches expires, also when the clock is set meanwhile", async () => {
    const clock = new FakeClock();
    const app = await createTestApp({ clock });
    const { token } = await app.signIn("TENANT_OWNER");
    const device = await app.createDevice(token);
    const { commandId } = (await send(device, { method: "m", expiresInMs: 60_000 }, { app, token })).body;
    clock.jump(365 * 86_400_000);
    clock.advance(59_000);
    expect(await read(device, commandId, app, token)).toMatchObject({ status: "QUEUED" });
    clock.advance(1_000);
    expect(await read(device, commandId, app, token)).toMatchObject({ status: "EXPIRED", attempts: 0 });
    await app.stop();
  });

  test("a restart delivers queued commands and sends those in flight again, with new numbers", async () => {
    const first = await createTestApp();
    const token = (await first.signIn("TENANT_OWNER")).token;
    const device = await first.createDevice(token);
    const connected = await Connected.connect(device, { qos: 0, port: first.app.mqttPort });
    const sent = await send(device, { method: "in progress" }, { app: first, token });
    const before = await connected.next();
    connected.client.stream.destroy();
    const queued = await send(device, { method: "waiting" }, { app: first, token });
    await first.app.stop();
    const second = await createTestApp({ directory: first.directory });
    const again = await Connected.connect(device, { port: second.app.mqttPort });
    const requests = [await again.next(), await again.next()];
    expect(requests.map((request) => json(request).method)).toEqual(["in progress", "waiting"]);
    expect(requests[0]?.topic).toBe(before.topic);
    for (const request of requests) await again.answer(request, {});
    for (const { body } of [sent, queued])
      expect(await read(device, body.commandId, second, token)).toMatchObject({ status: "SUCCESSFUL" });
    expect(again.waiting).toBe(0);
    await again.client.endAsync();
    await second.stop();
  });
});

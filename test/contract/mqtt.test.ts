import { afterAll, describe, expect, test } from "bun:test";
import { encode } from "cbor-x";
import { connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import { until } from "../support/until.ts";
import { createWorld } from "./client.ts";

const world = createWorld({
  prepare: async ({ need, ids }) => {
    const gate = await need("rw", "POST /api/devices", {
      name: "gate",
      deviceType: "gateway",
      role: "GATEWAY",
    });
    ids.gate = gate.deviceId;
    ids.gateToken = gate.credentials.token;
    await need("rw", "POST /api/devices/{device}/attributes", {
      scope: "SHARED",
      attributes: { c: 3, d: 4 },
    });
  },
});
const clients: MqttClient[] = [];
afterAll(async () => {
  for (const client of clients) await client.endAsync(true);
});

type Answer = Record<string, unknown>;

interface Session {
  readonly client: MqttClient;
  readonly messages: Array<{ topic: string; body: unknown }>;
  /** The first message on a topic that begins so, taken out. */
  next(start: string): Promise<{ topic: string; body: unknown }>;
}

async function connect(
  username = world.ids.deviceToken ?? "",
  options: IClientOptions = {},
): Promise<Session> {
  const client = await connectAsync(`mqtt://127.0.0.1:${world.test.app.mqttPort}`, {
    username,
    reconnectPeriod: 0,
    ...options,
  });
  clients.push(client);
  const messages: Array<{ topic: string; body: unknown }> = [];
  client.on("message", (topic, text) => void messages.push({ topic, body: JSON.parse(text.toString()) }));
  return {
    client,
    messages,
    async next(start) {
      const find = () => messages.findIndex(({ topic }) => topic.startsWith(start));
      await until(() => find() >= 0, `a message on ${start}`);
      return messages.splice(find(), 1)[0]!;
    },
  };
}
const latest = async (device = "device") =>
  (await world.need("owner", `GET /api/devices/{${device}}/telemetry/latest`)).values;
/** The reason code with which a publish was refused, or 0. */
const publishCode = (client: MqttClient, topic: string, body: string): Promise<number> =>
  client.publishAsync(topic, body, { qos: 1 }).then(
    () => 0,
    (error: { code: number }) => error.code,
  );

describe("signing in", () => {
  for (const protocolVersion of [3, 4, 5] as const)
    test(`MQTT ${protocolVersion}: a device token as the user name`, async () => {
      const { client } = await connect(undefined, {
        protocolVersion,
        ...(protocolVersion === 3 && { protocolId: "MQIsdp" }),
      });
      expect(client.connected).toBe(true);
    });
  test("an empty client id is fine", async () => {
    expect((await connect(undefined, { clientId: "" })).client.connected).toBe(true);
  });
  for (const [protocolVersion, codes] of [
    [4, [4, 5]],
    [5, [0x86, 0x87]],
  ] as const)
    test(`MQTT ${protocolVersion}: a wrong token is refused with ${codes.join(" or ")}`, async () => {
      const refused = await connect("no-such-device-token", { protocolVersion }).then(
        () => 0,
        (error) => error.code,
      );
      expect(refused).toBeOneOf([...codes]);
    });
  test("nobody signs in without a user name", async () => {
    const refused = await connectAsync(`mqtt://127.0.0.1:${world.test.app.mqttPort}`, {
      reconnectPeriod: 0,
    }).then(
      () => 0,
      (error) => error.code,
    );
    expect(refused).toBeOneOf([4, 5]);
  });
  test("by WebSocket on the HTTP port", async () => {
    const client = await connectAsync(`${world.test.app.url.replace("http", "ws")}/mqtt`, {
      username: world.ids.deviceToken ?? "",
      reconnectPeriod: 0,
    });
    clients.push(client);
    await client.publishAsync("v1/devices/me/telemetry", '{"overWs":1}', { qos: 1 });
    expect((await latest()).overWs).toBe(1);
  });
});

describe("telemetry", () => {
  const ts = Date.now() - 60_000;
  const rows: ReadonlyArray<[name: string, topic: string, body: unknown, stored: object]> = [
    [
      "{k: v}",
      "v1/devices/me/telemetry",
      { m1: 1.5, m2: "x", m3: false, m4: { a: 1 } },
      { m1: 1.5, m2: "x", m3: false, m4: { a: 1 } },
    ],
    ["the short topic", "v2/t", { m5: 1 }, { m5: 1 }],
    ["{ts, values}", "v1/devices/me/telemetry", { ts, values: { m6: 1 } }, { m6: 1 }],
    ["{payload}", "v1/devices/me/telemetry", { payload: { m7: 1 } }, { m7: 1 }],
    ["a list", "v1/devices/me/telemetry", [{ ts, values: { m8: 1 } }, { m9: 2 }], { m8: 1, m9: 2 }],
  ];
  for (const qos of [0, 1, 2] as const)
    test(`QoS ${qos}`, async () => {
      const { client } = await connect();
      await client.publishAsync("v1/devices/me/telemetry", JSON.stringify({ [`qos${qos}`]: qos }), { qos });
      await until(async () => (await latest())[`qos${qos}`] === qos, "the value");
    });
  for (const [name, topic, body, stored] of rows)
    test(`${name} is stored when it is acknowledged`, async () => {
      const { client } = await connect();
      await client.publishAsync(topic, JSON.stringify(body), { qos: 1 });
      expect(await latest()).toMatchObject(stored);
    });
  test("CBOR is known by its first byte", async () => {
    const { client } = await connect();
    await client.publishAsync("v1/devices/me/telemetry", Buffer.from(encode({ cbor: 7 })), { qos: 1 });
    expect((await latest()).cbor).toBe(7);
  });
  for (const [name, topic, body, code] of [
    ["a malformed body", "v1/devices/me/telemetry", "{", 0x99],
    ["an unknown topic", "v1/devices/me/nonsense", "{}", 0x90],
    ["another device's topic", "v1/devices/other/telemetry", "{}", 0x90],
  ] as const) {
    test(`MQTT 5: ${name} is refused with ${code.toString(16)}, and the session stays`, async () => {
      const { client } = await connect(undefined, { protocolVersion: 5 });
      expect(await publishCode(client, topic, body)).toBe(code);
      expect(await publishCode(client, "v1/devices/me/telemetry", '{"after":5}')).toBe(0);
    });
    test(`MQTT 3.1.1: ${name} is acknowledged, and the session stays`, async () => {
      const { client } = await connect();
      expect(await publishCode(client, topic, body)).toBe(0);
      expect(await publishCode(client, "v1/devices/me/telemetry", '{"after":4}')).toBe(0);
    });
  }
});

describe("attributes", () => {
  test("client attributes are stored", async () => {
    const { client } = await connect();
    await client.publishAsync("v1/devices/me/attributes", '{"a":1,"b":"x"}', { qos: 1 });
    await client.publishAsync("v2/a", '{"e":5}', { qos: 1 });
    const list = await world.need("owner", "GET /api/devices/{device}/attributes?scope=CLIENT");
    expect(
      Object.fromEntries(list.map(({ key, value }: { key: string; value: unknown }) => [key, value])),
    ).toMatchObject({ a: 1, b: "x", e: 5 });
  });
  for (const [id, request, response] of [
    [1, { clientKeys: "a,b", sharedKeys: "c" }, { client: { a: 1, b: "x" }, shared: { c: 3 } }],
    [2, { sharedKeys: "d" }, { shared: { d: 4 } }],
    [3, { clientKeys: "a", sharedKeys: "nothing" }, { client: { a: 1 } }],
  ] as const)
    test(`the request ${JSON.stringify(request)} is answered`, async () => {
      const session = await connect();
      await session.client.subscribeAsync("v1/devices/me/attributes/response/+", { qos: 1 });
      await session.client.publishAsync(`v1/devices/me/attributes/request/${id}`, JSON.stringify(request), {
        qos: 1,
      });
      expect(await session.next("v1/")).toEqual({
        topic: `v1/devices/me/attributes/response/${id}`,
        body: response,
      });
    });
  for (const topic of ["v1/devices/me/attributes", "v2/a"])
    test(`a shared attribute is pushed on ${topic}, as is its deletion`, async () => {
      const session = await connect();
      await session.client.subscribeAsync(topic, { qos: 1 });
      await world.need("rw", "POST /api/devices/{device}/attributes", {
        scope: "SHARED",
        attributes: { pushed: topic },
      });
      expect(await session.next(topic)).toEqual({ topic, body: { pushed: topic } });
      await world.need("rw", "DELETE /api/devices/{device}/attributes/SHARED/pushed");
      expect(await session.next(topic)).toEqual({ topic, body: { deleted: ["pushed"] } });
    });
});

describe("commands", () => {
  for (const [request, response] of [
    ["v1/devices/me/rpc/request/", "v1/devices/me/rpc/response/"],
    ["v2/r/req/", "v1/devices/me/rpc/response/"],
  ])
    test(`come on ${request} with an integer id, and are answered`, async () => {
      const session = await connect();
      await session.client.subscribeAsync(`${request}+`, { qos: 1 });
      const { commandId } = await world.need("rw", "POST /api/devices/{device}/commands", {
        method: "blink",
        params: { n: 1 },
      });
      const { topic, body } = await session.next(request ?? "");
      expect(body).toMatchObject({ method: "blink", params: { n: 1 } });
      const id = topic.slice(request?.length);
      expect(id).toMatch(/^\d+$/);
      await session.client.publishAsync(`${response}${id}`, '{"ok":true}', { qos: 1 });
      await until(async () => {
        const list: Array<Record<string, string>> = await world.need(
          "rw",
          "GET /api/devices/{device}/commands",
        );
        return list.find((command) => command.commandId === commandId)?.status === "SUCCESSFUL";
      }, "SUCCESSFUL");
    });

  for (const [id, method, accepts] of [
    [
      11,
      "getSessionLimits",
      (body: Answer) =>
        Number(body.maxPayloadSize) > 0 &&
        Number(body.maxInflightMessages) > 0 &&
        typeof body.rateLimits === "object",
    ],
    [12, "getServerTime", (body: Answer) => JSON.stringify(body).match(/\d{13}/) !== null],
    [13, "makeCoffee", (body: Answer) => typeof body.error === "string"],
  ] as const)
    test(`the device's own request ${method} is answered`, async () => {
      const session = await connect();
      await session.client.subscribeAsync("v1/devices/me/rpc/response/+", { qos: 1 });
      await session.client.publishAsync(
        `v1/devices/me/rpc/request/${id}`,
        JSON.stringify({ method, params: {} }),
        { qos: 1 },
      );
      const { topic, body } = await session.next("v1/");
      expect(topic).toBe(`v1/devices/me/rpc/response/${id}`);
      expect(accepts(body as Answer)).toBe(true);
    });
});

describe("subscriptions", () => {
  for (const topic of [
    "#",
    "v1/devices/+/telemetry",
    "lineside/devices/+/telemetry",
    "v1/gateway/rpc/other",
    "$SYS/#",
  ])
    test(`a device may not subscribe to ${topic}`, async () => {
      const { client } = await connect();
      const [granted] = await client.subscribeAsync(topic).catch(() => [{ qos: 128 }]);
      expect(granted?.qos).toBe(128);
    });
  test("an application reads its tenant's devices with an API key", async () => {
    const { key } = await world.need("owner", "POST /api/api-keys", {
      name: "app",
      role: "TENANT_READ_ONLY",
    });
    const app = await connect("any", { password: key });
    await app.client.subscribeAsync("lineside/devices/+/telemetry", { qos: 1 });
    const { client } = await connect();
    await client.publishAsync("v1/devices/me/telemetry", '{"seen":1}', { qos: 1 });
    await until(
      () =>
        app.messages.some(
          ({ topic, body }) =>
            topic === `lineside/devices/${world.ids.device}/telemetry` &&
            JSON.stringify(body).includes('"seen":1'),
        ),
      "the feed",
    );
    await world.need("anonymous", "POST /api/v1/{foreignToken}/telemetry", { payload: { hidden: 1 } });
    expect(app.messages.some(({ topic }) => topic.includes(world.ids.foreign ?? "-"))).toBe(false);
  });
});

describe("gateways", () => {
  const child = async (name: string) => {
    const find = async (): Promise<Array<{ deviceId: string; name: string; deviceType: string }>> =>
      world.need("owner", "GET /api/devices/{gate}/children");
    await until(async () => (await find()).some((device) => device.name === name), name);
    return (await find()).find((device) => device.name === name)!;
  };
  test("make their children on first sight, with their type", async () => {
    const { client } = await connect(world.ids.gateToken);
    await client.publishAsync("v1/gateway/connect", '{"device":"A","type":"meter"}', { qos: 1 });
    expect((await child("A")).deviceType).toBe("meter");
  });
  test("send telemetry and attributes for them", async () => {
    const { client } = await connect(world.ids.gateToken);
    await client.publishAsync(
      "v1/gateway/telemetry",
      JSON.stringify({ A: [{ ts: Date.now() - 1000, values: { g1: 1 } }, { g2: 2 }], B: [{ g3: 3 }] }),
      { qos: 1 },
    );
    await client.publishAsync("v1/gateway/attributes", '{"A":{"model":"x"}}', { qos: 1 });
    world.ids.a = (await child("A")).deviceId;
    world.ids.b = (await child("B")).deviceId;
    expect(await latest("a")).toMatchObject({ g1: 1, g2: 2 });
    expect(await latest("b")).toMatchObject({ g3: 3 });
    const [model] = await world.need("owner", "GET /api/devices/{a}/attributes?scope=CLIENT");
    expect(model).toMatchObject({ key: "model", value: "x" });
  });
  test("lose nothing of the others to one bad child", async () => {
    const { client } = await connect(world.ids.gateToken);
    await client.publishAsync("v1/gateway/telemetry", JSON.stringify({ A: "bad", B: [{ g4: 4 }] }), {
      qos: 1,
    });
    expect(await latest("b")).toMatchObject({ g4: 4 });
    expect(client.connected).toBe(true);
  });
  test("get the attributes that they ask for", async () => {
    const session = await connect(world.ids.gateToken);
    await world.need("rw", "POST /api/devices/{a}/attributes", {
      scope: "SHARED",
      attributes: { limit: 5, mode: "x" },
    });
    await session.client.subscribeAsync("v1/gateway/attributes/response", { qos: 1 });
    await session.client.publishAsync(
      "v1/gateway/attributes/request",
      '{"id":1,"device":"A","client":false,"key":"limit"}',
      { qos: 1 },
    );
    expect((await session.next("v1/")).body).toEqual({ id: 1, device: "A", value: 5 });
    await session.client.publishAsync(
      "v1/gateway/attributes/request",
      '{"id":2,"device":"A","client":false,"keys":["limit","mode"]}',
      { qos: 1 },
    );
    expect((await session.next("v1/")).body).toEqual({ id: 2, device: "A", values: { limit: 5, mode: "x" } });
  });
  test("get pushed attributes and commands for their children", async () => {
    const session = await connect(world.ids.gateToken);
    await session.client.publishAsync("v1/gateway/connect", '{"device":"A"}', { qos: 1 });
    await session.client.subscribeAsync(["v1/gateway/attributes", "v1/gateway/rpc"], { qos: 1 });
    await world.need("rw", "POST /api/devices/{a}/attributes", { scope: "SHARED", attributes: { limit: 6 } });
    expect((await session.next("v1/gateway/attributes")).body).toEqual({ device: "A", data: { limit: 6 } });
    const { commandId } = await world.need("rw", "POST /api/devices/{a}/commands", {
      method: "open",
      params: { by: 1 },
    });
    const { body } = await session.next("v1/gateway/rpc");
    expect(body).toMatchObject({ device: "A", data: { method: "open", params: { by: 1 } } });
    const { data } = body as { data: { id: number } };
    expect(Number.isInteger(data.id)).toBe(true);
    await session.client.publishAsync(
      "v1/gateway/rpc",
      JSON.stringify({ device: "A", id: data.id, data: { ok: true } }),
      { qos: 1 },
    );
    await until(async () => {
      const list: Array<Record<string, string>> = await world.need("rw", "GET /api/devices/{a}/commands");
      return list.find((command) => command.commandId === commandId)?.status === "SUCCESSFUL";
    }, "SUCCESSFUL");
  });
  test("are gateways only by their role", async () => {
    const { client } = await connect(undefined, { protocolVersion: 5 });
    expect(await publishCode(client, "v1/gateway/telemetry", '{"X":[{"a":1}]}')).toBeGreaterThanOrEqual(0x80);
  });
});

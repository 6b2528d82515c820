// Requests of devices that their profile answers, and texts that become numbers.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

let fixture: TestApp;
let owner: string;
let profileId: string;
let device: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  profileId = (await fixture.call("POST", "/api/device-profiles", { token: owner, body: { name: "pumps" } }))
    .body.profileId;
  device = await fixture.createDevice(owner, { name: "Pump 7", profileId });
});
afterAll(() => fixture.stop());

const change = (body: object, token = owner) =>
  fixture.call("PATCH", `/api/device-profiles/${profileId}`, { token, body });
const ask = async (body: object, token = device.token) =>
  (await fixture.call("POST", `/api/v1/${token}/rpc`, { body })).body;
const script = (body: string) => `function transform({ method, params }, metadata) { ${body} }`;

describe("the rules of a profile", () => {
  test.each([
    ["a method of the gateway", [{ method: "getSessionLimits", reply: 1 }]],
    [
      "the same method twice",
      [
        { method: "a", reply: 1 },
        { method: "a", reply: 2 },
      ],
    ],
    ["neither a reply nor a script", [{ method: "a" }]],
    ["both", [{ method: "a", reply: 1, script: "1" }]],
    ["an empty method", [{ method: "", reply: 1 }]],
    ["33 of them", Array.from({ length: 33 }, (_, index) => ({ method: `m${index}`, reply: 1 }))],
    [
      "more than 32 KiB together",
      [1, 2].map((index) => ({ method: `m${index}`, script: "x".repeat(20_000) })),
    ],
  ])("with %s are refused", async (_, deviceRequests) => {
    expect((await change({ deviceRequests })).status).toBe(400);
  });

  test("are kept, replaced as a whole, and shown", async () => {
    const deviceRequests = [{ method: "getSetpoints", reply: { low: 1, high: [2, null] } }];
    expect((await change({ deviceRequests })).body.deviceRequests).toEqual(deviceRequests);
    const shown = await fixture.call("GET", `/api/device-profiles/${profileId}`, { token: owner });
    expect(shown.body.deviceRequests).toEqual(deviceRequests);
    expect((await change({ deviceRequests: [] })).body.deviceRequests).toEqual([]);
  });
});

describe("a request of a device", () => {
  test("gets the fixed reply, and a changed one at once", async () => {
    await change({
      deviceRequests: [
        { method: "getSetpoints", reply: { low: 1 } },
        { method: "getNothing", reply: null },
      ],
    });
    expect(await ask({ method: "getSetpoints" })).toEqual({ low: 1 });
    expect(await ask({ method: "getNothing" })).toBeNull();
    await change({ deviceRequests: [{ method: "getSetpoints", reply: { low: 2 } }] });
    expect(await ask({ method: "getSetpoints" })).toEqual({ low: 2 });
    expect(await ask({ method: "getNothing" })).toEqual({
      error: expect.stringMatching(/^There is no method getNothing\. The methods are: .*getSetpoints\.$/),
      errorText: {
        code: "request.method_unknown",
        params: { method: "getNothing", known: expect.arrayContaining(["getServerTime", "getSetpoints"]) },
      },
    });
  });

  test("is answered for its own profile alone", async () => {
    await change({ deviceRequests: [{ method: "getSetpoints", reply: 1 }] });
    const stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
    for (const other of [await fixture.createDevice(owner), await fixture.createDevice(stranger)])
      expect(await ask({ method: "getSetpoints" }, other.token)).toMatchObject({
        error:
          "There is no method getSetpoints. The methods are: getServerTime, getCurrentTime, getSessionLimits.",
      });
    expect((await change({ deviceRequests: [] }, stranger)).status).toBe(404);
  });

  test("is answered by a script with its parameters, its device, and what the device has", async () => {
    await fixture.call("POST", `/api/v1/${device.token}/attributes`, { body: { firmware: "1.2" } });
    await fixture.call("POST", `/api/devices/${device.deviceId}/attributes`, {
      token: owner,
      body: { scope: "SERVER", attributes: { secret: 1 } },
    });
    await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { temperature: 21.5 } });
    await change({
      deviceRequests: [
        {
          method: "sum",
          script: script(
            "const { attributes, telemetry, deviceName } = metadata; return { method, sum: params.a + params.b, deviceName, attributes, telemetry };",
          ),
        },
      ],
    });
    expect(await ask({ method: "sum", params: { a: 1, b: 2 } })).toEqual({
      method: "sum",
      sum: 3,
      deviceName: "Pump 7",
      attributes: { client: { firmware: "1.2" }, shared: {} },
      telemetry: { temperature: 21.5 },
    });
  });

  test.each([
    ["throws", script("throw new Error('broken pump');"), "broken pump"],
    ["is no JavaScript", "function transform( {", ""],
    ["has no function transform", "const a = 1;", "transform"],
    ["never ends", script("for (;;);"), ""],
    ["returns too much", script("return 'x'.repeat(70000);"), "64 KiB"],
  ])("hears an error when its script %s", async (_, source, part) => {
    await change({ deviceRequests: [{ method: "run", script: source }] });
    const response = await ask({ method: "run" });
    expect(Object.keys(response)).toEqual(["error", "errorText"]);
    expect(response.error).toContain(part);
  });

  test("gets null from a script that returns nothing", async () => {
    await change({ deviceRequests: [{ method: "run", script: script("") }] });
    expect(await ask({ method: "run" })).toBeNull();
  });

  test("over MQTT gets the answer of a script on the response topic, ten at once each one", async () => {
    await change({ deviceRequests: [{ method: "double", script: script("return params * 2;") }] });
    const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
      username: device.token,
      protocolVersion: 5,
      reconnectPeriod: 0,
    });
    const responses = new Map<string, unknown>();
    try {
      client.on("message", (topic, payload) => void responses.set(topic, JSON.parse(payload.toString())));
      await client.subscribeAsync("v1/devices/me/rpc/response/+", { qos: 1 });
      await Promise.all(
        Array.from({ length: 10 }, (_, id) =>
          client.publishAsync(
            `v1/devices/me/rpc/request/${id}`,
            JSON.stringify({ method: "double", params: id }),
            { qos: 1 },
          ),
        ),
      );
      await untilAnswer(
        async () => responses.size,
        (count) => count === 10,
      );
    } finally {
      await client.endAsync();
    }
    expect(responses.get("v1/devices/me/rpc/response/1")).toBe(2);
    for (const [topic, response] of responses) {
      const id = Number(topic.slice(topic.lastIndexOf("/") + 1));
      if (response !== id * 2)
        expect(response).toMatchObject({ error: expect.stringContaining("4 requests") });
    }
  });
});

describe("numeric text", () => {
  const latest = async (deviceId = device.deviceId) =>
    (await fixture.call("GET", `/api/devices/${deviceId}/telemetry/latest`, { token: owner })).body.values;
  const sent = {
    decimal: "21.5",
    negative: "-3",
    zero: "0",
    largest: "9007199254740991",
    beyond: "9007199254740993",
    leadingZero: "007",
    exponent: "1e3",
    comma: "21,5",
    plus: "+1",
    space: " 1",
    hexadecimal: "0x10",
    word: "Infinity",
    empty: "",
    nested: { a: "1" },
    number: 4,
  };
  const converted = { ...sent, decimal: 21.5, negative: -3, zero: 0, largest: 9007199254740991 };

  test("stays a text unless the profile says otherwise", async () => {
    await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: sent });
    expect(await latest()).toMatchObject(sent);
  });

  test("becomes a number over HTTP, in a batch, over MQTT and from a gateway, with the setting, at once", async () => {
    await change({ convertsNumericText: true });
    const body = sent;
    await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body });
    expect(await latest()).toMatchObject(converted);
    await fixture.call("POST", `/api/v1/${device.token}/telemetry/batch`, {
      body: { items: [{ telemetry: { batch: "5" } }] },
    });
    const gateway = await fixture.createDevice(owner, { role: "GATEWAY" });
    const child = await fixture.createDevice(owner, {
      name: "Meter",
      profileId,
      parentDeviceId: gateway.deviceId,
    });
    const publish = async (token: string, topic: string, message: object) => {
      const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, { username: token });
      await client.publishAsync(topic, JSON.stringify(message), { qos: 1 });
      await client.endAsync();
    };
    await publish(device.token, "v1/devices/me/telemetry", [
      { mqtt: "6.5" },
      { ts: Date.now(), values: { list: "7" } },
    ]);
    await publish(gateway.token, "v1/gateway/telemetry", { Meter: [sent] });
    expect(await latest()).toMatchObject({ batch: 5, mqtt: 6.5, list: 7 });
    expect(await latest(child.deviceId)).toEqual(converted);
    await change({ convertsNumericText: false });
    await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { mqtt: "8" } });
    expect(await latest()).toMatchObject({ mqtt: "8" });
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { decode, encode } from "cbor-x";
import { connectAsync, type MqttClient } from "mqtt";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const methods = ["getServerTime", "getCurrentTime", "getSessionLimits"];
const NO_METHOD = {
  error: `There is no method reboot. The methods are: ${methods.join(", ")}.`,
  errorText: { code: "request.method_unknown", params: { method: "reboot", known: methods } },
};
let fixture: TestApp;
let owner: string;
let device: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(owner);
  const path = `/api/devices/${device.deviceId}/attributes`;
  await fixture.call("POST", path, {
    token: owner,
    body: { scope: "SHARED", attributes: { setpoint: 21.5, mode: "eco", __proto__: 1 } },
  });
  await fixture.call("POST", path, { token: owner, body: { scope: "SERVER", attributes: { secret: 1 } } });
  await fixture.call("POST", `/api/v1/${device.token}/attributes`, { body: { firmware: "1.2", rssi: -70 } });
});
afterAll(() => fixture.stop());

const connect = (token = device.token, protocolVersion: 4 | 5 = 5): Promise<MqttClient> =>
  connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
    username: token,
    protocolVersion,
    reconnectPeriod: 0,
  });

/** Publishes a request and gives the body and topic of what comes back. */
async function ask(
  topic: string,
  body: unknown,
  options: { responseTopic?: string; version?: 4 | 5; token?: string; raw?: Buffer } = {},
): Promise<{ topic: string; payload: Buffer }> {
  const client = await connect(options.token, options.version);
  try {
    await client.subscribeAsync(options.responseTopic ?? topic.replace(/request\/.*/, "response/+"), {
      qos: 1,
    });
    const response = new Promise<{ topic: string; payload: Buffer }>((resolve) =>
      client.once("message", (from, payload) => resolve({ topic: from, payload })),
    );
    await client.publishAsync(topic, options.raw ?? JSON.stringify(body), { qos: 1 });
    return await response;
  } finally {
    await client.endAsync();
  }
}

const json = ({ payload }: { payload: Buffer }) => JSON.parse(payload.toString());
const attributes = "v1/devices/me/attributes/request/";

describe("a device asks for its attributes", () => {
  for (const version of [4, 5] as const)
    test(`by names, and only what exists comes back, version ${version}`, async () => {
      const response = await ask(
        `${attributes}7`,
        { clientKeys: "firmware, none", sharedKeys: "setpoint" },
        { version },
      );
      expect(response.topic).toBe("v1/devices/me/attributes/response/7");
      expect(json(response)).toEqual({ client: { firmware: "1.2" }, shared: { setpoint: 21.5 } });
    });

  test("all of its own and the shared ones without names, never those of the server", async () => {
    expect(json(await ask(`${attributes}4294967295`, {}))).toEqual({
      client: { firmware: "1.2", rssi: -70 },
      shared: { setpoint: 21.5, mode: "eco" },
    });
  });

  test("of one scope when only that is named, without an empty section", async () => {
    expect(json(await ask(`${attributes}1`, { sharedKeys: "mode" }))).toEqual({ shared: { mode: "eco" } });
    expect(json(await ask(`${attributes}2`, { clientKeys: "none", sharedKeys: "" }))).toEqual({});
  });

  test("by the short topics", async () => {
    const response = await ask("v2/a/req/9", { sharedKeys: "mode" }, { responseTopic: "v2/a/res/+" });
    expect(response.topic).toBe("v2/a/res/9");
    expect(json(response)).toEqual({ shared: { mode: "eco" } });
  });

  test("in CBOR where its profile says so", async () => {
    const profile = await fixture.call("POST", "/api/device-profiles", {
      token: owner,
      body: { name: "binary", payload: "CBOR" },
    });
    const binary = await fixture.createDevice(owner, { profileId: profile.body.profileId });
    await fixture.call("POST", `/api/devices/${binary.deviceId}/attributes`, {
      token: owner,
      body: { scope: "SHARED", attributes: { limit: 3 } },
    });
    const raw = Buffer.from(encode({ sharedKeys: "limit" }));
    const { payload } = await ask(`${attributes}3`, undefined, { token: binary.token, raw });
    expect(decode(payload)).toEqual({ shared: { limit: 3 } });
  });
});

describe("a device asks the gateway", () => {
  const rpc = "v1/devices/me/rpc/request/";

  test("for the limits of its session", async () => {
    expect(json(await ask(`${rpc}1`, { method: "getSessionLimits" }))).toEqual({
      maxPayloadSize: 66_560,
      maxInflightMessages: 1_024,
      rateLimits: { messages: "", telemetryMessages: "", telemetryDataPoints: "" },
    });
  });

  test("for the rate that the plan of its tenant lets through", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "limited", plan: "basic" });
    const limited = await fixture.createDevice(token);
    const plans = (await fixture.call("GET", "/api/plans")).body;
    const { messagesPerSecond } = plans.find(({ id }: { id: string }) => id === "basic").limits;
    const { rateLimits } = json(
      await ask(`${rpc}1`, { method: "getSessionLimits" }, { token: limited.token }),
    );
    expect(rateLimits.messages).toBe(messagesPerSecond === null ? "" : `${messagesPerSecond}:1`);
  });

  test("for the time", async () => {
    const before = Date.now();
    const { time } = json(await ask(`${rpc}2`, { method: "getServerTime", params: {} }));
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now());
  });

  test("for the time and its limits over HTTP", async () => {
    const post = (body: unknown, token = device.token) =>
      fixture.call("POST", `/api/v1/${token}/rpc`, { body });
    const before = Date.now();
    const { status, body } = await post({ method: "getCurrentTime" });
    expect(status).toBe(200);
    expect(body.time).toBeGreaterThanOrEqual(before);
    expect((await post({ method: "getSessionLimits", params: {} })).body.maxPayloadSize).toBeGreaterThan(0);
    expect((await post({ method: "reboot" })).body).toEqual(NO_METHOD);
    expect((await post({ params: 1 })).status).toBe(400);
    expect((await post({ method: "getCurrentTime" }, "wrong")).status).toBe(401);
  });

  test("for something that there is not, and hears so", async () => {
    expect(json(await ask(`${rpc}3`, { method: "reboot" }))).toEqual(NO_METHOD);
  });
});

describe("a request that cannot be answered", () => {
  const refused: [string, string, string][] = [
    ["body that is no JSON", `${attributes}1`, "{"],
    ["body that is no object", `${attributes}1`, "[1]"],
    ["list of keys that is no text", `${attributes}1`, '{"sharedKeys":["a"]}'],
    ["identifier that is no number", `${attributes}x`, "{}"],
    ["missing identifier", attributes, "{}"],
    ["missing method", "v1/devices/me/rpc/request/1", "{}"],
  ];
  for (const [name, topic, body] of refused)
    test(`for its ${name} is refused with 0x99, listed on the device, and costs no session`, async () => {
      const client = await connect();
      const refusal = await client.publishAsync(topic, body, { qos: 1 }).catch((error) => error);
      expect(refusal.code).toBe(0x99);
      await client.publishAsync("v1/devices/me/telemetry", '{"still":1}', { qos: 1 });
      await client.endAsync();
      const listed = await fixture.call("GET", `/api/devices/${device.deviceId}/rejections`, {
        token: owner,
      });
      expect(listed.body[0]).toMatchObject({ where: topic });
    });
});

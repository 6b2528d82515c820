import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync, type IClientOptions } from "mqtt";
import { GUESSES_BURST } from "../../src/platform/secrets/guess-budget.ts";
import { apiRows } from "../support/api-rows.ts";
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

const pathOf = (deviceId: string) => `/api/devices/${deviceId}/credentials`;
const set = (deviceId: string, body: unknown) =>
  fixture.call("PUT", pathOf(deviceId), { token: owner, body });
const detail = async (deviceId: string) =>
  (await fixture.call("GET", `/api/devices/${deviceId}`, { token: owner })).body;
const unique = () => crypto.randomUUID().slice(0, 13);

async function codeOf(options: IClientOptions): Promise<number> {
  try {
    const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
      reconnectPeriod: 0,
      protocolVersion: 5,
      ...options,
    });
    await client.publishAsync("v1/devices/me/telemetry", '{"signedIn":1}', { qos: 1 });
    await client.endAsync();
    return 0;
  } catch (error) {
    return (error as { code: number }).code;
  }
}

apiRows(
  () => fixture,
  [
    {
      name: "a reader is refused",
      request: () => ({ method: "GET", path: pathOf(device.deviceId), token: reader }),
      status: 403,
    },
    {
      name: "a reader may not set them",
      request: () => ({
        method: "PUT",
        path: pathOf(device.deviceId),
        token: reader,
        body: { type: "ACCESS_TOKEN" },
      }),
      status: 403,
    },
    ...[
      [{ type: "MQTT_BASIC" }, "without any name"],
      [{ type: "MQTT_BASIC", username: "u", password: "short" }, "with a short password"],
      [{ type: "MQTT_BASIC", username: "provision" }, "with the name of those who have none"],
      [{ type: "MQTT_BASIC", username: "a\nb" }, "with a control character"],
      [{ type: "MQTT_BASIC", username: "u", password: "lsk_something" }, "with a password like a key"],
      [{ type: "X509" }, "without a certificate"],
      [{ type: "X509", certificate: "x", fingerprint: "ab" }, "with both"],
      [{ type: "X509", fingerprint: "ab" }, "with a short fingerprint"],
      [
        { type: "X509", certificate: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----" },
        "broken",
      ],
      [{ type: "X509", certificate: "-----BEGIN PRIVATE KEY-----" }, "a private key"],
      [{ type: "ACCESS_TOKEN", token: "!MQTT_BASIC!x" }, "a token that stands for none"],
      [{ type: "SECRET" }, "of an unknown type"],
      [{}, "of no type"],
    ].map(([body, options]) => ({
      name: `credentials ${options} are refused`,
      request: () => ({ method: "PUT", path: pathOf(device.deviceId), token: owner, body }),
      status: 400,
      answer: "error" as const,
    })),
  ],
);
let reader: string;
beforeAll(async () => {
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
});

describe("user name and password", () => {
  test("let a device in that has both right; what else it tries gets 0x86, and 4 before MQTT 5", async () => {
    const { deviceId, token } = await fixture.createDevice(owner);
    const username = unique();
    const { status, body } = await set(deviceId, { type: "MQTT_BASIC", username });
    expect([status, body]).toEqual([200, { type: "MQTT_BASIC", username, password: expect.any(String) }]);
    expect(body.password.length).toBeGreaterThanOrEqual(24);
    expect(await codeOf({ username, password: body.password })).toBe(0);
    expect(await codeOf({ username, password: "wrong" })).toBe(0x86);
    expect(await codeOf({ username, password: "wrong", protocolVersion: 4 })).toBe(4);
    expect(await codeOf({ username })).toBe(0x86);
    expect(await codeOf({ username: token })).toBe(0x86);
    expect((await detail(deviceId)).credentials).toEqual({ type: "MQTT_BASIC" });
    const shown = await fixture.call("GET", pathOf(deviceId), { token: owner });
    expect(shown.body).toEqual({ type: "MQTT_BASIC", username });
  });

  test("that a person chose are kept as argon2id, and known again at once", async () => {
    const { deviceId } = await fixture.createDevice(owner);
    const username = unique();
    const { body } = await set(deviceId, { type: "MQTT_BASIC", username, password: "chosen by a person" });
    expect(body).toEqual({ type: "MQTT_BASIC", username });
    for (let index = 0; index < 3; index++)
      expect(await codeOf({ username, password: "chosen by a person" })).toBe(0);
    expect(await codeOf({ username, password: "chosen by nobody" })).toBe(0x86);
    expect(await codeOf({ username, password: "chosen by a person" })).toBe(0);
  });

  test("who guesses is put off by address, and the device still gets in", async () => {
    const { deviceId } = await fixture.createDevice(owner);
    const username = unique();
    await set(deviceId, { type: "MQTT_BASIC", username, password: "known to the device" });
    expect(await codeOf({ username, password: "known to the device" })).toBe(0);
    const codes: Array<number | undefined> = [];
    for (let guess = 0; guess < GUESSES_BURST; guess++)
      codes.push(await codeOf({ username, password: `guess ${guess}` }));
    expect(new Set(codes)).toEqual(new Set([0x86]));
    const more = Array.from({ length: 30 }, (_, guess) =>
      codeOf({ username, password: `guess ${GUESSES_BURST + guess}` }).then((code) => codes.push(code)),
    );
    await until(() => codes.includes(0x9f), "a refusal of what need not wait");
    // What is known to be wrong costs nothing, and neither does what is known to be right.
    expect(await codeOf({ username, password: "guess 1" })).toBe(0x86);
    expect(await codeOf({ username, password: "known to the device" })).toBe(0);
    await Promise.all(more);
  });

  test("may hang on the client id, alone or together with the user name", async () => {
    const alone = await fixture.createDevice(owner);
    const both = await fixture.createDevice(owner);
    const clientId = unique();
    const username = unique();
    const first = (await set(alone.deviceId, { type: "MQTT_BASIC", clientId })).body.password;
    const second = (await set(both.deviceId, { type: "MQTT_BASIC", clientId, username })).body.password;
    expect(await codeOf({ clientId, username: "whatever", password: first })).toBe(0);
    expect(await codeOf({ clientId, username, password: second })).toBe(0);
    // A name that several have is everybody's: the password decides.
    expect(await codeOf({ clientId, username, password: first })).toBe(0);
    expect(await codeOf({ clientId, username: "whatever", password: second })).toBe(0x86);
    expect(await codeOf({ clientId: "another", username, password: second })).toBe(0x86);
  });

  test("are one device's only", async () => {
    const [item, two] = [await fixture.createDevice(owner), await fixture.createDevice(owner)];
    const username = unique();
    await set(item.deviceId, { type: "MQTT_BASIC", username });
    expect((await set(two.deviceId, { type: "MQTT_BASIC", username })).status).toBe(409);
    expect((await set(item.deviceId, { type: "MQTT_BASIC", username })).status).toBe(200);
    await fixture.call("DELETE", `/api/devices/${item.deviceId}`, { token: owner });
    expect((await set(two.deviceId, { type: "MQTT_BASIC", username })).status).toBe(200);
  });
});

test("a change of credentials ends the sessions, the old ones and their place", async () => {
  const { deviceId, token } = await fixture.createDevice(owner);
  const username = unique();
  const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
    username: token,
    reconnectPeriod: 0,
    protocolVersion: 5,
  });
  const closed = new Promise<void>((resolve) => client.once("close", () => resolve()));
  const { body } = await set(deviceId, { type: "MQTT_BASIC", username });
  await closed;
  await client.endAsync(true);
  expect(await codeOf({ username, password: body.password })).toBe(0);
  const rotated = await fixture.call("POST", `${pathOf(deviceId)}/rotate`, { token: owner });
  expect(rotated.body).toEqual({ type: "MQTT_BASIC", username, password: expect.any(String) });
  expect(await codeOf({ username, password: body.password })).toBe(0x86);
  expect(await codeOf({ username, password: rotated.body.password })).toBe(0);
  const back = await set(deviceId, { type: "ACCESS_TOKEN" });
  expect(back.body).toEqual({ type: "ACCESS_TOKEN", token: expect.any(String) });
  expect(back.body.token).not.toBe(token);
  expect(await codeOf({ username, password: rotated.body.password })).toBe(0x86);
  expect(await codeOf({ username: token })).toBe(0x86);
  expect(await codeOf({ username: back.body.token })).toBe(0);
  expect((await detail(deviceId)).credentials).toEqual(back.body);
});

test("over HTTP a device without an access token cannot be reached", async () => {
  const { deviceId, token } = await fixture.createDevice(owner);
  await set(deviceId, { type: "MQTT_BASIC", username: unique() });
  expect((await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: { a: 1 } })).status).toBe(400);
});

test("a token may be chosen, and is one device's only", async () => {
  const [item, two] = [await fixture.createDevice(owner), await fixture.createDevice(owner)];
  const token = `chosen-${unique()}`;
  expect((await set(item.deviceId, { type: "ACCESS_TOKEN", token })).body).toEqual({
    type: "ACCESS_TOKEN",
    token,
  });
  expect((await set(two.deviceId, { type: "ACCESS_TOKEN", token })).status).toBe(409);
  expect((await set(item.deviceId, { type: "ACCESS_TOKEN", token })).status).toBe(200);
});

test("a certificate cannot be rotated, and the list of devices shows no text in place of a token", async () => {
  const { deviceId } = await fixture.createDevice(owner);
  const fingerprint = Array.from({ length: 32 }, (_, index) => (index + 16).toString(16).toUpperCase()).join(
    ":",
  );
  expect((await set(deviceId, { type: "X509", fingerprint })).body).toEqual({
    type: "X509",
    fingerprint: fingerprint.replaceAll(":", "").toLowerCase(),
    confirmed: false,
  });
  expect((await fixture.call("POST", `${pathOf(deviceId)}/rotate`, { token: owner })).status).toBe(409);
  const other = await fixture.createDevice(owner);
  expect((await set(other.deviceId, { type: "X509", fingerprint })).status).toBe(409);
  const csv = await fixture.call("GET", "/api/devices/bulk/export.csv", { token: owner });
  expect(csv.text).not.toContain("!X509!");
});

test("neither passwords nor tokens are in the audit log", async () => {
  const { deviceId, token } = await fixture.createDevice(owner);
  const username = unique();
  const { body } = await set(deviceId, { type: "MQTT_BASIC", username });
  const rotated = await fixture.call("POST", `${pathOf(deviceId)}/rotate`, { token: owner });
  const { text, body: entries } = await fixture.call("GET", "/api/audit", { token: owner });
  expect(entries[0]).toMatchObject({ action: "device.rotate_token" });
  expect(entries[1]).toMatchObject({ action: "device.set_credentials", targetId: deviceId });
  expect(text).toContain(username);
  for (const secret of [body.password, rotated.body.password, token]) expect(text).not.toContain(secret);
});

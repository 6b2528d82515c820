import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { newToken } from "../../src/modules/devices/device-building.ts";
import { isGuessableToken } from "../../src/modules/devices/guessable-token.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** Passwords and tokens that people choose for devices and MQTT clients. */

let fixture: TestApp;
let ours: string;
let theirs: string;

beforeAll(async () => {
  fixture = await createTestApp();
  ours = (await fixture.signIn("TENANT_OWNER")).token;
  theirs = (await fixture.signIn("TENANT_OWNER", { tenant: "two", plan: "basic" })).token;
});
afterAll(() => fixture.stop());

let count = 0;
const unique = () => `name-${++count}-${crypto.randomUUID().slice(0, 8)}`;

const createClient = (token: string, fields: Record<string, unknown>) =>
  fixture.call("POST", "/api/mqtt/clients", {
    token,
    body: { name: unique(), signIn: "PASSWORD", publish: ["#"], ...fields },
  });

test("a common password, or one like a name of its owner, is refused for devices and MQTT clients", async () => {
  const name = "Filling station";
  const device = await fixture.createDevice(ours, { name });
  const setPassword = (body: Record<string, unknown>) =>
    fixture.call("PUT", `/api/devices/${device.deviceId}/credentials`, {
      token: ours,
      body: { type: "MQTT_BASIC", ...body },
    });
  const guessable = [
    { username: unique(), password: "password" },
    { username: unique(), password: "Passw0rd!" },
    { username: unique(), password: "aaaaaaaaaa" },
    { username: unique(), password: "filling-station-1" },
    { username: "press-7-left", password: "press-7-left" },
    { clientId: "turbine-4711", password: "Turbine4711!" },
  ];
  for (const body of guessable)
    expect((await setPassword(body)).body).toMatchObject({ code: "credentials.password_weak" });
  const clients = [
    { username: "admin", password: "password" },
    { username: "press-8-left", password: "press-8-left" },
    { username: unique(), name, password: "fillingstation" },
  ];
  for (const fields of clients)
    expect((await createClient(ours, fields)).body).toMatchObject({ code: "mqtt_client.password_weak" });
  expect((await setPassword({ username: unique(), password: "chosen by a person" })).status).toBe(200);
  const client = await createClient(ours, { username: unique() });
  const changed = await fixture.call("PATCH", `/api/mqtt/clients/${client.body.mqttClientId}`, {
    token: ours,
    body: { password: "password" },
  });
  expect(changed.body).toMatchObject({ code: "mqtt_client.password_weak" });
});

test("a token that can be guessed is refused wherever it is chosen", async () => {
  const { deviceId } = await fixture.createDevice(ours);
  const guessable = [
    "SERIAL-0000000000012345",
    "SN-2024-00918273645546",
    "sensor-123456-in-the-hall",
    "qwertyuiop-qwertyuiop-qwertyuiop",
    "aabbccddeeaabbccddee",
    "00000000000000000001",
  ];
  for (const token of guessable) {
    const fields = { name: unique(), deviceType: "press", token };
    const created = await fixture.call("POST", "/api/devices", { token: theirs, body: fields });
    expect([token, created.status, created.body.code]).toEqual([token, 400, "device.token_weak"]);
    const imported = await fixture.call("POST", "/api/devices/bulk/validate", {
      token: theirs,
      body: { rows: [fields] },
    });
    expect(imported.body.errors).toMatchObject([{ row: 1, field: "token", code: "device.token_weak" }]);
    const set = await fixture.call("PUT", `/api/devices/${deviceId}/credentials`, {
      token: ours,
      body: { type: "ACCESS_TOKEN", token },
    });
    expect(set.body).toMatchObject({ code: "device.token_weak" });
  }
  const chosen = await fixture.call("PUT", `/api/devices/${deviceId}/credentials`, {
    token: ours,
    body: { type: "ACCESS_TOKEN", token: crypto.randomUUID() },
  });
  expect(chosen.status).toBe(200);
});

test("generated tokens are never guessable, and serial numbers with a word always are", () => {
  for (let n = 0; n < 2_000; n++) expect(isGuessableToken(newToken())).toBe(false);
  const word = fc.stringMatching(/^[A-Za-z]{0,8}$/);
  const number = fc.stringMatching(/^[0-9]{14,24}$/);
  fc.assert(
    fc.property(word, number, word, (before, digits, after) => {
      const token = `${before}-${digits}${after === "" ? "" : `-${after.slice(0, 4)}`}`;
      expect(isGuessableToken(token)).toBe(true);
    }),
  );
});

test("on a gateway with a single tenant any token may be chosen", async () => {
  const single = await createTestApp();
  try {
    const { token } = await single.signIn("TENANT_OWNER", { tenant: "host" });
    const body = { name: "Press", deviceType: "press", token: "SERIAL-0000000000012345" };
    expect((await single.call("POST", "/api/devices", { token, body })).status).toBe(201);
  } finally {
    await single.stop();
  }
});

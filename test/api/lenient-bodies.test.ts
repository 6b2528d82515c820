import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
const BODY = "{'temperature': 21.5, humidity: NaN,}\0";

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

async function deviceWith(payload: string) {
  const profile = { name: `profile ${payload}`, payload };
  const { body } = await fixture.call("POST", "/api/device-profiles", { token: owner, body: profile });
  return fixture.createDevice(owner, { profileId: body.profileId });
}

const send = (token: string) =>
  fixture.call("POST", `/api/v1/${token}/telemetry`, {
    raw: BODY,
    headers: { "content-type": "application/json" },
  });
const valuesOf = async (deviceId: string) =>
  (await fixture.call("POST", "/api/v1/telemetry/latest", { token: owner, body: { deviceIds: [deviceId] } }))
    .body[0].values;

test("a profile with lenient JSON takes common mistakes over HTTP and MQTT", async () => {
  const { deviceId, token } = await deviceWith("LENIENT_JSON");
  expect((await send(token)).status).toBe(200);
  expect(await valuesOf(deviceId)).toEqual({ temperature: 21.5 });
  const url = `mqtt://127.0.0.1:${fixture.app.mqttPort}`;
  const client = await connectAsync(url, { username: token, protocolVersion: 5, reconnectPeriod: 0 });
  await client.publishAsync("v1/devices/me/telemetry", "{pressure: 7,}", { qos: 1 });
  await client.endAsync();
  expect(await valuesOf(deviceId)).toEqual({ temperature: 21.5, pressure: 7 });
});

test("any other profile refuses them", async () => {
  const { token } = await deviceWith("JSON");
  const { status, body } = await send(token);
  expect([status, body.code]).toEqual([400, "body.nul_at_end"]);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

const send = (deviceId: string, body?: unknown, token = owner) =>
  fixture.call("POST", `/api/devices/${deviceId}/test-telemetry`, {
    token,
    ...(body === undefined ? {} : { body }),
  });
const latest = async (deviceId: string) =>
  (await fixture.call("GET", `/api/devices/${deviceId}/telemetry/latest`, { token: owner })).body.values;

for (const protocol of ["HTTP", "MQTT"])
  test(`a payload is stored as if the device had sent it over ${protocol}, and makes it active`, async () => {
    const { deviceId } = await fixture.createDevice(owner);
    const payload = { pressure: 3.5, state: "running", nested: { a: [1, null] }, __proto__: undefined };
    const response = await send(deviceId, { protocol, payload });
    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({ success: true, protocol, payload: { pressure: 3.5 } });
    expect(await latest(deviceId)).toEqual({ pressure: 3.5, state: "running", nested: { a: [1, null] } });
    const device = await fixture.call("GET", `/api/devices/${deviceId}`, { token: owner });
    expect(device.body.active).toBe(true);
  });

test("over MQTT it is told in what the device's profile reads", async () => {
  const profile = await fixture.call("POST", "/api/device-profiles", {
    token: owner,
    body: { name: "cbor test", payload: "CBOR" },
  });
  const { deviceId } = await fixture.createDevice(owner, { profileId: profile.body.profileId });
  expect((await send(deviceId, { protocol: "MQTT", payload: { a: 1 } })).status).toBe(201);
  expect(await latest(deviceId)).toEqual({ a: 1 });
});

test("without a payload, and without a body, a sample is made", async () => {
  const { deviceId } = await fixture.createDevice(owner);
  const apiResponse = await send(deviceId, {});
  expect(await latest(deviceId)).toEqual(apiResponse.body.payload);
  expect((await send(deviceId)).status).toBe(201);
});

test("what the device could not send is refused, as is who only reads", async () => {
  const { deviceId } = await fixture.createDevice(owner);
  for (const body of [{ payload: [1] }, { payload: "x" }, { payload: { "": 1 } }, { protocol: "CoAP" }])
    expect([body, (await send(deviceId, body)).status]).toEqual([body, 400]);
  const reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  expect((await send(deviceId, {}, reader)).status).toBe(403);
  expect(await latest(deviceId)).toEqual({});
});

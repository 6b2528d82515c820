// The devices that send the most, for the operators of the gateway.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const PATH = "/api/gateway/top-talkers";
let fixture: TestApp;
let operator: string;
let other: string;

beforeAll(async () => {
  fixture = await createTestApp({ host: "one", config: { device_messages_per_second: 1 } });
  operator = (await fixture.signIn("TENANT_OWNER")).token;
  other = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
});
afterAll(() => fixture.stop());

const top = async (query = "") => (await fixture.call("GET", `${PATH}${query}`, { token: operator })).body;

test("names the flooding device, and the one whose messages are rejected", async () => {
  const [steady, flooding] = [await fixture.createDevice(operator), await fixture.createDevice(other)];
  const send = (token: string, body: unknown) => fixture.call("POST", `/api/v1/${token}/telemetry`, { body });
  await send(steady.token, { temperature: 20, pressure: 2 });
  const statuses: number[] = [];
  for (let index = 0; index < 15; index++) statuses.push((await send(flooding.token, { t: index })).status);
  const rejected = statuses.filter((status) => status === 429).length;
  expect(rejected).toBeGreaterThan(0);
  const body = '{"t":0}'.length * 10 + '{"t":10}'.length * 5;
  expect(await top("?by=rejected")).toMatchObject([
    { deviceId: flooding.deviceId, tenantName: "two", messages: 15 - rejected, bytes: body, rejected },
  ]);
  expect(await top()).toMatchObject([
    { deviceId: flooding.deviceId },
    { deviceId: steady.deviceId, deviceName: expect.any(String), messages: 1, values: 2, rejected: 0 },
  ]);
  expect(await top("?limit=1&offset=1")).toMatchObject([{ deviceId: steady.deviceId }]);
});

test("is closed to other tenants and refuses an unknown measure", async () => {
  expect((await fixture.call("GET", PATH, { token: other })).status).toBe(403);
  expect((await fixture.call("GET", `${PATH}?by=noise`, { token: operator })).status).toBe(400);
});

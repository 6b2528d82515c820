// Key figures of the gateway for other tenants, where its operators allow that.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

const PATH = "/api/gateway/shared-device";
const MINUTE_MS = 60_000;
const clock = new FakeClock(Date.now());
let fixture: TestApp;
let operator: string;
let tenantId: string;
const tokens: string[] = [];

beforeAll(async () => {
  fixture = await createTestApp({ clock, readSpace: async () => ({ free: 40e9, total: 100e9 }) });
  operator = (await fixture.signIn("TENANT_OWNER", { tenant: "host" })).token;
  for (const tenant of ["allowed", "other"]) {
    const { token, user } = await fixture.signIn("TENANT_OWNER", { tenant });
    tokens.push(token);
    tenantId ??= user.tenantId as string;
    await fixture.createDevice(token);
  }
});
afterAll(() => fixture.stop());

const call = (method: string, path: string, token?: string, body?: unknown) =>
  fixture.call(method, path, { token, ...(body !== undefined && { body }) });
const allow = (tenantIds: string[]) => call("PUT", PATH, operator, { tenantIds });
async function gatewayDevice(token?: string) {
  const { body } = await call("GET", "/api/devices?search=This+gateway", token);
  return body[0];
}
/** Waits until the gateway has reported once. */
async function reported() {
  clock.advance(MINUTE_MS);
  const { deviceId } = await untilAnswer(
    () => gatewayDevice(operator),
    (device) => device !== undefined,
  );
  return deviceId;
}

test("nobody else sees anything of the gateway by default", async () => {
  await reported();
  for (const token of tokens) expect(await gatewayDevice(token)).toBeUndefined();
  const { body } = await call("GET", PATH, operator);
  expect(body.tenants.map(({ name, isAllowed }: never) => [name, isAllowed])).toEqual([
    ["allowed", false],
    ["other", false],
  ]);
});

test("a tenant that is not known, and the gateway's own, cannot be selected", async () => {
  expect((await allow(["nothing"])).status).toBe(404);
  const { body } = await call("GET", "/api/tenant/profile", operator);
  expect((await allow([body.tenantId])).status).toBe(409);
});

test("the users of a tenant that is allowed see harmless key figures, and no alarm rules", async () => {
  expect((await allow([tenantId])).body.tenants).toMatchObject([{ isAllowed: true }, { isAllowed: false }]);
  await reported();
  const device = await gatewayDevice(tokens[0]);
  expect(device).toMatchObject({ name: "This gateway", deviceType: "lineside-gateway" });
  expect(await gatewayDevice(tokens[1])).toBeUndefined();
  const { body } = await untilAnswer(
    () => call("GET", `/api/devices/${device.deviceId}/telemetry/latest`, tokens[0]),
    (response) => response.body.values !== undefined,
  );
  expect(body.values).toMatchObject({ disk_used_percent: 60, storage_refuses: false });
  const { keys } = (await call("GET", PATH, operator)).body;
  expect(Object.keys(body.values).filter((key) => !keys.includes(key))).toEqual([]);
  expect(Object.keys(body.values).filter((key) => /messages|values|db_mb|connections|_mb/.test(key))).toEqual(
    [],
  );
  const profiles = (await call("GET", "/api/device-profiles", tokens[0])).body;
  expect(profiles.find(({ name }: { name: string }) => name === "This gateway").alarmRules).toEqual([]);
});

test("a device that users have deleted comes back only when the tenant is allowed anew", async () => {
  const { deviceId } = await gatewayDevice(tokens[0]);
  await call("DELETE", `/api/devices/${deviceId}`, tokens[0]);
  await reported();
  expect(await gatewayDevice(tokens[0])).toBeUndefined();
  await allow([]);
  await allow([tenantId]);
  await reported();
  expect(await gatewayDevice(tokens[0])).toBeDefined();
});

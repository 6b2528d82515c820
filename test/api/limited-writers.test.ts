// Who sees only some devices changes nothing that concerns them all.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
const callers: Record<"user" | "API key", string> = { user: "", "API key": "" };
let profileId: string;

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  const { deviceId } = await fixture.createDevice(owner);
  callers.user = (await fixture.signIn("TENANT_ADMIN", { devices: [deviceId] })).token;
  const key = await fixture.call("POST", "/api/api-keys", {
    token: owner,
    body: { name: "line 1", role: "TENANT_ADMIN", hasGlobalDeviceAccess: false, deviceIds: [deviceId] },
  });
  expect([key.status, key.text]).toEqual([201, expect.any(String)]);
  callers["API key"] = key.body.key;
  const profile = await fixture.call("POST", "/api/device-profiles", {
    token: owner,
    body: { name: "spare" },
  });
  profileId = profile.body.profileId;
  const attribute = { key: "map", value: { zoom: 3 } };
  await fixture.call("POST", "/api/tenant-attributes", { token: owner, body: attribute });
});
afterAll(() => fixture.stop());

const writes: Array<[method: string, path: string, body: unknown]> = [
  ["POST", "/api/device-profiles", { name: "of mine" }],
  ["PATCH", "/api/device-profiles/:id", { retentionDays: 1 }],
  ["DELETE", "/api/device-profiles/:id", undefined],
  ["PUT", "/api/tenant/branding", { name: "Mine" }],
  ["PATCH", "/api/tenant/profile", { tenantName: "Mine" }],
  ["POST", "/api/tenant-attributes", { key: "map", value: {} }],
  ["DELETE", "/api/tenant-attributes/map", undefined],
  ["PATCH", "/api/notifications/settings", { language: "de" }],
  [
    "PATCH",
    "/api/alarms/escalation-settings",
    { level1To2Minutes: 1, level2To3Minutes: 1, stopOnAck: false, stopOnClear: false },
  ],
];

describe.each(["user", "API key"] as const)("by a caller (%s) that is limited to some devices", (kind) => {
  test.each(writes)("%s %s is refused", async (method, path, body) => {
    const response = await fixture.call(method, path.replace(":id", profileId), {
      token: callers[kind],
      body,
    });
    expect([response.status, response.body?.message]).toEqual([
      403,
      expect.stringMatching(/^Only users with access to all devices may /),
    ]);
  });

  test("reading is as before", async () => {
    for (const path of ["/api/device-profiles", "/api/tenant/branding", "/api/tenant-attributes/map"])
      expect((await fixture.call("GET", path, { token: callers[kind] })).status).toBe(200);
  });
});

const ofUsers: Array<[who: "admin" | "owner", method: string, path: string, body: unknown]> = [
  ["admin", "POST", "/api/tenant/integration/rotate-secret", {}],
  ["owner", "GET", "/api/outbox", undefined],
  ["owner", "DELETE", "/api/tenant", { tenantName: "one" }],
];

test.each(ofUsers)(
  "an %s who is limited to some devices is refused %s %s",
  async (who, method, path, body) => {
    const { deviceId } = await fixture.createDevice(owner);
    const role = who === "admin" ? "TENANT_ADMIN" : "TENANT_OWNER";
    const { token } = await fixture.signIn(role, { devices: [deviceId] });
    const response = await fixture.call(method, path, { token, body });
    expect([response.status, response.body?.message]).toEqual([
      403,
      expect.stringMatching(/^Only users with access to all devices may /),
    ]);
  },
);

test("API keys that see more are neither ended nor renamed, and their hidden devices are not told", async () => {
  const [hidden, granted] = [await fixture.createDevice(owner), await fixture.createDevice(owner)];
  const { token } = await fixture.signIn("TENANT_ADMIN", { devices: [granted.deviceId] });
  const apiResponse = await fixture.call("POST", "/api/api-keys", {
    token: owner,
    body: {
      name: "both",
      role: "TENANT_RW",
      hasGlobalDeviceAccess: false,
      deviceIds: [hidden.deviceId, granted.deviceId],
    },
  });
  const path = `/api/api-keys/${apiResponse.body.apiKeyId}`;
  expect((await fixture.call("PATCH", path, { token, body: { name: "mine" } })).status).toBe(403);
  expect((await fixture.call("DELETE", path, { token })).status).toBe(403);
  const { text } = await fixture.call("GET", "/api/api-keys", { token });
  expect(text).toContain(granted.deviceId);
  expect(text).not.toContain(hidden.deviceId);
});

test("the devices that another user was granted are told as far as the reader sees them", async () => {
  const [hidden, granted] = [await fixture.createDevice(owner), await fixture.createDevice(owner)];
  const { token } = await fixture.signIn("TENANT_ADMIN", { devices: [granted.deviceId] });
  await fixture.signIn("TENANT_RW", { devices: [hidden.deviceId, granted.deviceId] });
  const { text } = await fixture.call("GET", "/api/users", { token });
  expect(text).toContain(granted.deviceId);
  expect(text).not.toContain(hidden.deviceId);
});

test("who sees all devices may", async () => {
  const changed = await fixture.call("PATCH", `/api/device-profiles/${profileId}`, {
    token: owner,
    body: { retentionDays: 3 },
  });
  expect([changed.status, changed.body.retentionDays]).toEqual([200, 3]);
  expect((await fixture.call("DELETE", "/api/tenant-attributes/map", { token: owner })).status).toBe(200);
});

test.each(["user", "API key"] as const)(
  "a limited caller (%s) cannot make integrations find its device instead of another",
  async (kind) => {
    const devEui = kind === "user" ? "0102030405060708" : "0102030405060709";
    const call = (method: string, path: string, token: string, body?: unknown) =>
      fixture.call(method, path, { token, body });
    const { body: visible } = await call("GET", "/api/devices", callers[kind]);
    const { deviceId: own } = visible[0];
    const { deviceId: hidden } = await fixture.createDevice(owner, { lorawanDevEui: devEui });
    for (const key of ["integration.lorawan.dev_eui", "integration.external_id", "integration.address"]) {
      const body = { scope: "SERVER", attributes: { other: 1, [key]: devEui } };
      const refused = await call("POST", `/api/devices/${own}/attributes`, callers[kind], body);
      expect([key, refused.status, refused.body.message]).toEqual([
        key,
        403,
        "Only users with access to all devices may set attributes that link a device to an integration.",
      ]);
    }
    const others = { scope: "SERVER", attributes: { "integration line": 1 } };
    expect((await call("POST", `/api/devices/${own}/attributes`, callers[kind], others)).status).toBe(200);
    const { secret } = (await call("POST", "/api/tenant/integration/rotate-secret", owner)).body;
    const { body: tenant } = await call("GET", "/api/tenant/profile", owner);
    const uplink = await fixture.call("POST", "/api/v1/integrations/lorawan-a/telemetry", {
      headers: { "x-webhook-secret": secret, "x-tenant-id": tenant.tenantId },
      body: { deviceInfo: { devEui }, fPort: 1, data: "AQ==", object: { level: 7 } },
    });
    expect(uplink.status).toBe(200);
    const latest = (deviceId: string) => call("GET", `/api/devices/${deviceId}/telemetry/latest`, owner);
    expect((await latest(own)).body.values).toEqual({});
    expect((await latest(hidden)).body.values).toMatchObject({ level: 7 });
  },
);

test("a limited caller cannot take the name of another device, by which integrations find it", async () => {
  const { deviceId: own } = await fixture.createDevice(owner, { name: "press of the limited" });
  await fixture.createDevice(owner, { name: "press of others" });
  const { token } = await fixture.signIn("TENANT_RW", { devices: [own] });
  const rename = async (name: string, by: string) => {
    const { status, body } = await fixture.call("PATCH", `/api/devices/${own}`, {
      token: by,
      body: { name },
    });
    return [status, body.name ?? body.message];
  };
  expect(await rename("press of others", token)).toEqual([
    409,
    "Another device has this name. Only users with access to all devices can use a name twice.",
  ]);
  expect(await rename("press of the limited", token)).toEqual([200, "press of the limited"]);
  expect(await rename("press 9", token)).toEqual([200, "press 9"]);
  expect(await rename("press of others", owner)).toEqual([200, "press of others"]);
});

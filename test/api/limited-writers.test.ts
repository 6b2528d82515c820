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
];

describe.each(["user", "API key"] as const)("by a caller (%s) that is limited to some devices", (kind) => {
  test.each(writes)("%s %s is refused", async (method, path, body) => {
    const answer = await fixture.call(method, path.replace(":id", profileId), { token: callers[kind], body });
    expect([answer.status, answer.body?.message]).toEqual([
      403,
      expect.stringMatching(/^Only users with access to all devices may /),
    ]);
  });

  test("reading is as before", async () => {
    for (const path of ["/api/device-profiles", "/api/tenant/branding", "/api/tenant-attributes/map"])
      expect((await fixture.call("GET", path, { token: callers[kind] })).status).toBe(200);
  });
});

test("who sees all devices may", async () => {
  const changed = await fixture.call("PATCH", `/api/device-profiles/${profileId}`, {
    token: owner,
    body: { retentionDays: 3 },
  });
  expect([changed.status, changed.body.retentionDays]).toEqual([200, 3]);
  expect((await fixture.call("DELETE", "/api/tenant-attributes/map", { token: owner })).status).toBe(200);
});

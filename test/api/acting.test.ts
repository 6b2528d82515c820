import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Role } from "../../src/modules/users/users.types.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: Awaited<ReturnType<TestApp["signIn"]>>;
let deviceIds: string[];

beforeAll(async () => {
  fixture = await createTestApp();
  owner = await fixture.signIn("TENANT_OWNER");
  const devices = await Promise.all(
    ["a", "b"].map((name) => fixture.createDevice(owner.token, { name, assetId: `asset ${name}` })),
  );
  deviceIds = devices.map(({ deviceId }) => deviceId);
});
afterAll(() => fixture.stop());

async function actAs(targetUserId: string, token: string): Promise<string> {
  const { status, body } = await fixture.call("POST", "/api/auth/impersonate", {
    token,
    body: { targetUserId },
  });
  expect(status).toBe(200);
  return body.accessToken;
}
const patch = (token: string, userId: string, body: unknown) =>
  fixture.call("PATCH", `/api/users/${userId}`, { token, body });
const create = (token: string, body: object) =>
  fixture.call("POST", "/api/users", {
    token,
    body: { fullName: "New", role: "TENANT_RW", inviteDelivery: "MANUAL", ...body },
  });

describe("an administrator of one device who acts as one of all", () => {
  let limited: Awaited<ReturnType<TestApp["signIn"]>>;
  let colleague: Awaited<ReturnType<TestApp["signIn"]>>;
  let acting: string;
  beforeAll(async () => {
    limited = await fixture.signIn("TENANT_ADMIN", { devices: deviceIds.slice(0, 1) });
    colleague = await fixture.signIn("TENANT_ADMIN");
    acting = await actAs(colleague.user.userId, limited.token);
  });

  test("makes no API key, which would see everything", async () => {
    const response = await fixture.call("POST", "/api/api-keys", {
      token: acting,
      body: { name: "kept", role: "TENANT_RW" },
    });
    expect(response.status).toBe(403);
  });

  test("changes nobody's address: neither the colleague's nor a third one's", async () => {
    const third = await fixture.signIn("TENANT_RW", { devices: deviceIds.slice(0, 1) });
    for (const { userId } of [colleague.user, third.user]) {
      const response = await patch(acting, userId, { email: `mine-${userId}@there.example` });
      expect(response.status).toBe(403);
    }
  });

  test("changes of the colleague only what does no harm", async () => {
    const { userId } = colleague.user;
    for (const body of [
      { role: "TENANT_RW" },
      { hasGlobalDeviceAccess: false },
      { canAcknowledgeAlarms: true },
    ])
      expect((await patch(acting, userId, body)).status).toBe(403);
    expect((await patch(acting, userId, { fullName: "Carla" })).status).toBe(200);
  });

  test("changes, deletes and invites nobody who sees more than the administrator does", async () => {
    const other = await fixture.signIn("TENANT_RW");
    const path = `/api/users/${other.user.userId}`;
    expect((await patch(acting, other.user.userId, { status: "DISABLED" })).status).toBe(403);
    const invited = await fixture.call("POST", `${path}/invite/credentials`, { token: acting });
    expect(invited.status).toBe(403);
    expect((await fixture.call("DELETE", path, { token: acting })).status).toBe(403);
  });

  test("makes nobody who sees more: by devices, by an asset, by all assets", async () => {
    const reaches = [
      { hasGlobalDeviceAccess: true },
      { deviceIds },
      { assetIds: ["asset b"] },
      { deviceIds: [], hasGlobalAssetAccess: true },
    ];
    for (const [index, reach] of reaches.entries()) {
      const { status } = await create(acting, { email: `more${index}@one.example`, ...reach });
      expect([reach, status]).toEqual([reach, 403]);
    }
    const within = { email: "within@one.example", deviceIds: deviceIds.slice(0, 1) };
    expect((await create(acting, within)).status).toBe(201);
  });

  test("does not change the own user through the colleague", async () => {
    const { userId } = limited.user;
    const responses = [
      await patch(acting, userId, { hasGlobalDeviceAccess: true }),
      await patch(acting, userId, { role: "TENANT_RW" }),
      await patch(acting, userId, { fullName: "Lea" }),
      await fixture.call("POST", `/api/users/${userId}/invite/credentials`, { token: acting }),
      await fixture.call("DELETE", `/api/users/${userId}`, { token: acting }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  });
});

test("an owner of everything who acts as an administrator of an asset manages what that one may, and no more", async () => {
  const { user } = await fixture.signIn("TENANT_ADMIN", { devices: [] });
  await patch(owner.token, user.userId, { assetIds: ["asset a"] });
  const acting = await actAs(user.userId, owner.token);
  const of = (email: string, assetId: string, role: Role = "TENANT_RW") =>
    create(acting, { email, role, assetIds: [assetId] });
  expect((await of("a@one.example", "asset a")).status).toBe(201);
  expect((await of("b@one.example", "asset b")).status).toBe(403);
  expect((await of("c@one.example", "asset a", "TENANT_OWNER")).status).toBe(403);
});

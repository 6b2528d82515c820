import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { WebSocketClient } from "../support/websocket-client.ts";

let fixture: TestApp;
const clock = new FakeClock();
const tokens: Record<string, string> = {};
let deviceId = "";
let second = "";
let counter = 0;

beforeAll(async () => {
  fixture = await createTestApp({ clock });
  for (const role of ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"] as const)
    tokens[role] = (await fixture.signIn(role)).token;
  tokens.stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  deviceId = (await fixture.createDevice(tokens.TENANT_OWNER as string)).deviceId;
  second = (await fixture.createDevice(tokens.TENANT_OWNER as string)).deviceId;
});
afterAll(() => fixture.stop());

const keyBody = (fields: Record<string, unknown> = {}) => ({
  name: `key ${++counter}`,
  role: "TENANT_RW",
  ...fields,
});
const create = (fields: Record<string, unknown> = {}, token = tokens.TENANT_OWNER) =>
  fixture.call("POST", "/api/api-keys", { token, body: keyBody(fields) });

async function createKey(
  fields: Record<string, unknown> = {},
  token = tokens.TENANT_OWNER,
): Promise<{ apiKeyId: string; key: string }> {
  const response = await create(fields, token);
  expect([response.status, response.text]).toEqual([201, expect.any(String)]);
  return response.body;
}

async function changeUser(userId: string, body: unknown): Promise<void> {
  const response = await fixture.call("PATCH", `/api/users/${userId}`, { token: tokens.TENANT_OWNER, body });
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
}

const list = async (token = tokens.TENANT_OWNER) =>
  (await fixture.call("GET", "/api/api-keys", { token })).body as Array<Record<string, unknown>>;
const find = async (apiKeyId: string) => (await list()).find((apiKey) => apiKey.apiKeyId === apiKeyId);
const devicesBy = async (key: string) => {
  const response = await fixture.call("GET", "/api/devices", { token: key });
  return response.status === 200
    ? response.body.map((device: { deviceId: string }) => device.deviceId)
    : response.status;
};

describe("managing keys", () => {
  const operations = [
    { method: "GET", path: "/api/api-keys" },
    { method: "POST", path: "/api/api-keys" },
    { method: "PATCH", path: "/api/api-keys/some" },
    { method: "DELETE", path: "/api/api-keys/some" },
  ];
  apiRows(
    () => fixture,
    operations.flatMap(({ method, path }) => [
      {
        name: `${method} anonymous is 401 without a body`,
        request: () => ({ method, path }),
        status: 401,
        answer: "none" as const,
      },
      ...["TENANT_RW", "TENANT_READ_ONLY"].map((role) => ({
        name: `${method} as ${role} is 403`,
        request: () => ({
          method,
          path,
          token: tokens[role],
          ...(method === "GET" ? {} : { body: keyBody() }),
        }),
        status: 403,
        answer: "error" as const,
      })),
    ]),
  );

  const refused: Array<[string, number, Record<string, unknown>]> = [
    ["no name", 400, { name: undefined }],
    ["an empty name", 400, { name: " " }],
    ["a name of two lines", 400, { name: "a\nb" }],
    ["no role", 400, { role: undefined }],
    ["an unknown role", 400, { role: "TENANT_GOD" }],
    ["an expiry in the past", 400, { expiresAt: "2020-01-01T00:00:00Z" }],
    ["an expiry that is no time", 400, { expiresAt: "tomorrow" }],
    ["an expiry on a day that there is not", 400, { expiresAt: "2027-13-45" }],
    ["a device that there is not", 400, { deviceIds: ["nope"] }],
    ["no device at all", 400, { deviceIds: [] }],
  ];
  apiRows(
    () => fixture,
    refused.map(([subject, status, fields]) => ({
      name: `${subject} is ${status}`,
      request: () => ({
        method: "POST",
        path: "/api/api-keys",
        token: tokens.TENANT_OWNER,
        body: keyBody(fields),
      }),
      status,
      answer: "error" as const,
    })),
  );

  test("a key is shown once, and never again", async () => {
    const response = await create({
      name: "ERP",
      expiresAt: "2026-06-01T00:00:00+02:00",
      deviceIds: [deviceId],
    });
    expect(response.status).toBe(201);
    const { key, ...rest } = response.body;
    expect(key).toMatch(/^lsk_[0-9A-Za-z]{46}$/);
    expect(rest).toEqual({
      apiKeyId: expect.any(String),
      name: "ERP",
      hint: `${key.slice(0, 10)}…`,
      role: "TENANT_RW",
      status: "ACTIVE",
      hasGlobalDeviceAccess: false,
      deviceIds: [deviceId],
      createdBy: expect.any(String),
      createdByName: "TENANT_OWNER",
      createdAt: "2026-03-01T00:00:00.000Z",
      expiresAt: "2026-05-31T22:00:00.000Z",
      lastUsedAt: null,
    });
    expect(await find(rest.apiKeyId)).toEqual(rest);
    const kept = await Bun.file(`${fixture.directory}/lineside.db-wal`).text();
    expect(kept).toContain("ERP");
    expect(kept).not.toContain(key);
  });

  test("a name is one key's in the tenant, and may be changed", async () => {
    const { apiKeyId } = await createKey({ name: "taken" });
    const other = await createKey();
    expect((await create({ name: "taken" })).status).toBe(409);
    expect((await create({ name: "taken" }, tokens.stranger)).status).toBe(201);
    const rename = (name: string, id = other.apiKeyId, token = tokens.TENANT_OWNER) =>
      fixture.call("PATCH", `/api/api-keys/${id}`, { token, body: { name } });
    expect((await rename("taken")).status).toBe(409);
    expect((await rename("taken", apiKeyId)).status).toBe(200);
    expect((await rename("renamed")).body).toMatchObject({ name: "renamed", apiKeyId: other.apiKeyId });
    expect((await rename("stolen", apiKeyId, tokens.stranger)).status).toBe(404);
  });

  test("nobody makes a key above their own role, or for devices that they do not see", async () => {
    expect((await create({ role: "TENANT_OWNER" }, tokens.TENANT_ADMIN)).status).toBe(403);
    const limited = await fixture.signIn("TENANT_ADMIN", { devices: [deviceId] });
    expect((await create({ deviceIds: [second] }, limited.token)).status).toBe(400);
    const { key } = await createKey({}, limited.token);
    expect(await devicesBy(key)).toEqual([deviceId]);
  });

  test("a key manages neither keys nor users, and has no session", async () => {
    const { key, apiKeyId } = await createKey({ role: "TENANT_OWNER" });
    const call = (method: string, path: string, body?: unknown) =>
      fixture.call(method, path, { token: key, ...(body !== undefined && { body }) });
    const responses = await Promise.all([
      call("GET", "/api/api-keys"),
      call("POST", "/api/api-keys", keyBody()),
      call("DELETE", `/api/api-keys/${apiKeyId}`),
      call("POST", "/api/auth/refresh"),
      call("POST", "/api/auth/logout"),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    expect((await call("GET", "/api/auth/me")).body).toMatchObject({
      role: "TENANT_OWNER",
      fullName: expect.stringContaining("key "),
      onboardingRequired: false,
    });
  });
});

describe("a key at work", () => {
  test("does what its role allows, in its tenant", async () => {
    const writer = await createKey({ role: "TENANT_RW" });
    const reader = await createKey({ role: "TENANT_READ_ONLY" });
    const stranger = await createKey({}, tokens.stranger);
    expect(await devicesBy(reader.key)).toContain(deviceId);
    expect(await devicesBy(stranger.key)).toEqual([]);
    const rename = (token: string) =>
      fixture.call("PATCH", `/api/devices/${deviceId}`, { token, body: { label: "by key" } });
    expect((await rename(reader.key)).status).toBe(403);
    expect((await rename(stranger.key)).status).toBe(404);
    expect((await rename(writer.key)).status).toBe(200);
  });

  test("is refused when it is unknown, mistyped, expired or revoked, in the same words", async () => {
    const { key, apiKeyId } = await createKey({ expiresAt: new Date(clock.now() + 60_000).toISOString() });
    const revoked = await createKey();
    const refused = async (token: string) => {
      const response = await fixture.call("GET", "/api/devices", { token });
      expect([response.status, response.text]).toEqual([401, ""]);
    };
    await refused(`${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`);
    await refused("lsk_");
    await refused(`lsk_${"0".repeat(46)}`);
    expect(await devicesBy(key)).toContain(deviceId);
    clock.advance(60_000);
    await refused(key);
    expect(await find(apiKeyId)).toMatchObject({ status: "EXPIRED" });
    expect(await devicesBy(revoked.key)).toContain(deviceId);
    const remove = (token = tokens.TENANT_ADMIN) =>
      fixture.call("DELETE", `/api/api-keys/${revoked.apiKeyId}`, { token });
    expect((await remove(tokens.stranger)).status).toBe(404);
    expect(await remove()).toMatchObject({ status: 200, body: { success: true } });
    await refused(revoked.key);
    expect((await remove()).status).toBe(404);
  });

  test("sees only the devices that it was given, in lists and one by one", async () => {
    const { key } = await createKey({ deviceIds: [second] });
    expect(await devicesBy(key)).toEqual([second]);
    expect((await fixture.call("GET", `/api/devices/${deviceId}`, { token: key })).status).toBe(404);
    expect((await fixture.call("GET", `/api/devices/${second}`, { token: key })).status).toBe(200);
  });

  test("never does more than its creator may at the moment, and stops with the creator", async () => {
    const { token, user } = await fixture.signIn("TENANT_ADMIN");
    const { key, apiKeyId } = await createKey({ role: "TENANT_ADMIN" }, token);
    const change = (fields: Record<string, unknown>) => changeUser(user.userId, fields);
    const role = async () => (await fixture.call("GET", "/api/auth/me", { token: key })).body?.role;
    expect(await role()).toBe("TENANT_ADMIN");
    await change({ role: "TENANT_READ_ONLY" });
    expect(await role()).toBe("TENANT_READ_ONLY");
    await change({ hasGlobalDeviceAccess: false, deviceIds: [second] });
    expect(await devicesBy(key)).toEqual([second]);
    await change({ status: "DISABLED" });
    expect(await devicesBy(key)).toBe(401);
    expect(await find(apiKeyId)).toMatchObject({ status: "STOPPED", role: "TENANT_ADMIN" });
    await change({ status: "ACTIVE" });
    expect(await devicesBy(key)).toEqual([second]);
    await fixture.call("DELETE", `/api/users/${user.userId}`, { token: tokens.TENANT_OWNER });
    expect(await devicesBy(key)).toBe(401);
    expect(await find(apiKeyId)).toMatchObject({ status: "STOPPED", createdByName: "" });
  });

  test("its streams end when it is revoked, when its creator is disabled, and when it expires", async () => {
    for (const way of ["revoked", "creator disabled", "expired"] as const) {
      const creator = await fixture.signIn("TENANT_ADMIN");
      const expiresAt = way === "expired" ? new Date(clock.now() + 60_000).toISOString() : null;
      const { key, apiKeyId } = await createKey({ expiresAt }, creator.token);
      const stream = await WebSocketClient.signIn(fixture.app.url, key);
      if (way === "revoked")
        await fixture.call("DELETE", `/api/api-keys/${apiKeyId}`, { token: creator.token });
      else if (way === "expired") {
        clock.advance(60_000);
        await fixture.call("GET", "/healthz"); // the check that is in progress comes to its end
        clock.advance(15_000);
      } else await changeUser(creator.user.userId, { status: "DISABLED" });
      expect([way, (await stream.closed).code]).toEqual([way, 4401]);
    }
  });

  test("its last use is kept, coarsely, and across a restart", async () => {
    const { key, apiKeyId } = await createKey();
    await devicesBy(key);
    const usedAt = new Date(clock.now()).toISOString();
    expect(await find(apiKeyId)).toMatchObject({ lastUsedAt: null });
    clock.advance(120_000);
    expect(await find(apiKeyId)).toMatchObject({ lastUsedAt: usedAt });
    clock.advance(1_000);
    await devicesBy(key);
    await fixture.app.stop();
    fixture = await createTestApp({ clock, directory: fixture.directory });
    expect(await find(apiKeyId)).toMatchObject({
      lastUsedAt: new Date(clock.now()).toISOString(),
      status: "ACTIVE",
    });
    expect(await devicesBy(key)).toContain(deviceId);
  });
});

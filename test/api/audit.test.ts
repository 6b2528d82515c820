import { describe, expect, test } from "bun:test";
import consoleTexts from "../../src/lib/texts/console.en.json";
import firstTexts from "../../src/lib/texts/first-screens.en.json";
import { createTestApp, PASSWORD } from "../support/test-app.ts";
import { entries, fixture, newest, owner, reader, useAudit } from "./audit-fixture.ts";

useAudit();

interface Operation {
  readonly "x-permission"?: string;
  readonly "x-audit"?: unknown;
}

/** Requests without a signed-in caller: of devices and databases' clients, of who signs in, of the setup. */
const withoutCaller =
  /^\/(idp|write$|query$|api\/v2\/write$|api\/setup|api\/shared|api\/v1\/(\{deviceToken\}|integrations\/|provision$)|api\/auth\/(exchange|signup|verify-otp|resend-otp))/;

test("every route that changes something says what the audit log keeps of it", async () => {
  const { body } = await fixture.call("GET", "/docs/json");
  const operations = Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method, path, ...operation })),
  );
  const changing = operations.filter(
    ({ method, path, "x-permission": permission }) =>
      method !== "get" && !withoutCaller.test(path) && !permission?.endsWith(":read"),
  );
  const named = (found: typeof operations) => found.map(({ method, path }) => `${method} ${path}`);
  expect(changing.length).toBeGreaterThan(20);
  expect(named(changing.filter((operation) => operation["x-audit"] === undefined))).toEqual([]);
  const reading = operations.filter(({ method }) => method === "get");
  expect(named(reading.filter((operation) => operation["x-audit"] !== undefined))).toEqual([]);
});

test("the console has words for everything that is recorded", async () => {
  const { body } = await fixture.call("GET", "/docs/json");
  const operations = Object.values(body.paths as Record<string, Record<string, Operation>>).flatMap(
    Object.values,
  );
  const recorded = operations.flatMap((operation) => {
    const audit = (operation as Operation)["x-audit"] as { action?: string } | undefined;
    return audit?.action === undefined ? [] : [audit.action];
  });
  expect(recorded.length).toBeGreaterThan(20);
  const without = [...recorded, "session.start", "tenant.plan", "user.reset_password"].filter(
    (action) => !Object.hasOwn({ ...firstTexts, ...consoleTexts }, `auditAction.${action}`),
  );
  expect(without).toEqual([]);
});

describe("an entry", () => {
  test("names the actor, the change, the time and the address", async () => {
    const { deviceId } = await fixture.createDevice(owner.token, { name: "Boiler", label: "old" });
    await fixture.call("PATCH", `/api/devices/${deviceId}`, {
      token: owner.token,
      body: { label: "new" },
      headers: { "user-agent": "a browser" },
    });
    const [changed, created] = await entries("?limit=2");
    expect(changed).toEqual({
      auditId: expect.any(String),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      actorType: "USER",
      actorId: owner.userId,
      actorName: owner.email,
      action: "device.update",
      outcome: "SUCCESS",
      targetType: "device",
      targetId: deviceId,
      targetName: "Boiler",
      address: "127.0.0.1",
      userAgent: "a browser",
      before: { label: "old" },
      after: { label: "new" },
    });
    expect(created).toMatchObject({
      action: "device.create",
      targetId: deviceId,
      after: { name: "Boiler", label: "old" },
    });
    expect(created).not.toHaveProperty("before");
    expect(Object.values(created?.after)).not.toContain(null);
  });

  test("of a deletion keeps the former values", async () => {
    const { deviceId } = await fixture.createDevice(owner.token, { name: "Scrap" });
    await fixture.call("DELETE", `/api/devices/${deviceId}`, { token: owner.token });
    const entry = await newest();
    expect(entry).toMatchObject({ action: "device.delete", targetName: "Scrap", before: { name: "Scrap" } });
    expect(entry).not.toHaveProperty("after");
  });

  test("never holds a password, token or key", async () => {
    const { deviceId, token } = await fixture.createDevice(owner.token);
    const rotated = await fixture.call("POST", `/api/devices/${deviceId}/credentials/rotate`, {
      token: owner.token,
    });
    const invited = await fixture.call("POST", "/api/users", {
      token: owner.token,
      body: { fullName: "Ida", email: "ida@one.example", role: "TENANT_RW", inviteDelivery: "MANUAL" },
    });
    const key = await fixture.call("POST", "/api/api-keys", {
      token: owner.token,
      body: { name: "script", role: "TENANT_RW" },
    });
    const { text } = await fixture.call("GET", "/api/audit/export?format=ndjson", { token: owner.token });
    expect(text).toContain("api_key.create");
    expect(text).toContain("device.rotate_token");
    for (const secret of [
      token,
      rotated.body.token,
      invited.body.temporaryPassword,
      key.body.key,
      PASSWORD,
    ]) {
      expect(secret.length).toBeGreaterThan(10);
      expect(text).not.toContain(secret);
    }
  });

  test("of attributes has the values of those that were set", async () => {
    const { deviceId } = await fixture.createDevice(owner.token);
    const set = (attributes: unknown) =>
      fixture.call("POST", `/api/devices/${deviceId}/attributes`, {
        token: owner.token,
        body: { scope: "SHARED", attributes },
      });
    await set({ target: 20, untouched: 1 });
    await set({ target: 21 });
    expect(await newest()).toMatchObject({
      action: "attributes.set",
      targetId: deviceId,
      before: { target: 20 },
      after: { target: 21 },
    });
    await fixture.call("DELETE", `/api/devices/${deviceId}/attributes/SHARED/target`, { token: owner.token });
    expect(await newest()).toMatchObject({ action: "attributes.delete", before: { target: 21 } });
  });

  test("of deleted telemetry has keys and range", async () => {
    const { deviceId } = await fixture.createDevice(owner.token);
    await fixture.call("DELETE", `/api/devices/${deviceId}/telemetry?keys=a,b&from=1000&to=2000`, {
      token: owner.token,
    });
    expect(await newest()).toMatchObject({
      action: "telemetry.delete",
      targetId: deviceId,
      after: { keys: "a,b", from: "1000", to: "2000" },
    });
  });

  test("of an API key's doing names the key", async () => {
    const { body: key } = await fixture.call("POST", "/api/api-keys", {
      token: owner.token,
      body: { name: "night shift script", role: "TENANT_RW" },
    });
    await fixture.call("POST", "/api/devices", {
      token: key.key,
      body: { name: "made by a key", deviceType: "sensor" },
    });
    expect(await newest()).toMatchObject({
      actorType: "API_KEY",
      actorId: key.apiKeyId,
      actorName: "night shift script",
      action: "device.create",
    });
  });

  test("is written once a minute for a forbidden call", async () => {
    const { deviceId } = await fixture.createDevice(owner.token);
    for (let attempt = 0; attempt < 3; attempt++)
      await fixture.call("DELETE", `/api/devices/${deviceId}`, { token: reader });
    const refused = await entries(`?targetId=${deviceId}&outcome=REFUSED`);
    expect(refused).toMatchObject([{ action: "device.delete", outcome: "REFUSED", actorType: "USER" }]);
  });

  test("is written neither for an invalid call nor for reading", async () => {
    const before = await newest();
    await fixture.call("POST", "/api/devices", { token: owner.token, body: { name: "" } });
    await fixture.call("PATCH", "/api/devices/nothing", { token: owner.token, body: { label: "x" } });
    await fixture.call("GET", "/api/devices", { token: owner.token });
    expect((await newest()).auditId).toBe(before.auditId);
  });

  test("of a large change says that it was truncated, and names its fields", async () => {
    const { deviceId } = await fixture.createDevice(owner.token);
    await fixture.call("POST", `/api/devices/${deviceId}/attributes`, {
      token: owner.token,
      body: { scope: "SHARED", attributes: { large: "x".repeat(20_000) } },
    });
    expect(await newest()).toMatchObject({ after: { truncated: true, fields: ["large"] } });
  });

  test("of a change made twice at once is there twice", async () => {
    const { deviceId } = await fixture.createDevice(owner.token, { label: "0" });
    const labels = ["1", "2", "3", "4"];
    await Promise.all(
      labels.map((label) =>
        fixture.call("PATCH", `/api/devices/${deviceId}`, { token: owner.token, body: { label } }),
      ),
    );
    const written = await entries(`?targetId=${deviceId}&action=device.update`);
    expect(written.map(({ after }) => after.label).sort()).toEqual(labels);
  });
});

describe("signing in", () => {
  const attempt = (email: string, password: string) =>
    fixture.call("POST", "/idp/authorize", {
      body: { email, password },
      headers: { "user-agent": "a browser" },
    });

  test("a sign-in is logged with its address", async () => {
    const { body } = await attempt(owner.email, PASSWORD);
    await fixture.call("POST", "/api/auth/exchange", {
      body: { code: body.code },
      headers: { "user-agent": "a browser" },
    });
    expect(await newest("?action=session.start")).toMatchObject({
      outcome: "SUCCESS",
      actorType: "USER",
      actorName: owner.email,
      address: "127.0.0.1",
      userAgent: "a browser",
    });
  });

  test("a wrong password is logged as failed, once a minute, and without the password", async () => {
    for (const password of ["wrong but long enough", "wrong again, long enough"])
      await attempt(owner.email, password);
    const failed = await entries("?outcome=FAILED");
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatchObject({
      action: "session.start",
      actorType: "ANONYMOUS",
      actorName: owner.email,
      targetType: "user",
      targetId: owner.userId,
      address: "127.0.0.1",
    });
    expect(JSON.stringify(failed)).not.toContain("long enough");
  });

  test("a password reset without a session is logged", async () => {
    const secret = fixture.app.services.provider.createResetSecret(owner.email);
    const other = "another long password 8";
    await fixture.app.services.account.resetPassword(secret ?? "", other, "en");
    const { body } = await attempt(owner.email, other);
    const signedIn = await fixture.call("POST", "/api/auth/exchange", { body: { code: body.code } });
    owner.token = signedIn.body.accessToken; // the reset has ended the session
    expect(await newest("?action=password.change")).toMatchObject({
      actorName: owner.email,
      targetId: owner.userId,
    });
  });

  test("a failed sign-in of an unknown person is shown to the gateway's own tenant only", async () => {
    await attempt("nobody@elsewhere.example", "wrong but long enough");
    expect(JSON.stringify(await entries("?limit=1000"))).not.toContain("nobody@elsewhere.example");
    const scope = { devices: "all" as const, isDevice: () => false, includesStrangers: true };
    const { tenantId } = fixture.app.services.users.findByEmail(owner.email) ?? {};
    const { items } = await fixture.app.services.audit.list(
      { ...scope, tenantId: tenantId as never },
      { search: "nobody@elsewhere" },
      { limit: 10 },
    );
    expect(items).toMatchObject([{ tenantId: null, outcome: "FAILED", targetId: null }]);
  });
});

test("the first owner of a gateway is logged", async () => {
  const fresh = await createTestApp();
  const { services } = fresh.app;
  const first = { email: "first@plant.example", password: PASSWORD, fullName: "First", tenantName: "Plant" };
  const token = services.setup.createLink();
  const response = await fresh.call("POST", "/api/setup", { body: { ...first, token } });
  expect(response.status).toBeLessThan(300);
  const { tenantId } = services.users.findByEmail(first.email) ?? {};
  const scope = {
    tenantId: tenantId as never,
    devices: "all" as const,
    isDevice: () => false,
    includesStrangers: false,
  };
  const { items } = await services.audit.list(scope, {}, { limit: 10 });
  expect(items.at(-1)).toMatchObject({
    action: "user.create",
    actorName: first.email,
    targetName: "First",
  });
  expect(JSON.stringify(items)).not.toContain(PASSWORD);
  await fresh.stop();
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TenantId } from "../../src/lib/core/ids.ts";
import type { StoredSecret } from "../../src/modules/connectivity/webhook-secrets.repository.ts";
import { createWebhookSecretsService } from "../../src/modules/connectivity/webhook-secrets.service.ts";
import { apiRows } from "../support/api-rows.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
let admin: string;
let writer: string;
let reader: string;
let stranger: string;

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  admin = (await fixture.signIn("TENANT_ADMIN")).token;
  writer = (await fixture.signIn("TENANT_RW")).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
});
afterAll(() => fixture.stop());

const path = "/api/tenant/integration";
const rotate = (token?: string, body?: unknown) => ({
  method: "POST" as const,
  path: `${path}/rotate-secret`,
  ...(token !== undefined && { token }),
  ...(body !== undefined && { body }),
});

describe("the webhook secret of a tenant", () => {
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous may not read: 401 without a body",
        request: () => ({ method: "GET", path }),
        status: 401,
        answer: "none",
      },
      {
        name: "anonymous may not rotate: 401 without a body",
        request: () => rotate(),
        status: 401,
        answer: "none",
      },
      { name: "a writer may not rotate", request: () => rotate(writer), status: 403, answer: "error" },
      { name: "a reader may not rotate", request: () => rotate(reader), status: 403, answer: "error" },
      {
        name: "keepOld that is no yes or no is 400",
        request: () => rotate(owner, { keepOld: "sometimes" }),
        status: 400,
        answer: "error",
      },
      {
        name: "a reader may see whether there is one",
        request: () => ({ method: "GET", path, token: reader }),
        status: 200,
      },
    ],
  );

  test("is told once, when an owner or administrator makes it, and each tenant has its own", async () => {
    const before = await fixture.call("GET", path, { token: owner });
    expect(before.body).toMatchObject({ hasSecret: false, secretUpdatedAt: null, oldSecretUntil: null });
    const apiResponse = await fixture.call("POST", `${path}/rotate-secret`, { token: owner });
    expect(apiResponse.status).toBe(201);
    expect(apiResponse.body.secret).toMatch(/^[\w-]{43}$/);
    const after = await fixture.call("GET", path, { token: reader });
    expect(after.body).toMatchObject({ hasSecret: true, secretUpdatedAt: apiResponse.body.secretUpdatedAt });
    expect(after.text).not.toContain(apiResponse.body.secret);
    const again = await fixture.call("POST", `${path}/rotate-secret`, {
      token: admin,
      body: { keepOld: true },
    });
    expect(again.body.secret).not.toBe(apiResponse.body.secret);
    expect(Date.parse(again.body.oldSecretUntil) - Date.parse(again.body.secretUpdatedAt)).toBe(600_000);
    expect((await fixture.call("GET", path, { token: stranger })).body.hasSecret).toBe(false);
    const audit = await fixture.call("GET", "/api/audit?action=webhook_secret.rotate", {
      token: owner,
    });
    const done = audit.body.filter(({ outcome }: { outcome: string }) => outcome === "SUCCESS");
    expect(done).toHaveLength(2);
    expect(audit.text).not.toContain(again.body.secret);
  });
});

test("a secret is good until the next one, or for ten minutes more where that was asked; no clock makes it longer", () => {
  const clock = new FakeClock();
  let kept: StoredSecret | undefined;
  const secrets = createWebhookSecretsService({
    repository: {
      find: () => kept,
      save(_, secret) {
        kept = secret;
      },
      forget: () => undefined,
    },
    clock,
  });
  const tenant = "tenant" as TenantId;
  expect(secrets.isValid(tenant, "")).toBe(false);
  const first = secrets.rotate(tenant, true).secret;
  expect(JSON.stringify(kept)).not.toContain(first);
  expect([secrets.isValid(tenant, first), secrets.isValid(tenant, `${first}x`)]).toEqual([true, false]);
  const second = secrets.rotate(tenant, true).secret;
  expect([secrets.isValid(tenant, first), secrets.isValid(tenant, second)]).toEqual([true, true]);
  clock.jump(-3_600_000);
  expect([secrets.isValid(tenant, first), secrets.isValid(tenant, second)]).toEqual([false, true]);
  clock.jump(3_600_000 + 600_000);
  expect([secrets.isValid(tenant, first), secrets.isValid(tenant, second)]).toEqual([false, true]);
  const third = secrets.rotate(tenant, false).secret;
  expect([secrets.isValid(tenant, second), secrets.isValid(tenant, third)]).toEqual([false, true]);
});

describe("the catalog's webhooks", () => {
  test.each([
    ["webhook", "HTTP"],
    ["lorawan-a", "CHIRPSTACK"],
    ["lorawan-b", "THE_THINGS_STACK"],
  ])("%s: its example stores a value, as it stands", async (id, type) => {
    const { token, user } = await fixture.signIn("TENANT_OWNER", { tenant: `example ${id}` });
    const call = async (method: string, time: string, body?: unknown) =>
      (await fixture.call(method, time, { token, body })).body;
    const settings_json = { autoCreateDevice: true };
    await call("POST", "/api/integrations", { name: "example", type, status: "active", settings_json });
    const { secret } = await call("POST", "/api/tenant/integration/rotate-secret", {});
    const { transports } = await call("GET", "/api/v1/connectivity/catalog");
    const { example, url } = transports.find((transport: { id: string }) => transport.id === id);
    const filled = example.replace("$SECRET", secret).replace("$TENANT", user.tenantId);
    const headers = [...filled.matchAll(/-H ["']([^:]+): ([^"']+)["']/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    const [, body] = /-d '([^']+)'/.exec(filled) ?? [];
    const [address] = /http:\/\/[^' ]+/.exec(filled) ?? [];
    expect(address).toStartWith(url);
    const response = await fetch(address ?? "", {
      method: "POST",
      headers: Object.fromEntries(headers),
      body: body ?? "",
    });
    expect([response.status, await response.json()]).toMatchObject([200, { success: true }]);
    const [device] = await call("GET", "/api/devices");
    const { values } = await call("GET", `/api/devices/${device.deviceId}/telemetry/latest`);
    expect(values).toMatchObject({ temperature: 21.5 });
  });
});

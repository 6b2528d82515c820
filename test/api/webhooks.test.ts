import { beforeEach, describe, expect, test } from "bun:test";
import { createTestApp } from "../support/test-app.ts";
import {
  api,
  eventsOf,
  fixture,
  integration,
  latestOf,
  post,
  secret,
  stranger,
  tenantId,
  token,
  uplink,
  useWebhooks,
} from "./webhooks-fixture.ts";

useWebhooks();

const profileOf = async (who: string) =>
  (await fixture.call("GET", "/api/tenant/integration", { token: who })).body;

describe("permissions to post", () => {
  const message = { externalDeviceId: "who", telemetry: { a: 1 } };
  test.each([
    ["the secret in its own header", { "x-webhook-secret": "S" }, 200],
    ["the secret as a bearer", { "x-webhook-secret": "", authorization: "Bearer S" }, 200],
    ["no secret", { "x-webhook-secret": "" }, 400],
    ["a wrong secret", { "x-webhook-secret": "wrong" }, 400],
    ["another tenant", { "x-webhook-secret": "S", "x-tenant-id": "no-such-tenant" }, 400],
  ] as const)("%s", async (_, headers, status) => {
    const id = await integration();
    const filled = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace(/S$/, secret)]),
    );
    const response = await post({ id, body: message, headers: filled });
    expect([response.status, response.body.success ?? response.body.statusCode]).toEqual([
      status,
      status === 200 ? true : 400,
    ]);
  });

  test("the tenant may stand in the query; without any it is said", async () => {
    await integration();
    const bare = { "x-tenant-id": "" };
    const byQuery = await fixture.call(
      "POST",
      `/api/v1/integrations/generic/telemetry?tenantId=${tenantId}`,
      {
        body: { deviceToken: (await fixture.createDevice(token)).token, telemetry: { a: 1 } },
        headers: { "x-webhook-secret": secret },
      },
    );
    expect(byQuery.status).toBe(200);
    const missing = await post({ body: message, headers: bare });
    expect([missing.status, missing.body.message]).toEqual([400, expect.stringContaining("x-tenant-id")]);
  });

  test("the body names the tenant to the generic address, together with the external id", async () => {
    await integration({ isDefault: true });
    const body = { externalDeviceId: "by body", tenantId, telemetry: { a: 1 } };
    const headers = { "x-tenant-id": "" };
    const taken = await post({ body, headers });
    expect([taken.status, taken.body.success]).toEqual([200, true]);
    expect(await latestOf("by body")).toEqual({ a: 1 });
    const elsewhere = { ...body, tenantId: (await profileOf(stranger)).tenantId };
    expect((await post({ body: elsewhere, headers })).status).toBe(400);
    expect((await post({ body, headers: { ...headers, "x-webhook-secret": "" } })).status).toBe(400);
    const lorawan = { ...uplink(), tenantId };
    expect((await post({ kind: "lorawan-a", body: lorawan, headers })).status).toBe(400);
    // The header decides where both name a tenant.
    expect((await post({ body: elsewhere })).status).toBe(200);
  });

  test("a device's own token stands for the secret with network servers, not with the generic address", async () => {
    const device = await fixture.createDevice(token);
    const none = { "x-webhook-secret": "", "x-tenant-id": tenantId };
    const body = { ...uplink(), deviceToken: device.token };
    expect((await post({ kind: "lorawan-a", query: "?event=up", body, headers: none })).status).toBe(200);
    const generic = await post({ body: { deviceToken: device.token, telemetry: { a: 1 } }, headers: none });
    expect(generic.status).toBe(400);
    const wrong = await post({
      kind: "lorawan-a",
      query: "?event=up",
      body: { ...body, deviceToken: "no" },
      headers: none,
    });
    expect(wrong.status).toBe(400);
  });

  test("another tenant's integration does not exist, and one of another kind neither", async () => {
    const id = await integration();
    const theirs = (await fixture.call("POST", "/api/tenant/integration/rotate-secret", { token: stranger }))
      .body;
    const profile = (await fixture.call("GET", "/api/tenant/integration", { token: stranger })).body;
    const headers = { "x-webhook-secret": theirs.secret, "x-tenant-id": profile.tenantId };
    expect((await post({ id, body: message, headers })).status).toBe(404);
    expect((await post({ id, kind: "lorawan-a", body: message })).status).toBe(404);
  });

  test("one that is not switched on takes nothing", async () => {
    const id = await integration({ status: "paused" });
    expect((await post({ id, body: message })).status).toBe(400);
    expect(await eventsOf(id)).toEqual([]);
  });
});

describe("bodies that cannot be read", () => {
  let id: string;
  beforeEach(async () => {
    id = await integration();
  });
  test.each([
    ["no JSON", "{", "application/json", 400],
    ["no content type that is known", "a=1", "text/plain", 400],
    ["nothing", "", "application/json", 400],
    ["too much", `{"externalDeviceId":"a","x":"${"y".repeat(300_000)}"}`, "application/json", 413],
    ["no device", '{"telemetry":{"a":1}}', "application/json", 400],
    ["no values", '{"externalDeviceId":"a"}', "application/json", 400],
    ["nothing in it", "{}", "application/json", 400],
    ["a value that is none", '{"externalDeviceId":"a","telemetry":{"a":1e999}}', "application/json", 400],
    ["a time to come", '{"externalDeviceId":"a","ts":99999999999999,"a":1}', "application/json", 400],
    [
      "nested too deeply",
      `{"externalDeviceId":"a","a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
      "application/json",
      400,
    ],
    ["an endless id", `{"externalDeviceId":"${"y".repeat(300)}","a":1}`, "application/json", 400],
  ] as const)("%s", async (_, raw, type, status) => {
    const response = await post({ id, raw, headers: { "content-type": type } });
    expect([response.status, response.body.statusCode]).toEqual([status, status]);
  });

  test("what is nested too deeply, or large, is still listed and read", async () => {
    const deep = `{"externalDeviceId":"a","a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    const headers = { "content-type": "application/json" };
    await post({ id, raw: deep, headers });
    const [event] = await eventsOf(id);
    expect(event).toMatchObject({
      status: "ERROR",
      stage: "adapter",
      message: expect.stringContaining("deep"),
    });
    expect(event.payload.length).toBeLessThan(10_000);
    const whole = await api("GET", `/api/integrations/${id}/events/${event.eventId}`);
    expect(whole.body.payload).toBe(deep);
    const base64 = Buffer.from(deep).toString("base64");
    const previewed = await api("POST", "/api/integrations/preview", { type: "HTTP", payloadBase64: base64 });
    expect([previewed.status, previewed.body.message]).toEqual([400, expect.stringContaining("deep")]);
  });

  test("what was refused with its secret right is listed with the stage, and can be worked on again", async () => {
    const paused = await integration({ settings_json: { autoCreateDevice: false } });
    const refused = await post({ id: paused, body: { externalDeviceId: "later", telemetry: { a: 5 } } });
    expect(refused.status).toBe(400);
    const [event] = await eventsOf(paused);
    expect(event).toMatchObject({
      status: "ERROR",
      stage: "resolution",
      replayable: true,
      payload: { externalDeviceId: "later" },
    });
    await api("PATCH", `/api/integrations/${paused}`, { settings_json: { autoCreateDevice: true } });
    const again = await api("POST", `/api/integrations/${paused}/events/${event.eventId}/replay`);
    expect([again.status, again.body.status]).toEqual([200, "OK"]);
    expect(await latestOf("later")).toEqual({ a: 5 });
    expect((await api("POST", `/api/integrations/${paused}/events/replay`)).body).toEqual({
      stored: 0,
      failed: 0,
    });
  });
});

test("the tenant's webhooks are listed: those of the kinds, and each integration's own", async () => {
  const id = await integration({ name: "listed", type: "CHIRPSTACK" });
  const { webhooks } = (await api("GET", "/api/tenant/integration")).body;
  expect(webhooks).toContainEqual({
    kind: "generic",
    url: `${fixture.app.url}/api/v1/integrations/generic/telemetry`,
  });
  const own = webhooks.find(({ integrationId }: { integrationId?: string }) => integrationId === id);
  expect(own).toMatchObject({ kind: "lorawan-a", name: "listed" });
  const response = await fetch(`${own.url}?event=up`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-webhook-secret": secret },
    body: JSON.stringify(uplink()),
  });
  expect(response.status).toBe(200);
});

test("wrong secrets from one address are limited, with the time to retry", async () => {
  const other = await createTestApp();
  const headers = { "x-tenant-id": tenantId, "x-webhook-secret": "guess" };
  const body = { externalDeviceId: "x", a: 1 };
  const statuses: number[] = [];
  for (let i = 0; i < 40; i++) {
    const response = await other.call("POST", "/api/v1/integrations/generic/telemetry", { headers, body });
    statuses.push(response.status);
    if (response.status === 429) expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  await other.stop();
  expect(new Set(statuses)).toEqual(new Set([400, 429]));
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

let fixture: TestApp;
let token: string;
let headers: Record<string, string>;

beforeAll(async () => {
  fixture = await createTestApp();
  const owner = await fixture.signIn("TENANT_OWNER");
  token = owner.token;
  const { secret } = (await call("POST", "/api/tenant/integration/rotate-secret")).body;
  headers = { "x-tenant-id": owner.user.tenantId ?? "", "x-webhook-secret": secret };
});
afterAll(() => fixture.stop());

const call = (method: string, path: string, body?: unknown) =>
  fixture.call(method, path, { token, ...(body !== undefined && { body }) });

const payloads = [
  { externalDeviceId: "press", ts: 1_700_000_000_000, telemetry: { a: 1, b: "x" } },
  { externalDeviceId: "press", ts: 1_700_000_000_000, telemetry: { a: { b: [1] }, ["k".repeat(600)]: 2 } },
  { externalDeviceId: "x".repeat(300), telemetry: { a: 1 } },
];
const mappings = [
  [],
  [{ type: "scale_keys", keys: ["a"], factor: 10 }],
  [{ type: "conditional_drop", condition: { key: "b", op: "EQ", value: "x" } }],
];
const sources = [
  undefined,
  "function transform() { return null; }",
  "function transform() { throw new Error('no'); }",
  "function transform(m, d) { return [{ values: { z: 1 }, ts: d.ts }, { values: { q: 1 }, ts: 'never' }]; }",
];

test("a preview shows what becomes of the same message", async () => {
  const seen = new Set<string>();
  for (const mappingSteps of mappings)
    for (const source of sources) {
      const settings_json = {
        autoCreateDevice: true,
        ...(source !== undefined && { scriptTransform: { enabled: true, source } }),
      };
      const integration = { type: "HTTP", settings_json, mappingSteps };
      const created = await call("POST", "/api/integrations", {
        ...integration,
        name: "n",
        status: "active",
      });
      const id = created.body.integrationId;
      for (const payload of payloads) {
        const previewed = (await call("POST", "/api/integrations/preview", { ...integration, payload })).body;
        await fixture.call("POST", `/api/v1/integrations/generic/${id}/telemetry`, {
          headers,
          body: payload,
        });
        const newest = async () => (await call("GET", `/api/integrations/${id}/events?limit=1`)).body[0];
        const event = await untilAnswer(newest, ({ status }) => status !== "PENDING");
        const result = typeof event.result === "string" ? JSON.parse(event.result) : event.result;
        const shown = previewed.results.map(({ readings: [first] }: { readings: unknown[] }) => first);
        const stored = result.stored.map(({ ts, telemetry }: { ts: number; telemetry: unknown }) => ({
          ts,
          values: telemetry,
        }));
        expect(stored).toEqual(shown);
        expect(event.status === "ERROR").toBe(!previewed.success);
        seen.add(`${event.status} ${event.stage}`);
      }
      await call("DELETE", `/api/integrations/${id}`);
    }
  // Each way that a message can end was among them.
  expect([...seen].sort()).toEqual([
    "DROPPED mapping",
    "DROPPED script",
    "ERROR ingest",
    "ERROR mapping",
    "ERROR resolution",
    "ERROR script",
    "OK ingest",
  ]);
});

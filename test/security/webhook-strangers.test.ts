import { afterEach, beforeEach, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let token: string;
beforeEach(async () => {
  fixture = await createTestApp();
  token = (await fixture.signIn("TENANT_OWNER")).token;
});
afterEach(() => fixture.stop());

const large = JSON.stringify({ deduplicationId: "x", log: "x".repeat(20_000) });
const post = async (path: string, raw: string, headers: Record<string, string> = {}) => {
  const { status } = await fixture.call("POST", `/api/v1/integrations/${path}`, {
    raw,
    headers: { "content-type": "application/json", ...headers },
  });
  return status;
};
const unknown = "lorawan-a/01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c71/telemetry";

test.each([
  ["cut off", unknown, large.slice(0, -1), {}],
  ["without a secret", unknown, large, {}],
  ["without a tenant", "generic/telemetry", large, { "x-webhook-secret": "guessed" }],
])("bodies of strangers that are %s are read 30 times only", async (_, path, raw, headers) => {
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 40; attempt++) statuses.push(await post(path, raw, headers));
  expect(statuses.slice(0, 30)).toEqual(Array(30).fill(400));
  expect(statuses.slice(32)).toEqual(Array(8).fill(429));
  // Short messages with a token of a device are still taken from the same address.
  const device = await fixture.createDevice(token);
  const settings = { name: "lora", type: "CHIRPSTACK", status: "active", settings_json: {} };
  await fixture.call("POST", "/api/integrations", { token, body: settings });
  const uplink = { deviceInfo: { devEui: "0102030405060708" }, fPort: 1, object: { t: 1 } };
  expect(await post("lorawan-a/telemetry", JSON.stringify({ ...uplink, deviceToken: device.token }))).toBe(
    200,
  );
});

test("a stranger does not learn which integrations exist", async () => {
  const settings = { name: "lora", type: "CHIRPSTACK", status: "active", settings_json: {} };
  const { body } = await fixture.call("POST", "/api/integrations", { token, body: settings });
  const responses = [`lorawan-a/${body.integrationId}/telemetry`, unknown].map((path) =>
    fixture.call("POST", `/api/v1/integrations/${path}`, { body: {} }),
  );
  const [known, other] = await Promise.all(responses);
  expect([other?.status, other?.body]).toEqual([400, known?.body]);
});

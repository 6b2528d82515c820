import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const LIMIT_BYTES = 64 * 1024;

let fixture: TestApp;
let owner: { token: string };
let device: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp();
  owner = await fixture.signIn("TENANT_OWNER");
  device = await fixture.createDevice(owner.token);
});
afterAll(() => fixture.stop());

const post = (body: unknown, kind = "telemetry/batch") =>
  fixture.call("POST", `/api/v1/${device.token}/${kind}`, { body });
const batch = (value: unknown) => ({ items: [{ ts: 1_700_000_000_000, telemetry: { log: value, a: 1 } }] });

test.each([
  ["a text", "x".repeat(LIMIT_BYTES + 1)],
  ["a text of characters that take three bytes each", "€".repeat(LIMIT_BYTES / 3 + 1)],
  ["an object", { text: "x".repeat(LIMIT_BYTES) }],
])("%s of more than 64 KiB is refused by name, in telemetry and in attributes", async (_, value) => {
  const refused = await post(batch(value));
  expect([refused.status, refused.body.message]).toEqual([413, 'the value of "log" is longer than 64 KiB']);
  const rejections = await fixture.call("GET", `/api/devices/${device.deviceId}/rejections`, {
    token: owner.token,
  });
  expect(rejections.body[0]).toMatchObject({ code: "telemetry.value_too_large", where: "/telemetry/batch" });
  expect((await post({ log: value }, "attributes")).status).toBe(400);
});

test("a text of just 64 KiB is stored as it is", async () => {
  const text = "x".repeat(LIMIT_BYTES);
  expect((await post(batch(text))).status).toBe(200);
  const { body } = await fixture.call("GET", `/api/devices/${device.deviceId}/telemetry/latest`, {
    token: owner.token,
  });
  expect(body.values.log).toBe(text);
});

test("an import lists the row and goes on with the others", async () => {
  const rows = [
    { ts: 1, log: "x".repeat(LIMIT_BYTES + 1) },
    { ts: 2, log: "short" },
  ];
  const { status, body } = await fixture.call("POST", `/api/devices/${device.deviceId}/telemetry/import`, {
    token: owner.token,
    raw: rows
      .map((row) => JSON.stringify({ ts: 1_700_000_000_000 + row.ts, values: { log: row.log } }))
      .join("\n"),
    headers: { "content-type": "application/x-ndjson" },
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ points: 1, failed: 1, errors: [{ row: 1 }] });
});

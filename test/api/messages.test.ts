import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let token: string;
beforeAll(async () => {
  fixture = await createTestApp();
  token = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

const rows: Array<[string, string, unknown, RegExp]> = [
  [
    "GET",
    "/api/devices?limit=many",
    undefined,
    /^query limit: must be a whole number from 1 to 10000 \(at most this many/,
  ],
  ["GET", "/api/devices?limit=0", undefined, /must be a whole number from 1 to 10000/],
  ["POST", "/api/devices", { deviceType: "t" }, /^name: is required \(1 to 256 characters in one line\)$/],
  [
    "POST",
    "/api/devices",
    { name: "x", deviceType: "t", role: "ROUTER" },
    /^role: must be one of: DEVICE, GATEWAY$/,
  ],
  [
    "POST",
    "/api/devices",
    { name: "x", deviceType: "t", inactivityTimeoutMs: "soon" },
    /^inactivityTimeoutMs: must be a whole number from 1000 to 31536000000 \(ms without a message after which the device is inactive; null: the profile decides\)$/,
  ],
  [
    "POST",
    "/api/devices",
    { name: 5, deviceType: "t" },
    /^name: must be a text \(1 to 256 characters in one line\)$/,
  ],
  [
    "POST",
    "/api/devices",
    { name: "x", deviceType: "t", tags: ["", "a"] },
    /^tags\.0: must be a text that is not empty \(1 to 64 characters in one line\)$/,
  ],
];

for (const [method, path, body, message] of rows)
  test(`${method} ${path} ${JSON.stringify(body) ?? ""} names the field and the rule`, async () => {
    const answer = await fixture.call(method, path, { token, ...(body === undefined ? {} : { body }) });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(message);
  });

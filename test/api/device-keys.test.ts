import { afterAll, beforeAll, describe, expect } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let reader: string;
let stranger: string;
let limited: string;
let device: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp();
  const owner = (await fixture.signIn("TENANT_OWNER")).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  device = await fixture.createDevice(owner);
  const other = await fixture.createDevice(owner);
  limited = (await fixture.signIn("TENANT_RW", { devices: [other.deviceId] })).token;
  await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1, b: 2, c: 3 } });
});
afterAll(() => fixture.stop());

describe("a person lists the keys of many devices", () => {
  const keys = (deviceIds: readonly string[], token: string | undefined) => ({
    method: "POST",
    path: "/api/v1/telemetry/keys?limit=2",
    token,
    body: { deviceIds },
  });
  apiRows(
    () => fixture,
    [
      { name: "anonymous", request: () => keys([device.deviceId], undefined), status: 401, answer: "none" },
      {
        name: "another tenant",
        request: () => keys([device.deviceId], stranger),
        status: 404,
        answer: "error",
      },
      {
        name: "without access",
        request: () => keys([device.deviceId], limited),
        status: 404,
        answer: "error",
      },
      {
        name: "too many",
        request: () => keys(Array(10_001).fill("d"), reader),
        status: 400,
        answer: "error",
      },
      {
        name: "a reader, each key once",
        request: () => keys([device.deviceId, device.deviceId], reader),
        status: 200,
        answer: ({ body, headers }) => {
          expect(body).toHaveLength(2);
          expect(Number(headers.get("x-total-count"))).toBeGreaterThan(2);
        },
      },
      {
        name: "of no device",
        request: () => keys([], reader),
        status: 200,
        answer: ({ body }) => expect(body).toEqual([]),
      },
    ],
  );
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { toErrorResponse } from "../../src/http/errors.ts";
import { createLogger } from "../../src/platform/core/log.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;

beforeAll(async () => {
  fixture = await createTestApp();
});
afterAll(() => fixture.stop());

test.each([
  ["GET", "/api/devices", 401],
  ["POST", "/api/auth/exchange", 400],
  ["POST", "/api/v1/unknown-token/telemetry", 400],
  ["PUT", "/api/devices", 404],
  ["GET", "/api/nothing", 404],
] as const)(
  "%s %s that fails carries the security headers and is kept by no cache",
  async (method, path, status) => {
    const response = await fetch(fixture.app.url + path, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("x-frame-options")).toBe("DENY");
    expect(response.headers.get("cache-control")).toBe("no-store");
  },
);

test("a client that leaves in the middle of its body writes nothing into the log", () => {
  const written: string[] = [];
  const write = (message: string) => void written.push(message);
  const log = { ...createLogger("test"), error: write, warn: write, info: write };
  const left = new DOMException("The connection was closed.", "AbortError");
  expect(toErrorResponse(left, { log }).status).toBe(400);
  expect(written).toEqual([]);
  expect(toErrorResponse(new Error("ours"), { log }).status).toBe(500);
  expect(written).toEqual(["request failed"]);
});

// What is kept for long, and many times over, may not be of any size: a list of it must fit in memory.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const LIMIT = 64 * 1024;
let fixture: TestApp;
let owner: string;
let device: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(owner);
});
afterAll(() => fixture.stop());

/** A body that does not say how long it is. */
const streamOf = (text: string) =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
/** Text that is so long as JSON. */
const textOf = (bytes: number) => "x".repeat(bytes - 2);
const atTime = (path: string) => `/api/devices/${device.deviceId}/${path}`;
const setBy = (attributes: unknown) =>
  fixture.call("POST", atTime("attributes"), { token: owner, body: { scope: "SHARED", attributes } });
const command = (body: unknown) => fixture.call("POST", atTime("commands"), { token: owner, body });

describe("the value of an attribute", () => {
  test("has at most 64 KiB, whoever sets it", async () => {
    const report = (body: unknown) => fixture.call("POST", `/api/v1/${device.token}/attributes`, { body });
    for (const set of [setBy, report]) {
      expect((await set({ fits: textOf(LIMIT) })).status).toBe(200);
      const response = await set({ small: 1, large: textOf(LIMIT + 1) });
      expect([response.status, response.body?.message]).toEqual([400, expect.stringContaining("64 KiB")]);
    }
    const kept = await fixture.call("GET", atTime("attributes/keys"), { token: owner });
    expect(kept.body).toContainEqual({ key: "fits" });
    expect(kept.body).not.toContainEqual({ key: "small" });
  });

  test("counts in bytes, not in characters", async () => {
    expect((await setBy({ a: "ä".repeat(LIMIT / 2) })).status).toBe(400);
  });
});

describe("the parameters of a command", () => {
  test("have at most 64 KiB, in whatever form they are given", async () => {
    const large = textOf(LIMIT + 1);
    expect((await command({ method: "m", params: textOf(LIMIT) })).status).toBe(201);
    for (const body of [
      { method: "m", params: large },
      { key: "k", value: large },
      { command: { method: "m", params: { large } } },
      { type: "t", params: large },
    ]) {
      const response = await command(body);
      expect([response.status, response.body?.message]).toEqual([400, expect.stringContaining("64 KiB")]);
    }
  });
});

describe("what anybody may send, signed in or not,", () => {
  test.each(["/api/auth/exchange", "/api/auth/refresh", "/idp/token"])(
    "is refused above 64 KiB before it is read: POST %s",
    async (path) => {
      const send = (raw: string) =>
        fixture.call("POST", path, { raw, headers: { "content-type": "application/json" } });
      const response = await send("[".repeat(LIMIT + 1));
      expect([response.status, response.body]).toEqual([413, expect.objectContaining({ statusCode: 413 })]);
      expect((await send("[".repeat(LIMIT))).status).not.toBe(413);
    },
  );

  test("is refused when it does not say how long it is", async () => {
    const body = streamOf('{"code":"x"}');
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${fixture.app.url}/api/auth/exchange`, { method: "POST", headers, body });
    expect(response.status).toBe(413);
  });
});

describe("a body of the API", () => {
  test("is refused above 1 MiB before it is read, and where it does not say how long it is", async () => {
    const headers = { "content-type": "application/json" };
    for (const path of [atTime("commands"), atTime("attributes"), "/api/scheduler", "/api/data-pipelines"]) {
      const large = await fixture.call("POST", path, {
        token: owner,
        headers,
        raw: "[".repeat(1024 * 1024 + 1),
      });
      expect([path, large.status]).toEqual([path, 413]);
      const unknown = await fixture.call("POST", path, {
        token: owner,
        headers,
        raw: streamOf("{}") as unknown as string,
      });
      expect([path, unknown.status]).toEqual([path, 413]);
    }
  });

  test("may be larger where whole lists and histories come in", async () => {
    const rows = Array.from({ length: 9_000 }, (_, index) => ({
      name: `device ${index} ${"x".repeat(120)}`,
      deviceType: "t",
    }));
    const response = await fixture.call("POST", "/api/devices/bulk/validate", {
      token: owner,
      body: { rows },
    });
    expect([response.status, response.body.total]).toEqual([201, 9_000]);
  });
});

test("a device has at most 2,000 attributes of a scope, and those that it has can be changed", async () => {
  const { token, deviceId } = await fixture.createDevice(owner);
  const report = (from: number, count: number, value = 1) =>
    fixture.call("POST", `/api/v1/${token}/attributes`, {
      body: Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${from + index}`, value])),
    });
  for (let from = 0; from < 2_000; from += 500) expect((await report(from, 500)).status).toBe(200);
  expect((await report(2_000, 1)).status).toBe(400);
  expect((await report(0, 500, 2)).status).toBe(200);
  const kept = await fixture.call("GET", `/api/devices/${deviceId}/attributes/keys?limit=10000`, {
    token: owner,
  });
  expect(kept.body).toHaveLength(2_000);
});

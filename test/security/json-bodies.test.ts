import { afterAll, beforeAll, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { describeIssue } from "../../src/http/validation-message.ts";
import { invalid } from "../../src/lib/core/domain-error.ts";
import { type JsonRoute, jsonRoutes } from "../support/json-routes.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** Every operation with a JSON body, called with bodies that no schema accepts. */

let fixture: TestApp;
let owner: string;
let routes: JsonRoute[];

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  routes = jsonRoutes(fixture);
});
afterAll(() => fixture.stop());

const send = async ({ method, path }: JsonRoute, raw: string | undefined, type = "application/json") => {
  const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
  const bytes = raw === undefined ? {} : { raw: new TextEncoder().encode(raw) };
  const response = await fixture.call(method, path.replaceAll(/:\w+/g, "unknown"), {
    token: owner,
    headers,
    ...bytes,
  });
  // What one call has taken is there for the next.
  const { lockId } = response.status === 200 && path.endsWith("/site-lock") ? response.body : {};
  if (lockId !== undefined) await fixture.call("DELETE", `${path}/${lockId}`, { token: owner });
  return response;
};

/** Fields of the first two levels, with the path to each. */
const fieldsOf = ({ schema }: JsonRoute): string[][] =>
  Object.entries((schema.properties ?? {}) as Record<string, { properties?: object }>).flatMap(
    ([name, inner]) => [[name], ...Object.keys(inner.properties ?? {}).map((nested) => [name, nested])],
  );

const nest = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight((inner: unknown, name) => ({ [name]: inner }), value);

test("there are operations with JSON bodies", () => {
  expect(routes.length).toBeGreaterThan(50);
});

test.each(["[]", '"x"', "5", "true", "null", "[{}]"])(
  "every operation refuses %s as its body",
  async (raw) => {
    const accepted: string[] = [];
    for (const route of routes) {
      if (Value.Check(route.schema, JSON.parse(raw))) continue;
      const { status } = await send(route, raw);
      if (status !== 400) accepted.push(`${route.method} ${route.path} → ${status}`);
    }
    expect(accepted).toEqual([]);
  },
);

test("no field of any operation answers a server error to an object that is no text", async () => {
  const failed: string[] = [];
  for (const route of routes)
    for (const field of fieldsOf(route))
      for (const value of [{ toString: 1 }, [{ toString: 1 }], { toString: 1, valueOf: 2 }]) {
        const { status } = await send(route, JSON.stringify(nest(field, value)));
        if (status >= 500 || status < 400) {
          // Objects of any content accept it, where nothing else is required.
          if (status < 400 && Value.Check(route.schema, nest(field, value))) continue;
          failed.push(`${route.method} ${route.path} ${field.join(".")} → ${status}`);
        }
      }
  expect(failed).toEqual([]);
});

test("a list, a text or a number in the place of an object is refused at every level", async () => {
  const accepted: string[] = [];
  for (const route of routes)
    for (const field of fieldsOf(route))
      for (const value of ["x", 5, []]) {
        const body = nest(field, value);
        if (Value.Check(route.schema, body)) continue;
        const { status } = await send(route, JSON.stringify(body));
        if (status !== 400)
          accepted.push(`${route.method} ${route.path} ${JSON.stringify(body)} → ${status}`);
      }
  expect(accepted).toEqual([]);
});

test.each([
  "text/plain",
  "application/xml",
  "application/merge-patch+json",
  "application/cbor",
  "nonsense",
  "",
])("every operation answers 415 to a body of the type %p", async (type) => {
  const wrong: string[] = [];
  for (const route of routes) {
    const { status } = await send(route, '{"name":"x"}', type);
    if (status !== 415) wrong.push(`${route.method} ${route.path} → ${status}`);
  }
  // The hosted sign-in page also posts forms; it reads its body itself.
  expect(wrong).toEqual([]);
});

test("a missing body counts as an empty object", async () => {
  const wrong: string[] = [];
  for (const route of routes)
    for (const [raw, type] of [
      [undefined, ""],
      ["", "application/json"],
      ["", "text/plain"],
    ] as const) {
      const missing = await send(route, raw, type);
      const empty = await send(route, "{}");
      // A new secret differs each time.
      if (missing.status !== empty.status || (empty.status >= 400 && missing.text !== empty.text))
        wrong.push(`${route.method} ${route.path} ${type} → ${missing.status}, not ${empty.status}`);
    }
  expect(wrong).toEqual([]);
});

test("numbers are sent as numbers", async () => {
  const { deviceId } = await fixture.createDevice(owner);
  for (const [method, path, body] of [
    ["PATCH", `/api/devices/${deviceId}`, { inactivityTimeoutMs: "60000" }],
    ["PATCH", "/api/notifications/settings", { digestAfter: "5" }],
    [
      "PATCH",
      "/api/alarms/escalation-settings",
      { level1To2Minutes: "5", level2To3Minutes: 5, stopOnAck: true, stopOnClear: true },
    ],
    [
      "POST",
      "/api/v1/telemetry/query",
      { deviceIds: [deviceId], keys: [], from: 0, to: 1, maxDataPoints: "5" },
    ],
    ["POST", `/api/devices/${deviceId}/commands`, { method: "a", retries: "2" }],
    ["POST", "/api/scheduler/preview-next", { schedule: { kind: "interval", everyMs: "60000" }, count: 1 }],
  ] as const) {
    const response = await fixture.call(method, path, { token: owner, body });
    expect([path, response.status]).toEqual([path, 400]);
  }
});

test("an error names a field of the sender by 40 printable characters at most", async () => {
  const { message } = invalid(
    "body.invalid",
    describeIssue({
      path: `/${"k".repeat(5_000)}\u0000/b`,
      message: "Expected string",
      value: 1,
      schema: { type: "string" },
    }),
  );
  expect(message).toBe(`\`${"k".repeat(40)}….b\` must be a string.`);
});

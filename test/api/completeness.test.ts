import { afterAll, beforeAll, expect, test } from "bun:test";
import { BODY_PATHS } from "../../src/http/http-app.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { type Ids, policies, withoutDevices } from "./route-policies.ts";
import { createTenantObjects } from "./tenant-objects.ts";

let fixture: TestApp;
let stranger: string;
let ungranted: string;
let ids: Ids;

beforeAll(async () => {
  fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1" } });
  const { token: owner, user } = await fixture.signIn("TENANT_OWNER");
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  const limited = await fixture.signIn("TENANT_RW", { devices: [] });
  ungranted = limited.token;
  await fixture.call("PATCH", `/api/users/${limited.user.userId}`, {
    token: owner,
    body: { canAcknowledgeAlarms: true },
  });
  ids = await createTenantObjects(fixture, { token: owner, user });
});
afterAll(() => fixture.stop());

const routesOf = () => fixture.app.http.routes.map(({ method, path }) => `${method} ${path}`);

/** Values of path parameters other than ids. */
const PARAMETERS: Record<string, string> = {
  rpcId: "1",
  scope: "SHARED",
  key: "secret_of_one",
  deviceType: "sensor",
  deviceToken: "not-a-token",
};

function urlOf(route: string, query: string | undefined): { method: string; path: string } {
  const [method = "", pattern = ""] = route.split(" ");
  const values: Record<string, string> = { ...PARAMETERS, ...ids };
  const path = pattern.replace(/:(\w+)/g, (parameter, name: string) => values[name] ?? parameter);
  return { method, path: query === undefined ? path : `${path}?${query}` };
}

test("every route has a policy, and every policy a route", () => {
  expect(routesOf().length).toBeGreaterThan(40);
  expect([...new Set(routesOf())].sort()).toEqual(Object.keys(policies).sort());
});

for (const [route, policy] of Object.entries(policies)) {
  if (policy.kind === "tenant")
    test(`${route}: another tenant's id is 404`, async () => {
      const { method, path } = urlOf(route, policy.query);
      const body = policy.body?.(ids);
      const response = await fixture.call(method, path, {
        token: stranger,
        ...(body === undefined ? {} : { body }),
      });
      expect(response.status).toBe(404);
      expect(response.body).toMatchObject({ statusCode: 404 });
    });
  if (policy.kind === "own")
    test(`${route}: shows nothing of another tenant`, async () => {
      const { method, path } = urlOf(route, policy.query);
      const response = await fixture.call(method, path, {
        token: stranger,
        ...(policy.body === undefined ? {} : { body: policy.body }),
      });
      expect(response.status).toBeLessThan(300);
      expect(response.text).not.toMatch(/kept apart|secret_of_one/);
      expect(response.text).not.toContain(ids.deviceId);
    });
  if (policy.kind === "operator")
    test(`${route}: another tenant's owner is 403`, async () => {
      const { method, path } = urlOf(route, policy.query);
      const { status, body } = await fixture.call(method, path, {
        token: stranger,
        ...(policy.body === undefined ? {} : { body: policy.body }),
      });
      expect([status, body.code]).toEqual([403, "gateway.operators_only"]);
    });
  const namesDevice =
    route.includes(":deviceId") ||
    route.includes("/alarms/") ||
    route.startsWith("POST /api/v1/telemetry/") ||
    route.includes("/scheduler") ||
    route.includes("/rule-chains");
  if (policy.kind === "tenant" && namesDevice)
    test(`${route}: a device that was not granted is 404`, async () => {
      const { method, path } = urlOf(route, policy.query);
      const body = policy.body?.(ids);
      const response = await fixture.call(method, path, {
        token: ungranted,
        ...(body === undefined ? {} : { body }),
      });
      expect(response.status).toBe(404);
      expect(response.text).not.toMatch(/kept apart|secret_of_one/);
    });
  if (route.startsWith("GET /api/") && policy.kind === "own")
    test(`${route}: shows nothing of a device that was not granted`, async () => {
      const { path } = urlOf(route, policy.query);
      const response = await fixture.call("GET", path, { token: ungranted });
      expect(response.text).not.toMatch(/kept apart|secret_of_one/);
      expect(response.text).not.toContain(ids.deviceId);
      if (!withoutDevices.has(route)) expect(response.headers.get("x-total-count") ?? "0").toBe("0");
    });
  if (policy.kind !== "public" && policy.kind !== "device")
    test(`${route}: anonymous is 401 without a body`, async () => {
      const { method, path } = urlOf(route, undefined);
      const response = await fixture.call(method, path);
      expect([response.status, response.text]).toEqual([401, ""]);
    });
  if (policy.kind === "device")
    test(`${route}: an unknown token is ${policy.wrongToken}`, async () => {
      const { method, path } = urlOf(route, "scope=SHARED&keys=a");
      const response = await fixture.call(method, path, method === "POST" ? { body: { method: "a" } } : {});
      expect(response.status).toBe(policy.wrongToken);
    });
}

test("every described route is in the OpenAPI document with a summary", async () => {
  const { body } = await fixture.call("GET", "/docs/json");
  const operations = Object.entries(
    body.paths as Record<string, Record<string, { summary?: string }>>,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      summary: operation.summary,
    })),
  );
  expect(operations.filter(({ summary }) => !summary)).toEqual([]);
  const documented = new Set(
    operations.map(({ route }) => route.replace(/\{(\w+)\}/g, ":$1").replace(/\/$/, "")),
  );
  const hidden = [
    "GET /*",
    "GET",
    "GET /.well-known/security.txt",
    "GET /docs",
    "GET /docs/json",
    "GET /docs/:file",
    "GET /idp/style.css",
  ];
  const missing = Object.keys(policies)
    .map((route) => route.replace(/\/$/, "").trim())
    .filter((route) => !documented.has(route) && !hidden.includes(route));
  expect(missing).toEqual([]);
});

test("each path with a body limit of its own is the beginning of a route", () => {
  const paths = fixture.app.http.routes.map(({ path }) => path.replace(/:\w+/g, "x"));
  const unused = Object.values(BODY_PATHS)
    .flat()
    .filter((pattern) => !paths.some((path) => new RegExp(`^/${pattern}(?:/|$)`).test(path)));
  expect(unused).toEqual([]);
});

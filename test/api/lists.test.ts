import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** What every list of the API has in common, whatever it lists. */

interface Route {
  readonly path: string;
  readonly url: string;
  readonly sorts: readonly string[];
}

/** Catalogues that are answered whole: their length is fixed by the program. */
const unpaged = new Set([
  "/api/audit/actions",
  "/api/data-pipelines/step-types",
  "/api/faults/counts",
  "/api/gateway/faults/counts",
]);

let fixture: TestApp;
let owner: string;
let ids: Record<string, string>;
let routes: Route[];

const isList = (schema: unknown): boolean =>
  typeof schema === "object" && schema !== null && (schema as TSchema).type === "array";

const sortsOf = (query: TSchema | undefined): string[] => {
  const sort = (query?.properties as Record<string, TSchema> | undefined)?.sort;
  if (sort?.const !== undefined) return [String(sort.const)];
  return /^\^-\?\((.*)\)\$$/.exec(String(sort?.pattern))?.[1]?.split("|") ?? [];
};

beforeAll(async () => {
  fixture = await createTestApp({ host: "one" });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  const create = async (path: string, body: unknown) =>
    (await fixture.call("POST", path, { token: owner, body })).body;
  const gateway = await fixture.createDevice(owner, { name: "gateway", role: "GATEWAY" });
  const devices = [];
  for (const name of ["b", "a", "c"])
    devices.push(
      await fixture.createDevice(owner, {
        name,
        deviceType: `type ${name}`,
        parentDeviceId: gateway.deviceId,
      }),
    );
  for (const { token } of devices)
    await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: { x: 1, y: 2, z: 3 } });
  const job = {
    schedule: { kind: "interval", everyMs: 60_000 },
    action: { type: "attributes", deviceIds: [devices[0]?.deviceId], attributes: { a: 1 } },
  };
  for (const name of ["b", "a", "c"]) {
    await create("/api/dashboards", { name });
    await create("/api/data-pipelines", { name });
    await create("/api/integrations", { name, type: "HTTP" });
    await create("/api/device-profiles", { name });
    await create("/api/api-keys", { name, role: "TENANT_READ_ONLY" });
    await create("/api/mqtt/clients", { name, signIn: "PASSWORD", username: `lists-${name}` });
    await create("/api/modbus/connections", { name, host: "192.0.2.1", enabled: false });
    await create("/api/s7/connections", { name, host: "192.0.2.1", enabled: false });
    await create("/api/bacnet/connections", { name, host: "192.0.2.1", deviceInstance: 1, enabled: false });
    await create("/api/opcua/connections", { name, host: "192.0.2.1", enabled: false });
    await create("/api/tenant-attributes", { key: name, value: {} });
    await create("/api/scheduler", { name, ...job });
  }
  await create(`/api/devices/${gateway.deviceId}/attributes`, {
    scope: "SHARED",
    attributes: { b: 1, a: 2, c: 3 },
  });
  ids = {
    deviceId: gateway.deviceId,
    dashboardId: (await create("/api/dashboards", { name: "d" })).id,
    pipelineId: (await create("/api/data-pipelines", { name: "d" })).pipelineId,
    integrationId: (await create("/api/integrations", { name: "d", type: "HTTP" })).integrationId,
    jobId: (await create("/api/scheduler", { name: "d", ...job })).jobId,
  };
  ids.runId = (await create(`/api/scheduler/${ids.jobId}/run`, undefined)).runId;
  routes = fixture.app.http.routes
    .filter(
      ({ method, path, hooks }) => method === "GET" && !unpaged.has(path) && isList(hooks.response?.[200]),
    )
    .map(({ path, hooks }) => ({
      path,
      url: path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? "unknown"),
      sorts: sortsOf(hooks.query as TSchema | undefined),
    }))
    .filter(({ url }) => !url.includes("unknown"));
});
afterAll(() => fixture.stop());

const get = (url: string) => fixture.call("GET", url, { token: owner });

/** Lists that continue from a cursor. */
const withCursor = new Set(["/api/audit", "/api/faults", "/api/gateway/faults"]);

describe("every list", () => {
  test("is found", () => {
    expect(routes.length).toBeGreaterThan(30);
  });

  test("answers how many items there are in all", async () => {
    for (const { path, url } of routes) {
      const { status, headers, body } = await get(url);
      expect([path, status]).toEqual([path, 200]);
      expect([path, Number(headers.get("x-total-count"))]).toEqual([path, body.length]);
    }
  });

  test("returns one item and the address of the next with limit=1", async () => {
    for (const { path, url, sorts } of routes) {
      const all = (await get(url)).body;
      if (all.length < 2) continue;
      const page = await get(`${url}?limit=1`);
      expect([path, page.body.length]).toEqual([path, 1]);
      const next = /^<(.+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
      expect([path, typeof next]).toEqual([path, "string"]);
      const second = await get(next ?? "");
      // Reading the audit log or the sessions changes neither.
      expect([path, second.body]).toEqual([path, [all[1]]]);
      expect(sorts.length).toBeGreaterThan(0);
    }
  });

  test("refuses an unknown sort, a limit of 0 and an offset below 0", async () => {
    for (const { path, url } of routes)
      for (const query of ["sort=nonsense", "sort=", "limit=0", "limit=x", "offset=-1"]) {
        if (withCursor.has(path) && query.startsWith("offset")) continue;
        expect([path, query, (await get(`${url}?${query}`)).status]).toEqual([path, query, 400]);
      }
  });

  test("accepts each of its orders and reverses it", async () => {
    for (const { path, url, sorts } of routes)
      for (const sort of sorts) {
        const { status, body } = await get(`${url}?sort=${sort}`);
        expect([path, sort, status]).toEqual([path, sort, 200]);
        // Some lists have one order only; the activity of devices is written with a delay.
        if (sorts.length === 1 || ["lastActivityAt", "active", "state"].includes(sort)) continue;
        const reverse = (await get(`${url}?sort=-${sort}`)).body;
        const values = (items: Record<string, unknown>[]) => items.map((item) => item[sort]);
        if (body.length < 2) continue;
        const present = values(body).filter((value) => value !== undefined && value !== null);
        expect([path, sort, values(reverse).slice(0, present.length)]).toEqual([
          path,
          sort,
          present.reverse(),
        ]);
      }
  });

  test("finds nothing where nothing contains what is searched for", async () => {
    for (const { path, url } of routes) {
      const { status, body } = await get(`${url}?search=nowhere-to-be-found`);
      expect([path, status, body]).toEqual([path, 200, []]);
    }
  });
});

test("lists by name are sorted and searched", async () => {
  for (const path of [
    "dashboards",
    "data-pipelines",
    "integrations",
    "device-profiles",
    "scheduler",
    "api-keys",
    "mqtt/clients",
    "modbus/connections",
    "s7/connections",
    "bacnet/connections",
    "opcua/connections",
  ]) {
    const names = async (query: string) =>
      (await get(`/api/${path}?${query}`)).body.map(({ name }: { name: string }) => name);
    const sorted = (await names("sort=name")).filter((name: string) => name.length === 1);
    expect([path, sorted]).toEqual([path, ["a", "b", "c", "d"].slice(0, sorted.length)]);
    expect(sorted.length).toBeGreaterThan(2);
    expect((await names("sort=-name&search=B")).filter((name: string) => name.length === 1)).toEqual(["b"]);
  }
});

test("keys are paged and searched", async () => {
  const keys = await get("/api/telemetry/keys?sort=-key&limit=2");
  expect(keys.body).toEqual([{ key: "z" }, { key: "y" }]);
  // The gateway's own device, which sends a minute after the start, may have keys by now.
  const all = (await get("/api/telemetry/keys?limit=1000")).body.map(({ key }: { key: string }) => key);
  expect(all).toEqual(expect.arrayContaining(["x", "y", "z"]));
  expect(keys.headers.get("x-total-count")).toBe(String(all.length));
  expect((await get("/api/telemetry/keys?search=Y")).body).toEqual([{ key: "y" }]);
});

test("attribute changes are searched by key and by who made them", async () => {
  const url = `/api/devices/${ids.deviceId}/attributes/history`;
  const keys = async (search: string) =>
    (await get(`${url}?search=${search}`)).body.map(({ key }: { key: string }) => key);
  expect(await keys("B")).toEqual(["b"]);
  expect(await keys("@")).toEqual(["c", "a", "b"]);
  const page = await get(`${url}?search=@&limit=1`);
  expect(page.headers.get("x-total-count")).toBe("3");
});

test("runs and their targets are searched by device and by error", async () => {
  const runs = `/api/scheduler/${ids.jobId}/runs`;
  await until(async () => (await get(runs)).body[0]?.status === "SUCCESS");
  const count = async (url: string) => {
    const { body, headers } = await get(url);
    expect(Number(headers.get("x-total-count"))).toBe(body.length);
    return body.length;
  };
  expect(await count(`${runs}?search=B`)).toBe(1);
  expect(await count(`${runs}?search=B&status=FAILED`)).toBe(0);
  expect(await count(`${runs}?search=nowhere`)).toBe(0);
  const targets = `${runs}/${ids.runId}/targets`;
  expect(await count(`${targets}?search=B`)).toBe(1);
  expect(await count(`${targets}?search=gateway`)).toBe(0);
});

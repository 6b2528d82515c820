import { afterAll, beforeAll, expect, test } from "bun:test";
import { type JsonRoute, jsonRoutes } from "../support/json-routes.ts";
import { largeBodies } from "../support/large-bodies.ts";
import { createTestApp } from "../support/test-app.ts";
import { isStall, STALL_MS_MAX, type StalledGateway, startStalledGateway, TRIES } from "./stall-fixture.ts";

/**
 * No single request holds the event loop for longer than 100 ms of processor time, whatever its body is, up to the largest that is read.
 * Processor time of the gateway's main thread is measured in a process of its own, so that a busy machine changes nothing. A slower machine has more of it.
 */

let gateway: StalledGateway;
let routes: JsonRoute[];

beforeAll(async () => {
  const app = await createTestApp();
  routes = jsonRoutes(app);
  await app.stop();
  gateway = await startStalledGateway();
});
afterAll(() => gateway.stop());

const longestTurn = (spinMs = 0): Promise<number> => gateway.longestTurn(spinMs);

async function stallOf(
  route: Pick<JsonRoute, "method" | "path">,
  body: string,
  token = gateway.token,
): Promise<number> {
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => gateway.ids[name] ?? "unknown");
  const response = await fetch(gateway.url + path, {
    method: route.method,
    body,
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
  });
  await response.arrayBuffer();
  return longestTurn();
}

const limitOf = (path: string): number => (/^\/api\/(auth|setup|shared)/.test(path) ? 64 : 1024) * 1024;

test("the measurement finds a task that holds the event loop", async () => {
  await longestTurn();
  expect(await longestTurn(2 * STALL_MS_MAX)).toBeGreaterThan(STALL_MS_MAX);
  expect(await longestTurn()).toBeLessThan(STALL_MS_MAX);
});

test("no body of any operation holds the event loop for longer than 100 ms", async () => {
  const stalls: string[] = [];
  let bodies = 0;
  for (const route of routes) {
    if (`${route.method} ${route.path}` === "DELETE /api/tenant") continue;
    for (const { body, field } of largeBodies(route.schema, limitOf(route.path))) {
      bodies++;
      let least = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < TRIES && least > STALL_MS_MAX; attempt++)
        least = Math.min(least, await stallOf(route, body));
      if (isStall(least)) stalls.push(`${route.method} ${route.path} ${field}: ${least.toFixed(0)} ms`);
    }
  }
  expect(bodies).toBeGreaterThan(1_000);
  expect(stalls).toEqual([]);
}, 600_000);

/** Bodies that are accepted and ask for the most work, by operation. */
function dearBodies(): Array<{ method: string; path: string; body: unknown }> {
  const { deviceIds, ids } = gateway;
  const range = { from: 0, to: Date.now() + 60_000, maxDataPoints: 10_000 };
  const telemetry = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`key${index}`, "x".repeat(100)]),
  );
  const keys = Object.keys(telemetry);
  const steps = [
    { type: "rename_keys", mapping: Object.fromEntries(keys.map((key) => [key, key])) },
    { type: "string_transform", keys: keys.slice(0, 100), operation: "suffix", text: "x".repeat(1_000) },
    { type: "copy_key", from: "key0", to: "key1" },
  ];
  const many = Array.from({ length: 50 }, (_, index) => ({
    widgetId: `w${index}`,
    type: "timeseries",
    name: "w",
    config: {},
  }));
  const alias = { id: "a", name: "a", type: "deviceType", deviceType: "sensor" };
  return [
    {
      method: "POST",
      path: "/api/v1/telemetry/query",
      body: { deviceIds, keys: [], ...range, aggregation: "none" },
    },
    {
      method: "POST",
      path: "/api/v1/telemetry/query",
      body: { deviceIds, keys: [], ...range, aggregation: "avg" },
    },
    {
      method: "POST",
      path: "/api/v1/telemetry/query",
      body: { deviceIds: Array.from({ length: 5_000 }, () => ids.deviceId), keys: [], ...range },
    },
    { method: "POST", path: "/api/v1/telemetry/latest", body: { deviceIds } },
    {
      method: "POST",
      path: "/api/v1/telemetry/latest",
      body: { deviceIds: Array.from({ length: 10_000 }, () => ids.deviceId) },
    },
    {
      method: "POST",
      path: "/api/v1/telemetry/latest",
      body: { deviceIds, keys: Array.from({ length: 10_000 }, (_, index) => `key${index}`) },
    },
    ...steps.map((step) => ({
      method: "POST",
      path: "/api/data-pipelines/preview",
      body: { steps: Array.from({ length: 50 }, () => step), telemetry },
    })),
    {
      method: "POST",
      path: "/api/scheduler/preview-next",
      body: { schedule: { kind: "cron", expression: "0 0 29 2 1" }, count: 100 },
    },
    {
      method: "POST",
      path: "/api/scheduler/preview-next",
      body: { schedule: { kind: "cron", expression: `${"0,".repeat(500)}0 * * * *` }, count: 100 },
    },
    {
      method: "POST",
      path: "/api/dashboards/preview",
      body: { dashboard: { name: "a", widgets: many, aliases: [alias] } },
    },
    { method: "POST", path: "/api/dashboards/resolve-alias", body: { alias } },
  ];
}

test("no accepted body that asks for much work holds the event loop for longer than 100 ms", async () => {
  const stalls: string[] = [];
  for (const { method, path, body } of dearBodies()) {
    const route = routes.find((candidate) => candidate.method === method && candidate.path === path);
    expect(route).toBeDefined();
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; route && attempt < TRIES && least > STALL_MS_MAX; attempt++)
      least = Math.min(least, await stallOf(route, JSON.stringify(body)));
    if (isStall(least))
      stalls.push(`${method} ${path} ${JSON.stringify(body).slice(0, 60)}: ${least.toFixed(0)} ms`);
  }
  expect(stalls).toEqual([]);
});

const LINES_BYTES_MAX = 5 * 1024 * 1024;
/** As many lines as a body may have. */
function linesOf(line: (index: number) => string): string {
  const lines: string[] = [];
  let bytes = 0;
  while (lines.length < 99_999) {
    const next = line(lines.length);
    bytes += next.length + 1;
    if (bytes > LINES_BYTES_MAX) break;
    lines.push(next);
  }
  return lines.join("\n");
}

test("no body of line protocol holds the event loop for longer than 100 ms", async () => {
  const [device, parent] = gateway.deviceTokens;
  const fields = (index: number) => Array.from({ length: 500 }, (_, field) => `key${field}=${index}`).join();
  const bodies: ReadonlyArray<readonly [name: string, token: string, body: string]> = [
    ["many lines", device, linesOf((index) => `m,host=a a=${index}.5 ${1_767_268_800_000 + index}`)],
    ["many fields", device, linesOf((index) => `m ${fields(index)} ${1_767_268_800_000 + index}`)],
    ["many keys", device, linesOf((index) => `m key${index}=1`)],
    ["lines that are refused", device, linesOf((index) => `m a=x${index}`)],
    ["open quotes", device, linesOf((index) => `m a=x,b="${index}`)],
    ["one long line", device, `m a="${"\\\\".repeat(LINES_BYTES_MAX / 2 - 10)}"`],
    ["new children", parent, linesOf((index) => `m,host=child${index % 1_100} a=${index}`)],
  ];
  const stalls: string[] = [];
  for (const [name, token, body] of bodies) {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < TRIES && least > STALL_MS_MAX; attempt++)
      least = Math.min(least, await stallOf({ method: "POST", path: "/write?precision=ms" }, body, token));
    if (isStall(least)) stalls.push(`${name}: ${least.toFixed(0)} ms`);
  }
  expect(stalls).toEqual([]);
});

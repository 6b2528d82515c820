import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { policies } from "../api/route-policies.ts";
import { createTenantObjects } from "../api/tenant-objects.ts";
import { JsonMeter } from "../support/json-meter.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import {
  filled,
  fillTenant,
  jsonColumns,
  KIB,
  small,
  textColumnsWithJson,
  tinyParts,
} from "./full-tenant.ts";

/**
 * Most characters of JSON that a request may parse and serialize without a pause: the largest item, both ways, or a thousand devices with
 * tags. The dearest JSON takes 0.01 ms per 1,024 of them.
 */
const CHARACTERS_MAX = 1_536 * KIB;
/** Bytes per table: twice as many, so that a reader of all rows is found. */
const TABLE_BYTES = 2 * CHARACTERS_MAX;

/** Routes that wait, and those that make a document or a key of which nothing depends on the tenant. */
const left = new Set([
  "GET /api/ws",
  "GET /mqtt",
  "GET /api/v1/:deviceToken/ws",
  "GET /api/v1/:deviceToken/rpc",
  "GET /docs/json",
  "GET /api/opcua/certificate",
]);

/** Longer pages would add time alone. */
const ROWS_MAX = 1_000;

const config = { outbound_allow: "127.0.0.1" };
let directory: string;
let tenantId: string;
let values: Record<string, string>;

async function createFullTenant(): Promise<TestApp> {
  directory = await mkdtemp(join(tmpdir(), "lineside-full-"));
  const fixture = await createTestApp({ directory, config });
  const { token: owner, user } = await fixture.signIn("TENANT_OWNER");
  tenantId = String(user.tenantId);
  const ids = await createTenantObjects(fixture, { token: owner, user });
  const change = async (method: string, path: string, body: unknown) => {
    const { status, body: response } = await fixture.call(method, path, { token: owner, body });
    expect([path, status < 300]).toEqual([path, true]);
    return response;
  };
  const keyMetadata = [{ key: "own", unit: "A" }];
  await change("POST", "/api/device-profiles", { name: "second", keyMetadata });
  await change("PUT", "/api/key-metadata/defaults", { keyMetadata });
  await change("PATCH", `/api/dashboards/${ids.dashboardId}`, { settings: { a: 1 } });
  await change("POST", "/api/tenant-attributes", { key: "own", value: {} });
  const early = await fixture.createDevice(owner, { name: "early" });
  const ts = Date.now() + 48 * 3_600_000;
  await change("POST", `/api/v1/${early.token}/telemetry`, { ts, values: { a: 1 } });
  const { token: deviceToken } = await change("GET", `/api/devices/${ids.deviceId}/credentials`, undefined);
  const long = JSON.parse(tinyParts(60 * KIB));
  for (let index = 0; index * 60 * KIB < TABLE_BYTES; index++)
    await change("POST", `/api/v1/${deviceToken}/telemetry`, { [`long ${index}`]: long });
  values = { deviceToken, rpcId: "1", scope: "SHARED", key: "own", deviceType: "sensor", ...ids };
  await fixture.stop();
  fillTenant(directory, tenantId, TABLE_BYTES);
  return createTestApp({ directory, config });
}

/** Columns that hold JSON in the sample tenant or by their schema. */
const listed = [
  ...Object.entries(filled).flatMap(([table, { json }]) =>
    Object.keys(json).map((column) => `${table}.${column}`),
  ),
  ...small,
];

test("every JSON column is filled, or named as a small one", async () => {
  expect((await jsonColumns()).filter((column) => !listed.includes(column))).toEqual([]);
  expect(listed.length).toBe(new Set(listed).size);
});

interface Reading {
  readonly route: string;
  readonly status: number;
  readonly characters: number;
  readonly place: string;
}

/** Requests every route once, with the longest page, and returns what each parsed and serialized in a turn. */
async function* readings(app: TestApp["app"], meter: JsonMeter, token: string): AsyncGenerator<Reading> {
  for (const { method, path: pattern, hooks } of app.http.routes) {
    const route = `${method} ${pattern}`;
    if (method !== "GET" || left.has(route)) continue;
    const path = pattern.replace(/:(\w+)/g, (parameter, name: string) => values[name] ?? parameter);
    const policy = policies[route];
    const { limit } =
      (hooks.query as { properties?: { limit?: { maximum?: number } } } | undefined)?.properties ?? {};
    const query = new URLSearchParams(policy !== undefined && "query" in policy ? policy.query : "since=0");
    if (limit?.maximum !== undefined) query.set("limit", String(Math.min(limit.maximum, ROWS_MAX)));
    if (pattern.endsWith("/audit/export")) query.set("format", "ndjson");
    meter.restart();
    const response = await fetch(`${app.url}${path}?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await response.arrayBuffer();
    yield { route, status: response.status, ...meter.most() };
  }
}

/** What a client receives, the first time, for a topic that it subscribes to and a message that it publishes. */
async function received(
  { mqttPort }: TestApp["app"],
  user: { username: string; password?: string },
  { topic, publish }: { readonly topic: string; readonly publish?: string },
): Promise<number> {
  const client = await connectAsync(`mqtt://127.0.0.1:${mqttPort}`, user);
  const first = new Promise<number>((resolve) =>
    client.on("message", (_, payload) => resolve(payload.length)),
  );
  await client.subscribeAsync(topic);
  if (publish !== undefined) await client.publishAsync(publish, "{}");
  const bytes = await first;
  await client.endAsync(true);
  return bytes;
}

/** Asks for all attributes of a device and for the newest values of all devices, over MQTT. */
async function* mqttReadings(fixture: TestApp, meter: JsonMeter, token: string): AsyncGenerator<Reading> {
  const created = await fixture.call("POST", "/api/api-keys", {
    token,
    body: { name: "feed", role: "TENANT_READ_ONLY" },
  });
  const own = "v1/devices/me/attributes";
  const cases = [
    [{ username: values.deviceToken ?? "" }, { topic: `${own}/response/+`, publish: `${own}/request/1` }],
    [{ username: "feed", password: created.body.key }, { topic: "lineside/devices/+/telemetry" }],
  ] as const;
  for (const [user, asked] of cases) {
    meter.restart();
    const bytes = await received(fixture.app, user, asked);
    expect([asked.topic, bytes > CHARACTERS_MAX]).toEqual([asked.topic, true]);
    yield { route: asked.topic, status: 200, ...meter.most() };
  }
}

test("no request parses and serializes all of a long list without a pause", async () => {
  const meter = new JsonMeter(CHARACTERS_MAX);
  const fixture = await createFullTenant();
  expect(textColumnsWithJson(directory).filter((column) => !listed.includes(column))).toEqual([]);
  const { token: owner } = await fixture.signIn("TENANT_OWNER", { tenant: "again", tenantId });
  const { token: limited } = await fixture.signIn("TENANT_ADMIN", {
    ...{ tenant: "again", tenantId },
    devices: [values.deviceId ?? ""],
  });
  meter.start();
  const found: Reading[] = [];
  try {
    for await (const reading of mqttReadings(fixture, meter, owner)) found.push(reading);
    for (const token of [owner, limited])
      for await (const reading of readings(fixture.app, meter, token)) found.push(reading);
  } finally {
    meter.stop();
    await fixture.stop();
    await rm(directory, { recursive: true, force: true });
  }
  expect(found.filter(({ status }) => status >= 500)).toEqual([]);
  expect(found.filter(({ characters }) => characters > CHARACTERS_MAX)).toEqual([]);
}, 120_000);

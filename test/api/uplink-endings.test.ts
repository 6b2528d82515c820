import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import type { TenantId } from "../../src/lib/core/ids.ts";
import { systemClock } from "../../src/platform/time/clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until, untilAnswer } from "../support/until.ts";

let fixture: TestApp;
let admin: string;
/** Added to the wall clock of the gateway. */
let shiftMs = 0;
/** Takes connections and never answers. */
let silent: Server;
const sockets = new Set<Socket>();
const portOf = (server: Server) => (server.address() as { port: number }).port;

beforeAll(async () => {
  silent = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const clock = { ...systemClock, now: () => Date.now() + shiftMs };
  fixture = await createTestApp({ clock, config: { outbound_allow: "127.0.0.1" } });
  admin = (await fixture.signIn("TENANT_ADMIN")).token;
});
afterAll(async () => {
  await fixture.stop();
  for (const socket of sockets) socket.destroy();
  silent.close();
});

const call = (method: string, path: string, body?: unknown, token = admin) =>
  fixture.call(method, `/api/uplinks${path}`, { token, body });
const create = async (target: Record<string, unknown>, token = admin): Promise<string> => {
  const { status, body } = await call("POST", "", { name: "Silent", target }, token);
  expect([status, body]).toMatchObject([201, {}]);
  return (body as { uplinkId: string }).uplinkId;
};
const send = (token: string) => fixture.call("POST", `/api/v1/${token}/telemetry`, { body: { n: 1 } });

const targets = (port: number): Record<string, unknown>[] => [
  { type: "HTTP", url: `http://127.0.0.1:${port}/` },
  { type: "INFLUXDB", api: "V1", url: `http://127.0.0.1:${port}`, database: "d" },
  { type: "MQTT", url: `mqtt://127.0.0.1:${port}` },
  { type: "LINESIDE", url: `mqtt://127.0.0.1:${port}`, token: "t" },
  { type: "KAFKA", brokers: [`127.0.0.1:${port}`] },
  { type: "NATS", servers: [`127.0.0.1:${port}`] },
  { type: "POSTGRESQL", host: "127.0.0.1", port, database: "d", user: "u" },
  {
    type: "PARQUET",
    place: {
      kind: "S3",
      endpoint: `http://127.0.0.1:${port}/`,
      bucket: "b",
      accessKeyId: "a",
      secretAccessKey: "s",
    },
  },
];

describe("an uplink whose target takes connections and never answers is deleted at once", () => {
  for (const { type } of targets(0))
    test(String(type), async () => {
      const target = targets(portOf(silent)).find((candidate) => candidate.type === type) ?? {};
      const uplinkId = await create(target);
      await until(() => sockets.size > 0);
      // A deletion that waited for the target would take its time limit of 30 s or more.
      expect((await call("DELETE", `/${uplinkId}`)).status).toBe(200);
      await until(() => sockets.size === 0);
      expect((await call("GET", `/${uplinkId}`)).status).toBe(404);
    });
});

test("an uplink ends with its tenant while it sends, and uplinks of others go on", async () => {
  const received: string[] = [];
  const sink = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      await request.arrayBuffer();
      received.push(new URL(request.url).pathname);
      return new Response(null, { status: 204 });
    },
  });
  const owner = await fixture.signIn("TENANT_OWNER", { tenant: "going" });
  const url = `http://127.0.0.1:${sink.port}`;
  await create({ type: "HTTP", url: `${url}/going` }, owner.token);
  await create({ type: "HTTP", url: `http://127.0.0.1:${portOf(silent)}/` }, owner.token);
  const other = await create({ type: "HTTP", url: `${url}/other` });
  const paused = await call("POST", "", {
    name: "Paused",
    enabled: false,
    start: "BEGINNING",
    target: { type: "HTTP", url: `${url}/paused` },
  });
  const [pump, gone] = [await fixture.createDevice(admin), await fixture.createDevice(owner.token)];
  await send(gone.token);
  await send(pump.token);
  await until(() => sockets.size > 0 && received.includes("/going") && received.includes("/other"));
  if (owner.user.tenantId !== null) fixture.app.services.tenants.delete(owner.user.tenantId);
  await until(() => sockets.size === 0);
  received.length = 0;
  await send(pump.token);
  await until(() => received.includes("/other"));
  expect(received).not.toContain("/going");
  // The feeds of other tenants are left, also those of uplinks that are paused.
  await call("PATCH", `/${paused.body.uplinkId}`, { enabled: true });
  await until(() => received.includes("/paused"));
  for (const id of [other, paused.body.uplinkId]) await call("DELETE", `/${id}`);
  await sink.stop(true);
});

test("an uplink that is created while a tenant is deleted keeps its history", async () => {
  const texts: string[] = [];
  const sink = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      texts.push(await request.text());
      return new Response(null, { status: 204 });
    },
  });
  const pump = await fixture.createDevice(admin, { name: "History" });
  await send(pump.token);
  await fixture.app.services.store.compact();
  const creating = call("POST", "", {
    name: "History",
    start: "BEGINNING",
    target: { type: "HTTP", url: `http://127.0.0.1:${sink.port}/`, gzip: false },
  });
  let isCreating = true;
  const created = creating.finally(() => {
    isCreating = false;
  });
  // At every moment of the creation. The tenants need not exist.
  while (isCreating) {
    fixture.app.services.tenants.delete(crypto.randomUUID() as TenantId);
    await Bun.sleep(0);
  }
  expect((await created).status).toBe(201);
  await until(() => texts.some((text) => text.includes(pump.deviceId)));
  for (const { uplinkId } of (await call("GET", "")).body) await call("DELETE", `/${uplinkId}`);
  await sink.stop(true);
});

test("the lag does not follow a clock that is set", async () => {
  let status = 204;
  const sink = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(null, { status }),
  });
  const uplinkId = await create({ type: "HTTP", url: `http://127.0.0.1:${sink.port}/` });
  const uplink = async () =>
    (await call("GET", `/${uplinkId}`)).body as { state: string; lagSeconds: number };
  await untilAnswer(uplink, ({ state }) => state === "UP_TO_DATE");
  status = 503;
  const pump = await fixture.createDevice(admin);
  await send(pump.token);
  await untilAnswer(uplink, ({ state }) => state === "ERROR");
  for (const days of [2, -2]) {
    shiftMs = days * 86_400_000;
    const { lagSeconds } = await untilAnswer(uplink, ({ lagSeconds: seconds }) => seconds !== null);
    expect(lagSeconds).toBeGreaterThan(0);
    expect(lagSeconds).toBeLessThan(86_400);
  }
  shiftMs = 0;
  await call("DELETE", `/${uplinkId}`);
  await sink.stop(true);
});

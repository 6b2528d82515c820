import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { DASHBOARD_VALUES_MAX } from "../../src/modules/dashboards/dashboard-data.ts";
import { SHARE_REQUESTS_MAX } from "../../src/modules/dashboards/shares.service.ts";
import { SESSIONS_MAX } from "../../src/modules/realtime/realtime-session.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WebSocketClient } from "../support/websocket-client.ts";

/** What readers ask for and do not take is bounded: an answer by itself, and all answers together. */

const DEVICES = 400;
const KEYS = 20;
/** Each value is a text, so that a few devices make a large answer. */
const TEXT = "x".repeat(1_000);
const keys = Array.from({ length: KEYS }, (_, index) => `key${index}`);

let fixture: TestApp;
let owner: string;
let reader: string;
let deviceIds: string[];

beforeAll(async () => {
  fixture = await createTestApp({ config: { metrics: "open" } });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  const devices = [];
  for (let index = 0; index < DEVICES; index++)
    devices.push(await fixture.createDevice(owner, { name: `device ${index}`, deviceType: "sensor" }));
  deviceIds = devices.map(({ deviceId }) => deviceId);
  const values = Object.fromEntries(keys.map((key) => [key, TEXT]));
  for (const { token } of devices)
    await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: { values } });
});
afterAll(() => fixture.stop());

const alias = { id: "all", name: "all", type: "deviceType", deviceType: "sensor" };
/** Tables of all devices with all keys. */
const tables = (count: number, shown = keys) =>
  Array.from({ length: count }, (_, index) => ({
    widgetId: `w${index}`,
    type: "deviceTable",
    name: "",
    config: { aliasId: "all", keys: shown },
  }));
const board = (widgets: unknown[]) => ({ name: "board", aliases: [alias], widgets });
const preview = (widgets: unknown[]) =>
  fixture.call("POST", "/api/dashboards/preview", { token: reader, body: { dashboard: board(widgets) } });

/** Sends a request whose answer nobody reads. */
async function unread(path: string, token: string, body: unknown): Promise<Socket> {
  const { hostname, port } = new URL(fixture.app.url);
  const text = JSON.stringify(body);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  );
  await new Promise((resolve) => socket.once("connect", resolve));
  return socket;
}

/** Bytes of answers that wait for their readers, as `/metrics` has them. */
async function waitingBytes(): Promise<number> {
  const { text } = await fixture.call("GET", "/metrics");
  return Number(/^lineside_response_bytes (\d+)$/m.exec(text)?.[1]);
}

test("a dashboard whose widgets show too many values is refused before they are read", async () => {
  const perWidget = DEVICES * KEYS;
  const refused = await preview(tables(Math.floor(DASHBOARD_VALUES_MAX / perWidget) + 1));
  expect([refused.status, refused.body.code]).toEqual([413, "dashboard.too_many_values"]);
  expect(refused.body.params).toEqual({ max: DASHBOARD_VALUES_MAX });
  const accepted = await preview(tables(2));
  expect(accepted.status).toBe(200);
  expect(Object.keys(accepted.body.data.w1.latest[7].values)).toEqual(keys);
});

test("a dashboard of few but long values is refused when it is larger than an answer may be", async () => {
  const refused = await preview(tables(5));
  expect([refused.status, refused.body.code]).toEqual([413, "response.too_large"]);
  expect(await waitingBytes()).toBe(0);
});

test("a link serves a number of requests until their answers have been read, and others are not affected", async () => {
  const created = await fixture.call("POST", "/api/dashboards", {
    token: owner,
    body: board(tables(1, ["key0"])),
  });
  const share = await fixture.call("POST", `/api/dashboards/${created.body.id}/shares`, {
    token: owner,
    body: { name: "hall" },
  });
  const large = await fixture.call("POST", "/api/dashboards", { token: owner, body: board(tables(1)) });
  const wide = await fixture.call("POST", `/api/dashboards/${large.body.id}/shares`, {
    token: owner,
    body: {},
  });
  const sockets: Socket[] = [];
  let before = 0;
  for (let count = 0; count < 4; count++) {
    sockets.push(await unread("/api/shared/dashboard", wide.body.token, {}));
    await until(async () => (await waitingBytes()) > before);
    before = await waitingBytes();
  }
  const open = () => fixture.call("POST", "/api/shared/dashboard", { token: share.body.token, body: {} });
  const statuses = [];
  for (let count = 0; count < SHARE_REQUESTS_MAX + 1; count++) statuses.push((await open()).status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  const more = await fixture.call("POST", "/api/shared/dashboard", { token: wide.body.token, body: {} });
  expect([200, 429, 503]).toContain(more.status);
  for (const socket of sockets) socket.destroy();
  await until(async () => (await waitingBytes()) === 0);
});

test("readers of a live stream who do not read get no snapshot ahead, and the next message is the rest of it", async () => {
  const client = await WebSocketClient.signIn(fixture.app.url, reader);
  client.send({ type: "subscribe", id: "all", topics: ["telemetry"] });
  const seen = new Set<string>();
  let messages = 0;
  for (let hasMore = true; hasMore; messages++) {
    const part = await client.next("snapshot");
    for (const { deviceId } of part.devices ?? []) seen.add(deviceId);
    hasMore = part.more === true;
  }
  expect(messages).toBeGreaterThan(10);
  expect([...seen].sort()).toEqual([...deviceIds].sort());
  await client.close();
});

test("a user has a limited number of live connections", async () => {
  const { token } = await fixture.signIn("TENANT_READ_ONLY");
  const clients: WebSocketClient[] = [];
  for (let count = 0; count < SESSIONS_MAX.user; count++)
    clients.push(await WebSocketClient.signIn(fixture.app.url, token));
  const refused = await WebSocketClient.open(`${fixture.app.url}/api/ws`);
  refused.send({ type: "auth", token });
  expect(await refused.next("error")).toMatchObject({ code: "realtime.too_many_sessions" });
  expect((await refused.closed).code).toBe(4429);
  await clients[0]?.close();
  await until(async () => {
    const next = await WebSocketClient.open(`${fixture.app.url}/api/ws`);
    next.send({ type: "auth", token });
    const { type } = await next.next();
    await next.close();
    return type === "ready";
  });
  for (const client of clients.slice(1)) await client.close();
});

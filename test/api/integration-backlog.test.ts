// What waits and what failed is bounded, and nobody's holds up another's.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const clock = new FakeClock(Date.now());
let fixture: TestApp;
let token: string;
let secret: string;

beforeAll(async () => {
  fixture = await createTestApp({ clock });
  ({ token } = await fixture.signIn("TENANT_OWNER"));
  ({ secret } = (await fixture.call("POST", "/api/tenant/integration/rotate-secret", { token })).body);
});
afterAll(() => fixture.stop());

const api = (method: string, path: string, body?: unknown) =>
  fixture.call(method, `/api/integrations${path}`, { token, ...(body !== undefined && { body }) });

async function create(settings_json: unknown): Promise<string> {
  const input = { name: "waiting", type: "HTTP", status: "active", settings_json };
  return (await api("POST", "", input)).body.integrationId;
}
const post = (integrationId: string, body: unknown) =>
  fixture.call("POST", `/api/v1/integrations/generic/${integrationId}/telemetry`, {
    raw: JSON.stringify(body),
    headers: { "content-type": "application/json", "x-webhook-secret": secret },
  });

/** Numbers of events before those of this run. */
let earlierSeq = -10_000;

/** Messages as a kill leaves them: kept, and not worked on. */
function leaveWaiting(integrationId: string, count: number, payload: string): void {
  const database = new Database(join(fixture.directory, "lineside.db"));
  database.run("PRAGMA busy_timeout = 5000");
  const insert = database.prepare(
    "INSERT INTO integration_events (seq, event_id, integration_id, direction, status, stage, text, payload, is_replayable, created_at) VALUES (?, ?, ?, 'IN', 'PENDING', 'receive', '{\"code\":\"integration_event.pending\",\"params\":{}}', ?, 0, ?)",
  );
  const waitingSince = clock.now() - 60_000;
  database.transaction(() => {
    for (let n = 0; n < count; n++)
      insert.run(earlierSeq++, crypto.randomUUID(), integrationId, Buffer.from(payload), waitingSince);
  })();
  database.close();
}

const waitingOf = async (integrationId: string) =>
  (await api("GET", `/${integrationId}/events?status=PENDING&limit=1000`)).body.length;

test("messages that wait for an integration that is paused hold up none of another", async () => {
  const paused = await create({ autoCreateDevice: true });
  const other = await create({ autoCreateDevice: true });
  await api("POST", `/${paused}/pause`);
  leaveWaiting(paused, 150, '{"externalDeviceId": "a", "telemetry": {"n": 1}}');
  leaveWaiting(other, 1, '{"externalDeviceId": "b", "telemetry": {"n": 1}}');
  while ((await waitingOf(other)) > 0) clock.advance(5_000);
  expect(await waitingOf(paused)).toBe(150);
  await api("POST", `/${paused}/start`);
  while ((await waitingOf(paused)) > 0) clock.advance(5_000);
  expect((await api("GET", `/${paused}`)).body.stats.stored).toBe(150);
});

test("where too many messages wait for their script, more are refused, and the sender is told when to come again", async () => {
  const source = "function transform(message) { return message }";
  const integrationId = await create({ autoCreateDevice: true, scriptTransform: { enabled: true, source } });
  leaveWaiting(integrationId, 5_000, '{"externalDeviceId": "c", "telemetry": {"n": 1}}');
  const { status, headers } = await post(integrationId, { externalDeviceId: "c", telemetry: { n: 2 } });
  expect([status, Number(headers.get("retry-after"))]).toEqual([429, expect.any(Number)]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  await api("DELETE", `/${integrationId}/events`);
  clock.advance(1_000);
  expect((await post(integrationId, { externalDeviceId: "c", telemetry: { n: 2 } })).status).toBe(200);
});

test("of large messages that failed no more are kept than fit", async () => {
  const integrationId = await create({});
  const text = "x".repeat(250_000);
  for (let n = 0; n < 80; n++) {
    const { status } = await post(integrationId, { externalDeviceId: "nobody", telemetry: { n, text } });
    expect(status).toBe(400);
  }
  const { body } = await api("GET", `/${integrationId}/events?limit=1000`);
  expect(body.length).toBeGreaterThanOrEqual(60);
  expect(body.length).toBeLessThan(75);
  const newest = await api("GET", `/${integrationId}/events/${body[0].eventId}`);
  expect([newest.body.replayable, newest.body.payload.telemetry.n]).toEqual([true, 79]);
});

test("what comes to its end after its integration was deleted fails none of another's", async () => {
  const source =
    "function transform(message) { const end = Date.now() + 10; while (Date.now() < end); return message }";
  const settings_json = { autoCreateDevice: true, scriptTransform: { enabled: true, source } };
  const input = { name: "goes", type: "CHIRPSTACK", status: "active", settings_json };
  const goes = (await api("POST", "", input)).body.integrationId;
  const stays = await create({ autoCreateDevice: true });
  const late = Array.from({ length: 30 }, (_, n) =>
    fixture.call("POST", `/api/v1/integrations/lorawan-a/${goes}/telemetry?event=up`, {
      raw: JSON.stringify({ deduplicationId: `${n}`, deviceInfo: { devEui: "0a".repeat(8) }, object: { n } }),
      headers: { "content-type": "application/json", "x-webhook-secret": secret },
    }),
  );
  let isOver = false;
  const load = Array.from({ length: 8 }, async (_, k) => {
    const statuses = new Set<number>();
    for (let n = 0; !isOver; n++)
      statuses.add((await post(stays, { externalDeviceId: `stays ${k}`, telemetry: { n } })).status);
    return [...statuses];
  });
  await late[0];
  expect((await api("DELETE", `/${goes}`)).status).toBe(200);
  const ended = new Set((await Promise.all(late)).map(({ status }) => status));
  isOver = true;
  expect((await Promise.all(load)).flat().filter((status) => status !== 200)).toEqual([]);
  expect(ended).toEqual(new Set([200, 404]));
});

test("a message that failed is worked on again once, however many ask for it at the same time", async () => {
  const integrationId = await create({});
  await post(integrationId, { externalDeviceId: "nobody", telemetry: { n: 1 } });
  const [{ eventId }] = (await api("GET", `/${integrationId}/events`)).body;
  const asked = Array.from({ length: 10 }, () => api("POST", `/${integrationId}/events/${eventId}/replay`));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, ...Array(9).fill(409)]);
  expect((await api("GET", `/${integrationId}/events`)).body.length).toBe(2);
});

test("a message that the full disk refuses does not wait for its script either: its sender comes again", async () => {
  let free = 1e12;
  const time = new FakeClock(Date.now());
  const small = await createTestApp({ clock: time, readSpace: async () => ({ free, total: 1e12 }) });
  const { token: owner } = await small.signIn("TENANT_OWNER");
  const as = (method: string, path: string, body?: unknown) =>
    small.call(method, path, { token: owner, ...(body !== undefined && { body }) });
  const own = (await as("POST", "/api/tenant/integration/rotate-secret")).body.secret;
  const scriptTransform = { enabled: true, source: "function transform(message) { return message }" };
  const settings_json = { autoCreateDevice: true, scriptTransform };
  const input = { name: "small", type: "HTTP", status: "active", settings_json };
  const { integrationId } = (await as("POST", "/api/integrations", input)).body;
  const send = () =>
    small.call("POST", `/api/v1/integrations/generic/${integrationId}/telemetry`, {
      raw: '{"externalDeviceId": "a", "telemetry": {"n": 1}}',
      headers: { "content-type": "application/json", "x-webhook-secret": own },
    });
  expect((await send()).status).toBe(200);
  free = 0;
  let refused = await send();
  for (; refused.status === 200; refused = await send()) time.advance(1_000);
  expect(refused.status).toBe(503);
  const [event] = (await as("GET", `/api/integrations/${integrationId}/events?limit=1`)).body;
  expect([event.status, event.code]).toEqual(["DROPPED", "integration_event.not_stored"]);
  await small.stop();
});

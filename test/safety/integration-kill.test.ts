import { expect, test } from "bun:test";
import { remove, startGateway, temporaryDirectory } from "../bench/processes.ts";
import { until } from "../support/until.ts";

interface Integration {
  readonly integrationId: string;
  readonly stats: { readonly received: number };
}
interface Event {
  readonly status: string;
}
interface Range {
  readonly data: ReadonlyArray<{
    readonly series: ReadonlyArray<{ readonly points: ReadonlyArray<{ readonly ts: number }> }>;
  }>;
}

const ROUNDS = 3;
const CLIENTS = 8;
const FIRST_TS = Date.UTC(2026, 0, 1);
const script = "function transform(message) { return { n: message.n, doubled: message.n * 2 } }";

/** Posts messages to a webhook from several clients until the gateway is gone. */
function createLoad(webhook: { readonly integrationId: string; readonly secret: string }) {
  const { integrationId, secret } = webhook;
  /** Timestamps of acknowledged messages, by the id of their event. */
  const acknowledged = new Map<string, number>();
  let next = 0;
  async function post(url: string): Promise<void> {
    for (;;) {
      const ts = FIRST_TS + next++;
      try {
        const response = await fetch(`${url}/api/v1/integrations/generic/${integrationId}/telemetry`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-webhook-secret": secret },
          body: JSON.stringify({ externalDeviceId: "meter", ts, telemetry: { n: ts - FIRST_TS } }),
        });
        if (response.status !== 200) return;
        acknowledged.set(((await response.json()) as { eventId: string }).eventId, ts); // of our own route
      } catch {
        return;
      }
    }
  }
  return {
    acknowledged,
    sent: () => next,
    run: (url: string) => Promise.all(Array.from({ length: CLIENTS }, () => post(url))),
  };
}

test("kills under load: no message that was acknowledged is lost, also where its script had not run yet", async () => {
  const directory = temporaryDirectory();
  let server = await startGateway(directory);
  let api = await server.signIn();
  const { secret } = await api.post<{ secret: string }>("/api/tenant/integration/rotate-secret", {});
  const settings_json = { autoCreateDevice: true, scriptTransform: { enabled: true, source: script } };
  const input = { name: "kills", type: "HTTP", status: "active", settings_json };
  const { integrationId } = await api.post<Integration>("/api/integrations", input);
  const { acknowledged, sent, run } = createLoad({ integrationId, secret });

  for (let round = 0; round < ROUNDS; round++) {
    const before = acknowledged.size;
    const running = run(server.url);
    await until(() => acknowledged.size >= before + 200);
    await server.kill("SIGKILL");
    await running;
    server = await startGateway(directory);
    api = await server.signIn();
  }

  const path = `/api/integrations/${integrationId}/events?status=PENDING`;
  await until(async () => (await api.get<Event[]>(path)).length === 0);
  const [device] = await api.get<Array<{ deviceId: string }>>("/api/devices?search=meter");
  const stored = new Set<number>();
  for (let from = FIRST_TS; from < FIRST_TS + sent(); from += 5_000) {
    const query = `keys=doubled&from=${from}&to=${from + 4_999}&maxDataPoints=10000`;
    const { data } = await api.get<Range>(`/api/devices/${device?.deviceId}/telemetry/range?${query}`);
    for (const { ts } of data[0]?.series[0]?.points ?? []) stored.add(ts);
  }
  expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS * 200);
  expect([...acknowledged.values()].filter((ts) => !stored.has(ts))).toEqual([]);
  expect(await api.get<Event[]>(`/api/integrations/${integrationId}/events?status=ERROR`)).toEqual([]);
  await server.kill("SIGTERM");
  remove(directory);
});

test("kills under load: each acknowledged message has its event, and the points of it", async () => {
  const directory = temporaryDirectory();
  let server = await startGateway(directory);
  let api = await server.signIn();
  const { secret } = await api.post<{ secret: string }>("/api/tenant/integration/rotate-secret", {});
  const input = { name: "kills", type: "HTTP", status: "active", settings_json: { autoCreateDevice: true } };
  const { integrationId } = await api.post<Integration>("/api/integrations", input);
  const { acknowledged, sent, run } = createLoad({ integrationId, secret });

  for (let round = 0; round < ROUNDS; round++) {
    acknowledged.clear();
    const running = run(server.url);
    await until(() => acknowledged.size >= 300);
    await server.kill("SIGKILL");
    await running;
    server = await startGateway(directory);
    api = await server.signIn();
    type Shown = { eventId: string; status: string; result: { stored: [{ ts: number }] } };
    const events = await api.get<Shown[]>(`/api/integrations/${integrationId}/events?limit=1000`);
    const found = new Map(events.map(({ eventId, result }) => [eventId, result.stored[0].ts]));
    const newest = [...acknowledged].slice(-900);
    expect(newest.filter(([eventId, ts]) => found.get(eventId) !== ts)).toEqual([]);
    const [device] = await api.get<Array<{ deviceId: string }>>("/api/devices?search=meter");
    const query = `keys=n&from=${FIRST_TS}&to=${FIRST_TS + sent()}&maxDataPoints=10000`;
    const { data } = await api.get<Range>(`/api/devices/${device?.deviceId}/telemetry/range?${query}`);
    const stored = new Set(data[0]?.series[0]?.points.map(({ ts }) => ts));
    expect([...acknowledged.values()].filter((ts) => !stored.has(ts))).toEqual([]);
  }
  await server.kill("SIGTERM");
  remove(directory);
});

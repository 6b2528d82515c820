import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { type ApiClient, connectApi } from "../../src/cli/api-client.ts";
import { createRuledDevices, listen, probe, share } from "./alarm-latency.ts";
import {
  type Gateway,
  type Load,
  remove,
  residentMb,
  runLoad,
  startGateway,
  temporaryDirectory,
} from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";

/*
 * Half of the load that the gateway takes, for as long as asked, with all that goes on beside it on a site: range queries, alarms on a
 * WebSocket, a webhook, and devices that come and go. What grows, what is lost, how long things take.
 */

const TOPIC = "v1/devices/me/telemetry";
const CONNECTIONS = 100;
const PROBES = 10;
const POINTS_PER_MESSAGE = 3;
const SAMPLE_MS = 10_000;
const QUERY_MS = 250;
const WEBHOOK_MS = 50;
const RECONNECT_MS = 25;
/** Memory settles before this part of the time. */
const SETTLED_FROM = 0.2;
const SLOPE_MB_MAX = 1;
const WAL_MB_MAX = 64;
const ALARM_P99_MS_MAX = 10;

interface Sample {
  readonly points: number;
  readonly residentMb: number;
  /** The largest write-ahead log. */
  readonly wal: Log;
}

interface Log {
  readonly name: string;
  readonly mb: number;
}

const largest = (logs: readonly Log[]): Log =>
  logs.reduce((most, log) => (log.mb > most.mb ? log : most), { name: "none", mb: 0 });

/** Returns the growth of memory in MB for each 10^8 points, by least squares. */
function slope(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const points = mean((sample) => sample.points);
  const resident = mean((sample) => sample.residentMb);
  let covariance = 0;
  let variance = 0;
  for (const sample of samples) {
    covariance += (sample.points - points) * (sample.residentMb - resident);
    variance += (sample.points - points) ** 2;
  }
  return (covariance / variance) * 1e8;
}

const largestWal = (directory: string): Log =>
  largest(
    readdirSync(directory)
      .filter((name) => name.endsWith("-wal"))
      .map((name) => ({ name, mb: statSync(join(directory, name)).size / 1e6 })),
  );

/** Does `work` again and again, `everyMs` apart, until `isOver`; how long each took, sorted. */
async function repeat(
  everyMs: number,
  isOver: () => boolean,
  work: (round: number) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; !isOver(); round++) {
    const startedAt = performance.now();
    await work(round);
    times.push(performance.now() - startedAt);
    await Bun.sleep(Math.max(0, everyMs - (performance.now() - startedAt)));
  }
  return times.sort((a, b) => a - b);
}

/** Points of one key that the devices have in the store. */
export async function countPoints(
  api: ApiClient,
  deviceIds: readonly string[],
  key: string,
): Promise<number> {
  const { data } = await api.post<{
    data: Array<{ series: Array<{ points: Array<{ value: number }> }> }>;
  }>("/api/v1/telemetry/query", {
    deviceIds,
    keys: [key],
    from: 0,
    to: Date.now() + 86_400_000,
    aggregation: "count",
    maxDataPoints: 1,
  });
  return data.reduce((sum, { series }) => sum + (series[0]?.points[0]?.value ?? 0), 0);
}

/** A webhook whose messages have timestamps of their own. */
async function createWebhook(gateway: Gateway, api: ApiClient) {
  const { webhookUrl } = await api.post<{ webhookUrl: string }>("/api/integrations", {
    name: "soak",
    type: "HTTP",
    status: "active",
    settings_json: { autoCreateDevice: true },
  });
  const { secret } = await api.post<{ secret: string }>("/api/tenant/integration/rotate-secret", {});
  const url = gateway.url + new URL(webhookUrl).pathname;
  return async (round: number): Promise<void> => {
    const { status } = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-webhook-secret": secret },
      body: JSON.stringify({ externalDeviceId: "soak", ts: 1_700_000_000_000 + round, telemetry: { round } }),
    });
    if (status >= 300) throw new Error(`the webhook answered ${status}`);
  };
}

/** Connects as one of the devices, sends a value and goes. */
async function comeAndGo(port: number, token: string, round: number): Promise<void> {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { username: token, reconnectPeriod: 0 });
  await client.publishAsync(TOPIC, JSON.stringify({ ts: 1_700_000_000_000 + round, values: { round } }), {
    qos: 1,
  });
  await client.endAsync();
}

/** Everything that goes on beside the load until it is over. */
async function runBeside(
  gateway: Gateway,
  api: ApiClient,
  {
    loaded,
    webhook,
    listener,
    isOver,
  }: {
    loaded: readonly string[];
    webhook: (round: number) => Promise<void>;
    listener: Awaited<ReturnType<typeof listen>>;
    isOver: () => boolean;
  },
) {
  const probes = await createRuledDevices(api, PROBES, "probe");
  const roamers = await createRuledDevices(api, PROBES, "roamer");
  const tokens = roamers.map(({ credentials }) => credentials.token);
  const [alarms, queries, webhooks, reconnects] = await Promise.all([
    probe(gateway, listener, { devices: probes, isOver }),
    repeat(QUERY_MS, isOver, (round) => {
      const deviceId = loaded[round % loaded.length];
      const range = `from=0&to=${Date.now()}&aggregation=avg&maxDataPoints=500&keys=temperature`;
      return api.get(`/api/devices/${deviceId}/telemetry/range?${range}`);
    }),
    repeat(WEBHOOK_MS, isOver, webhook),
    repeat(RECONNECT_MS, isOver, (round) =>
      comeAndGo(gateway.mqttPort, tokens[round % tokens.length] ?? "", round),
    ),
  ]);
  listener.close();
  const roamed = roamers.map(({ deviceId }) => deviceId);
  return { alarms, queries, webhooks, reconnects, roamed };
}

const p99Of = (times: readonly number[]): string =>
  `p99 ${fixed(share(times, 0.99), 1)} ms, slowest ${fixed(times.at(-1) ?? 0, 0)} ms`;

type Beside = Awaited<ReturnType<typeof runBeside>>;

interface Outcome {
  readonly minutes: number;
  /** Messages a second that the gateway took before. */
  readonly most: number;
  readonly held: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly samples: readonly Sample[];
  readonly beside: Beside;
}

function rowsOf({ minutes, most, held, acknowledged, lost, samples, beside }: Outcome): Row[] {
  const settled = samples.slice(Math.floor(samples.length * SETTLED_FROM));
  const memory = settled.map((sample) => sample.residentMb);
  const grown = slope(settled);
  const { name, mb } = largest(samples.map(({ wal }) => wal));
  const section = "Soak";
  return [
    {
      section,
      measure: `${fixed(minutes, 0)} minutes of ${thousands(held)} messages/s of ${POINTS_PER_MESSAGE} points (it took ${thousands(most)}/s before), ${thousands(beside.reconnects.length)} reconnects: acknowledged messages that are not stored`,
      value: `${thousands(lost)} of ${thousands(acknowledged)}`,
      goal: "0",
      met: lost === 0,
    },
    {
      section,
      measure: "resident memory after the first fifth: growth for 10^8 points",
      value: `${fixed(grown, 1)} MB (${fixed(memory[0] ?? 0, 0)} MB then, ${fixed(memory.at(-1) ?? 0, 0)} MB at the end, ${fixed(Math.max(...memory), 0)} MB at most)`,
      goal: `≤ ${SLOPE_MB_MAX} MB`,
      met: grown <= SLOPE_MB_MAX,
    },
    {
      section,
      measure: "largest write-ahead log",
      value: `${fixed(mb, 1)} MB (${name})`,
      goal: `≤ ${WAL_MB_MAX} MB`,
      met: mb <= WAL_MB_MAX,
    },
    {
      section,
      measure: `PUBLISH to the alarm on a WebSocket meanwhile, ${thousands(beside.alarms.length)} alarms`,
      value: `p50 ${fixed(share(beside.alarms, 0.5), 1)} ms, ${p99Of(beside.alarms)}`,
      goal: `p99 ≤ ${ALARM_P99_MS_MAX} ms`,
      met: share(beside.alarms, 0.99) <= ALARM_P99_MS_MAX,
    },
    {
      section,
      measure: `a range of one device, all of its values to 500, ${thousands(beside.queries.length)} queries; a webhook, ${thousands(beside.webhooks.length)} messages`,
      value: `${p99Of(beside.queries)}; ${p99Of(beside.webhooks)}`,
      goal: "–",
      met: undefined,
    },
  ];
}

/** Runs the load to its end and looks at the gateway meanwhile. */
function runSampled(gateway: Gateway, load: Load) {
  let isOver = false;
  const samples: Sample[] = [];
  const startedAt = performance.now();
  const loading = runLoad(load).finally(() => {
    isOver = true;
  });
  const sample = async () => {
    const points = ((performance.now() - startedAt) / 1000) * (load.rate ?? 0) * POINTS_PER_MESSAGE;
    samples.push({ points, residentMb: residentMb(gateway.pid), wal: largestWal(gateway.directory) });
  };
  const sampling = repeat(SAMPLE_MS, () => isOver, sample);
  return {
    isOver: () => isOver,
    result: async () => ({ ...(await loading), samples, sampled: await sampling }),
  };
}

/** `minutes` under `rate` messages a second; without it, half of what the same gateway takes in the `seconds` before. */
export async function benchSoak(minutes: number, seconds: number, fixedRate?: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory);
  try {
    const api = await gateway.signIn();
    const devices = await createRuledDevices(api, CONNECTIONS, "load");
    const users = devices.map(({ credentials }) => credentials.token);
    const ids = devices.map(({ deviceId }) => deviceId);
    const shape = { connections: CONNECTIONS, window: 20, qos: 1, topic: TOPIC } as const;
    const load = { ...shape, port: gateway.mqttPort, users };
    const { messagesPerSecond: most } = await runLoad({ ...load, seconds });
    const { key } = await api.post<{ key: string }>("/api/api-keys", { name: "soak", role: "TENANT_OWNER" });
    const webhook = await createWebhook(gateway, api);
    const listener = await listen(gateway, api);
    // A session ends before a long run does.
    const lasting = await connectApi({ url: gateway.url, key });
    const { isOver, result } = runSampled(gateway, {
      ...load,
      seconds: minutes * 60,
      rate: fixedRate ?? most / 2,
    });
    const beside = await runBeside(gateway, lasting, { loaded: ids, webhook, listener, isOver });
    const { acknowledged, messagesPerSecond: held, samples } = await result();
    const stored = await countPoints(lasting, ids, "power");
    const roamed = await countPoints(lasting, beside.roamed, "round");
    const lost = Math.max(0, acknowledged - stored) + Math.max(0, beside.reconnects.length - roamed);
    return rowsOf({ minutes, most, held, acknowledged, lost, samples, beside });
  } finally {
    await gateway.kill("SIGTERM");
    remove(directory);
  }
}

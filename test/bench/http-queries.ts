import { createRandom } from "../../src/lib/data/random.ts";
import { mediansByRounds } from "./median.ts";
import {
  type BenchDevice,
  createDevices,
  remove,
  startGateway,
  temporaryDirectory,
  untilIdle,
} from "./processes.ts";
import { fixed, type Row } from "./report.ts";
import { type PointList, startVictoriaMetrics, type VictoriaMetrics } from "./victoria-metrics.ts";

/*
 * Answers over HTTP, JSON both, beside VictoriaMetrics with the same data: every request by the same client over a kept-alive connection, a
 * window that moves by a reading, and for one device another device each time. Neither side may answer from a cache of results:
 * VictoriaMetrics is asked with `nocache=1`, Lineside has none.
 */

const START = Date.parse("2026-01-01T00:00:00Z");
const STEP_MS = 10_000;
const DAY_MS = 86_400_000;
const DAYS = 31;
const DEVICES = 50;
const ROWS_PER_PART = 17_280;
/** Windows that are asked for in turn. */
const WINDOWS = 97;
const KEY = "temperature";
/** Time (ms) after an import until the gateway has sealed what it holds: nobody tells it to. */
const SETTLED_MS = 75_000;
/** Requests before those that are timed; each device is asked for several times. */
const WARM_REQUESTS = 200;

/** A temperature that wanders by tenths, as a sensor reports it. */
function pointsOf(device: number): PointList {
  const random = createRandom(device + 1);
  const ts: number[] = [];
  const values: number[] = [];
  let tenths = 215;
  for (let stamp = START; stamp < START + DAYS * DAY_MS; stamp += STEP_MS) {
    tenths = Math.max(-200, Math.min(900, tenths + Math.round((random() - 0.5) * 4)));
    ts.push(stamp);
    values.push(tenths / 10);
  }
  return { ts, values };
}

interface Question {
  readonly measure: string;
  readonly devices: 1 | typeof DEVICES;
  readonly days: number;
  readonly points: number;
  readonly goal: number;
}

const questions: readonly Question[] = [
  { measure: "1 device, 1 day", devices: 1, days: 1, points: 288, goal: 2 },
  { measure: "1 device, 30 days", devices: 1, days: 30, points: 500, goal: 4 },
  { measure: "50 devices, 1 day", devices: DEVICES, days: 1, points: 96, goal: 3 },
  { measure: "50 devices, 30 days", devices: DEVICES, days: 30, points: 500, goal: 3 },
];

/** The device and the start of the window of a request. */
const windowOf = ({ days }: Question, request: number) => ({
  device: (request * 7) % DEVICES,
  from: START + (DAYS - days) * DAY_MS - (request % WINDOWS) * STEP_MS,
});

/** Reads an answer to its end. */
async function bytesOf(url: string, init?: RequestInit): Promise<Uint8Array> {
  const response = await fetch(url, init);
  const body = new Uint8Array(await response.arrayBuffer());
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${new TextDecoder().decode(body)}`);
  return body;
}

type Ask = (question: Question, request: number) => Promise<Uint8Array>;

function askLineside(url: string, token: string, devices: readonly BenchDevice[]): Ask {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const deviceIds = devices.map(({ deviceId }) => deviceId);
  return (question, request) => {
    const { device, from } = windowOf(question, request);
    const to = from + question.days * DAY_MS - 1;
    const of = { from, to, aggregation: "avg", maxDataPoints: question.points };
    if (question.devices > 1)
      return bytesOf(`${url}/api/v1/telemetry/query`, {
        method: "POST",
        headers,
        body: JSON.stringify({ deviceIds, keys: [KEY], ...of }),
      });
    const query = new URLSearchParams({
      keys: KEY,
      ...Object.fromEntries(Object.entries(of).map(([name, value]) => [name, String(value)])),
    });
    return bytesOf(`${url}/api/devices/${deviceIds[device]}/telemetry/range?${query}`, { headers });
  };
}

const askVictoria =
  ({ url }: VictoriaMetrics): Ask =>
  (question, request) => {
    const { device, from } = windowOf(question, request);
    const step = (question.days * DAY_MS) / question.points / 1000;
    const selector = question.devices > 1 ? KEY : `${KEY}{device="${device}"}`;
    const query = new URLSearchParams({
      query: `avg_over_time(${selector}[${step}s])`,
      start: String(from / 1000 + step),
      end: String((from + question.days * DAY_MS) / 1000),
      step: `${step}s`,
      nocache: "1",
    });
    return bytesOf(`${url}/api/v1/query_range?${query}`);
  };

/** Points of an answer of either: a series is an array of them. */
function countPoints(body: Uint8Array): number {
  const response = JSON.parse(new TextDecoder().decode(body));
  if ("result" in response.data)
    return response.data.result.reduce(
      (sum: number, { values }: { values: unknown[] }) => sum + values.length,
      0,
    );
  return response.data.reduce(
    (sum: number, { series }: { series: { points: unknown[] }[] }) => sum + (series[0]?.points.length ?? 0),
    0,
  );
}

async function measure(question: Question, lineside: Ask, victoria: Ask | undefined): Promise<Row> {
  const expected = question.devices * question.points;
  for (const ask of [lineside, victoria]) {
    const points = ask === undefined ? expected : countPoints(await ask(question, 3));
    if (points !== expected) throw new Error(`${question.measure}: ${points} points instead of ${expected}`);
  }
  let request = 0;
  // Both have run for a while: blocks are at hand, code is compiled.
  for (; request < WARM_REQUESTS; request++) {
    await lineside(question, request);
    await victoria?.(question, request);
  }
  const own = () => lineside(question, request++);
  const [ms, peerMs] = await mediansByRounds(own, () => victoria?.(question, request++));
  const bytes = (await own()).length;
  const hasPeer = victoria !== undefined;
  return {
    section: "Queries",
    measure: `${question.measure} at 10 s, avg to ${question.points} a device, over HTTP (${fixed(bytes / 1000, 0)} kB of JSON)`,
    value: `${fixed(ms)} ms`,
    peer: hasPeer ? `VictoriaMetrics ${fixed(peerMs)} ms` : "VictoriaMetrics is not installed",
    ...(hasPeer && { ratio: peerMs / ms }),
    goal: `≥ ${question.goal} ×`,
    met: hasPeer ? peerMs / ms >= question.goal : undefined,
  };
}

/** How long range queries take over HTTP; `binary` is the program of VictoriaMetrics. */
export async function benchHttpQueries(binary: string | undefined): Promise<Row[]> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory);
  const victoria = await startVictoriaMetrics(binary);
  try {
    const api = await gateway.signIn();
    const devices = await createDevices(api, DEVICES);
    for (const [index, { deviceId }] of devices.entries()) {
      const points = pointsOf(index);
      for (let first = 0; first < points.ts.length; first += ROWS_PER_PART) {
        const ts = points.ts.slice(first, first + ROWS_PER_PART);
        const values = points.values.slice(first, first + ROWS_PER_PART);
        const csv = ts.map((stamp, row) => `${stamp},${values[row]}`).join("\n");
        await api.postText(`/api/devices/${deviceId}/telemetry/import`, "text/csv", `ts,${KEY}\n${csv}\n`);
        await victoria?.write({ key: KEY, device: String(index), points: { ts, values } });
      }
    }
    await Bun.sleep(SETTLED_MS);
    await untilIdle(gateway.pid);
    await victoria?.merge();
    const { key } = await api.post<{ key: string }>("/api/api-keys", {
      name: "bench",
      role: "TENANT_READ_ONLY",
    });
    const lineside = askLineside(gateway.url, key, devices);
    const rows: Row[] = [];
    for (const question of questions)
      rows.push(
        await measure(question, lineside, victoria === undefined ? undefined : askVictoria(victoria)),
      );
    return rows;
  } finally {
    await gateway.kill("SIGTERM");
    await victoria?.stop();
    remove(directory);
  }
}

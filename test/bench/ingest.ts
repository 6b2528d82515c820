import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { startInflux } from "./influx.ts";
import type { LoadResult } from "./mqtt-load.ts";
import {
  createDevices,
  measureCeiling,
  remove,
  residentMb,
  runHttpLoad,
  runLoad,
  startGateway,
  startMosquitto,
  temporaryDirectory,
} from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";

const TOPIC = "v1/devices/me/telemetry";
const DEVICES = 100;

interface Shape {
  readonly name: string;
  readonly connections: number;
  readonly window: number;
  readonly qos: 0 | 1;
  readonly goal: number;
  readonly isLatency?: boolean;
}

const shapes: readonly Shape[] = [
  {
    name: "QoS 1, 100 connections, window 20, 3 keys: acknowledged after the commit, messages/s",
    connections: 100,
    window: 20,
    qos: 1,
    goal: 3.2,
  },
  {
    name: "QoS 1, 100 connections, window 100, 3 keys: acknowledged after the commit, messages/s",
    connections: 100,
    window: 100,
    qos: 1,
    goal: 4,
  },
  {
    name: "QoS 0, 10 connections, messages/s sent (back-pressure holds the sender; nothing acknowledges them)",
    connections: 10,
    window: 20,
    qos: 0,
    goal: 2,
  },
  {
    name: "QoS 1, 1,000 connections, window 1, messages/s",
    connections: 1000,
    window: 1,
    qos: 1,
    goal: 1,
  },
  {
    name: "QoS 1, 1 connection, window 1: acknowledgement",
    connections: 1,
    window: 1,
    qos: 1,
    goal: 2,
    isLatency: true,
  },
];

/** Points of one device in the store. Every round counts its timestamps from the same start, so rounds overwrite one another. */
async function countStored(api: { get<T>(path: string): Promise<T> }, deviceId: string): Promise<number> {
  const path = `/api/devices/${deviceId}/telemetry/range?from=0&to=1900000000000&keys=power&aggregation=count&maxDataPoints=1`;
  const { data } = await api.get<{ data: Array<{ series: Array<{ points: Array<{ value: number }> }> }> }>(
    path,
  );
  return data[0]?.series[0]?.points[0]?.value ?? 0;
}

/** Each shape runs in turn against peer and product, a few rounds, so that both see the same machine; medians count. */
const ROUNDS = 3;
const median = (values: readonly number[]): number =>
  [...values].sort((x, y) => x - y)[values.length >> 1] ?? 0;

async function measureShape(shape: Shape, seconds: number): Promise<Row> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory);
  const peer = await startMosquitto();
  try {
    const api = await gateway.signIn();
    const devices = await createDevices(api, Math.max(DEVICES, shape.connections));
    const load = {
      seconds,
      connections: shape.connections,
      window: shape.window,
      qos: shape.qos,
      topic: TOPIC,
    };
    const users = devices.map((device) => device.token);
    const own: LoadResult[] = [];
    const others: LoadResult[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      if (peer !== undefined) others.push(await runLoad({ ...load, port: peer.port }));
      own.push(await runLoad({ ...load, port: gateway.mqttPort, users }));
    }
    const base = { section: "Ingest", measure: shape.name };
    const ownMedian = (pick: (result: LoadResult) => number) => median(own.map(pick));
    const peerMedian = (pick: (result: LoadResult) => number) => median(others.map(pick));
    if (shape.isLatency) {
      const p50 = ownMedian((result) => result.p50Ms);
      const p99 = ownMedian((result) => result.p99Ms);
      const fsync = fsyncMs();
      return {
        ...base,
        value: `p50 ${fixed(p50)} ms, p99 ${fixed(p99)} ms; one write and fdatasync here ${fixed(fsync)} ms`,
        peer: `Mosquitto p50 ${fixed(peerMedian((result) => result.p50Ms))} ms (stores nothing)`,
        ratio: p50 / fsync,
        goal: "p50 ≤ 2 × one fsync, p99 ≤ 5 ms",
        met: p50 <= 2 * fsync && p99 <= 5,
      };
    }
    const rate = ownMedian((result) => result.messagesPerSecond);
    const stored = await countStored(api, devices[0]?.deviceId ?? "");
    const ceiling = shape.qos === 1 ? await measureCeiling(load) : undefined;
    const note = `${thousands(stored)} stored of device 1; ${fixed(residentMb(gateway.pid), 0)} MB resident${ceiling === undefined ? "" : `; generator's ceiling ${thousands(ceiling.messagesPerSecond)}`}`;
    const ratio = peer && rate / peerMedian((result) => result.messagesPerSecond);
    return {
      ...base,
      value: `${thousands(rate)} (${note})`,
      ...(peer && {
        peer: `Mosquitto ${thousands(peerMedian((result) => result.messagesPerSecond))} (stores nothing)`,
      }),
      ...(ratio !== undefined && { ratio }),
      goal: `≥ ${shape.goal} ×`,
      met: ratio === undefined ? undefined : ratio >= shape.goal,
    };
  } finally {
    await peer?.stop();
    await gateway.kill("SIGTERM");
    remove(directory);
  }
}

/** Median of one small write and fdatasync, in ms. */
function fsyncMs(): number {
  const directory = temporaryDirectory();
  const descriptor = openSync(join(directory, "probe"), "w");
  const times = Array.from({ length: 200 }, () => {
    const startedAt = performance.now();
    writeSync(descriptor, new Uint8Array(200));
    fdatasyncSync(descriptor);
    return performance.now() - startedAt;
  });
  closeSync(descriptor);
  remove(directory);
  return median(times);
}

const HTTP_CLIENTS = 64;

/** One message a request, each acknowledged when it is on the disk, by both. */
async function measureHttpSingle(seconds: number): Promise<Row> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory);
  const influx = await startInflux();
  try {
    const devices = await createDevices(await gateway.signIn(), HTTP_CLIENTS);
    const load = { seconds, connections: HTTP_CLIENTS };
    const peer =
      influx &&
      (await runHttpLoad({
        ...load,
        url: influx.url,
        contentType: "text/plain",
        requests: devices.map(
          (_, index) =>
            `/write?db=bench&precision=ms\u0001m,device=d${index} temperature=21.5,humidity=40.1,power=1000 #TS#`,
        ),
      }));
    const own = await runHttpLoad({
      ...load,
      url: gateway.url,
      contentType: "application/json",
      requests: devices.map(
        ({ token }) =>
          `/api/v1/${token}/telemetry\u0001{"ts":#TS#,"values":{"temperature":21.5,"humidity":40.1,"power":1000}}`,
      ),
    });
    if (own.refused + (peer?.refused ?? 0) > 0) throw new Error("a request of the load was refused");
    const ratio = peer && own.messagesPerSecond / peer.messagesPerSecond;
    return {
      section: "Ingest",
      measure: `HTTP, ${HTTP_CLIENTS} clients, 1 message of 3 keys a request, fsynced before the answer, requests/s`,
      value: `${thousands(own.messagesPerSecond)} (p50 ${fixed(own.p50Ms, 1)} ms)`,
      ...(peer && { peer: `InfluxDB ${thousands(peer.messagesPerSecond)} (p50 ${fixed(peer.p50Ms, 1)} ms)` }),
      ...(ratio !== undefined && { ratio }),
      goal: "≥ 3 ×",
      met: ratio === undefined ? undefined : ratio >= 3,
    };
  } finally {
    await influx?.stop();
    await gateway.kill("SIGTERM");
    remove(directory);
  }
}

const BATCH_ITEMS = 1_000;
const BATCH_CLIENTS = 4;

/** Points a second that `post` takes from a few clients in batches; the client encodes on the same machine. */
async function batchRate(seconds: number, post: (firstTs: number) => Promise<unknown>): Promise<number> {
  let ts = 1_700_000_000_000;
  let points = 0;
  const startedAt = performance.now();
  const client = async () => {
    while (performance.now() - startedAt < seconds * 1000) {
      ts += BATCH_ITEMS;
      await post(ts);
      points += 3 * BATCH_ITEMS;
    }
  };
  await Promise.all(Array.from({ length: BATCH_CLIENTS }, client));
  return points / ((performance.now() - startedAt) / 1000);
}

const numbers = Array.from({ length: BATCH_ITEMS }, (_, index) => index);

async function measureHttpBatch(seconds: number): Promise<Row> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory);
  const influx = await startInflux();
  try {
    const api = await gateway.signIn();
    const [device] = await createDevices(api, 1);
    const lines = (first: number) =>
      numbers
        .map(
          (index) =>
            `m,device=d temperature=${20 + (index % 97) / 10},humidity=${40 + (index % 53) / 10},power=${1000 + (index % 211)} ${first + index}`,
        )
        .join("\n");
    const items = (first: number) =>
      numbers.map((index) => ({
        ts: first + index,
        telemetry: {
          temperature: 20 + (index % 97) / 10,
          humidity: 40 + (index % 53) / 10,
          power: 1000 + (index % 211),
        },
      }));
    const peer = influx && (await batchRate(seconds, (first) => influx.write(lines(first))));
    const own = await batchRate(seconds, (first) =>
      api.post(`/api/v1/${device?.token}/telemetry/batch`, { items: items(first) }),
    );
    return {
      section: "Ingest",
      measure: `HTTP batches of ${thousands(BATCH_ITEMS)} items × 3 keys, ${BATCH_CLIENTS} clients, points/s`,
      value: thousands(own),
      ...(peer !== undefined && { peer: `InfluxDB ${thousands(peer)}`, ratio: own / peer }),
      goal: "≥ 1 ×",
      met: peer === undefined ? undefined : own >= peer,
    };
  } finally {
    await influx?.stop();
    await gateway.kill("SIGTERM");
    remove(directory);
  }
}

export async function benchIngest(seconds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const shape of shapes) rows.push(await measureShape(shape, seconds));
  return [...rows, await measureHttpSingle(seconds), await measureHttpBatch(seconds)];
}

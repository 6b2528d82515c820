import {
  createDevices,
  measureCeiling,
  remove,
  residentMb,
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
    goal: 3,
  },
  { name: "QoS 0, 10 connections, stored, messages/s", connections: 10, window: 20, qos: 0, goal: 1.5 },
  { name: "QoS 1, 1,000 connections, window 1, messages/s", connections: 1000, window: 1, qos: 1, goal: 1 },
  {
    name: "QoS 1, 1 connection, window 1: acknowledgement",
    connections: 1,
    window: 1,
    qos: 1,
    goal: 2,
    isLatency: true,
  },
];

/** Checks that what was acknowledged is stored: the newest time stamp of a device cannot exist otherwise. */
async function countStored(api: { get<T>(path: string): Promise<T> }, deviceId: string): Promise<number> {
  const path = `/api/devices/${deviceId}/telemetry/range?from=0&to=1900000000000&keys=power&aggregation=count&maxDataPoints=1`;
  const { data } = await api.get<{ data: Array<{ series: Array<{ points: Array<{ value: number }> }> }> }>(
    path,
  );
  return data[0]?.series[0]?.points[0]?.value ?? 0;
}

async function measureShape(shape: Shape, seconds: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory);
  const mosquitto = await startMosquitto();
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
    const peer = mosquitto && (await runLoad({ ...load, port: mosquitto.port }));
    const own = await runLoad({
      ...load,
      port: gateway.mqttPort,
      users: devices.map((device) => device.token),
    });
    const stored = await countStored(api, devices[0]?.deviceId ?? "");
    const memory = residentMb(gateway.pid);
    const base = { section: "Ingest", measure: shape.name };
    if (shape.isLatency) {
      return [
        {
          ...base,
          value: `p50 ${fixed(own.p50Ms)} ms, p99 ${fixed(own.p99Ms)} ms`,
          ...(peer && { peer: `Mosquitto p50 ${fixed(peer.p50Ms)} ms (stores nothing)` }),
          goal: "p99 ≤ 10 ms",
          met: own.p99Ms <= 10,
        },
      ];
    }
    const ratio = peer && own.messagesPerSecond / peer.messagesPerSecond;
    const ceiling = shape.qos === 1 ? await measureCeiling(load) : undefined;
    const note = `${thousands(stored)} stored of device 1; ${fixed(memory, 0)} MB resident${ceiling === undefined ? "" : `; generator's ceiling ${thousands(ceiling.messagesPerSecond)}`}`;
    return [
      {
        ...base,
        value: `${thousands(own.messagesPerSecond)} (${note})`,
        ...(peer && { peer: `Mosquitto ${thousands(peer.messagesPerSecond)} (stores nothing)` }),
        ...(ratio !== undefined && { ratio }),
        goal: `≥ ${shape.goal} ×`,
        met: ratio === undefined ? undefined : ratio >= shape.goal,
      },
    ];
  } finally {
    await mosquitto?.stop();
    await gateway.kill("SIGTERM");
    remove(directory);
  }
}

async function measureHttpBatch(seconds: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory);
  try {
    const api = await gateway.signIn();
    const [device] = await createDevices(api, 1);
    let ts = 1_700_000_000_000;
    let points = 0;
    const startedAt = performance.now();
    const client = async () => {
      while (performance.now() - startedAt < seconds * 1000) {
        const items = Array.from({ length: 1000 }, () => ({
          ts: ts++,
          telemetry: {
            temperature: 20 + (ts % 97) / 10,
            humidity: 40 + (ts % 53) / 10,
            power: 1000 + (ts % 211),
          },
        }));
        await api.post(`/api/v1/${device?.token}/telemetry/batch`, { items });
        points += 3000;
      }
    };
    await Promise.all([client(), client(), client(), client()]);
    const rate = points / ((performance.now() - startedAt) / 1000);
    return [
      {
        section: "Ingest",
        measure:
          "HTTP batches of 1,000 items × 3 keys, 4 clients, points/s (the client encodes on the same machine)",
        value: thousands(rate),
        goal: "≥ 1 M",
        met: rate >= 1e6,
      },
    ];
  } finally {
    await gateway.kill("SIGTERM");
    remove(directory);
  }
}

export async function benchIngest(seconds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const shape of shapes) rows.push(...(await measureShape(shape, seconds)));
  rows.push(...(await measureHttpBatch(seconds)));
  return rows;
}

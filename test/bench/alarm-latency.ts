import { connectAsync } from "mqtt";
import type { ApiClient } from "../../src/cli/api-client.ts";
import { type Gateway, remove, runLoad, startGateway, temporaryDirectory } from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";

const TOPIC = "v1/devices/me/telemetry";
const CONNECTIONS = 100;
const WINDOW = 20;
const PROBES = 10;
/** Alarms are raised one after the other, after pauses of up to so long: they meet the load wherever it is. */
const PAUSE_MS_MAX = 20;
/** The load connects and warms up first. */
const SETTLE_MS = 1_500;
const GOAL_MS = 10;
/** An alarm that takes longer will not come. */
const LOST_MS = 10_000;

const alarmRules = [
  {
    alarmType: "level",
    createRules: [{ severity: "MAJOR", condition: { key: "level", op: "GT", value: 5 } }],
    clearRule: { condition: { key: "level", op: "LE", value: 5 } },
  },
  // The load is evaluated by a rule as well, and raises nothing.
  {
    alarmType: "power",
    createRules: [{ severity: "MAJOR", condition: { key: "power", op: "GT", value: 1_000_000 } }],
  },
];

interface Device {
  readonly deviceId: string;
  readonly credentials: { readonly token: string };
}

/** Devices whose values are held against the rules above. */
export async function createRuledDevices(api: ApiClient, count: number, prefix: string): Promise<Device[]> {
  const body = { name: `${prefix} rules`, alarmRules };
  const { profileId } = await api.post<{ profileId: string }>("/api/device-profiles", body);
  const devices: Device[] = [];
  for (let index = 0; index < count; index++)
    devices.push(
      await api.post<Device>("/api/devices", { name: `${prefix} ${index}`, deviceType: "bench", profileId }),
    );
  return devices;
}

/** A WebSocket client that has subscribed to topics, as a screen does. */
export async function openScreen(
  gateway: Gateway,
  api: ApiClient,
  subscription: { readonly topics: readonly string[]; readonly deviceIds?: readonly string[] },
  onMessage: (message: { topic?: string; deviceId?: string }, timeMs: number) => void = () => undefined,
): Promise<WebSocket> {
  const { key } = await api.post<{ key: string }>("/api/api-keys", {
    name: "bench",
    role: "TENANT_READ_ONLY",
  });
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/api/ws`);
  const subscribed = Promise.withResolvers<void>();
  socket.onopen = () => socket.send(JSON.stringify({ type: "auth", token: key }));
  socket.onmessage = ({ data }) => {
    const timeMs = performance.now();
    const message = JSON.parse(String(data)) as { type: string; topic?: string; deviceId?: string };
    if (message.type === "ready")
      socket.send(JSON.stringify({ type: "subscribe", id: "bench", ...subscription }));
    else if (message.type === "snapshot") subscribed.resolve();
    else if (message.type === "error") subscribed.reject(new Error(String(data)));
    else onMessage(message, timeMs);
  };
  socket.onerror = () => subscribed.reject(new Error("the WebSocket failed"));
  await subscribed.promise;
  return socket;
}

/** A screen of alarms; `next` resolves with the time at which the device's next one came. */
export async function listen(gateway: Gateway, api: ApiClient) {
  /** Keyed by device. */
  const waiting = new Map<string, (position: number) => void>();
  const socket = await openScreen(gateway, api, { topics: ["alarms"] }, ({ topic, deviceId }, timeMs) => {
    if (topic === "alarms") waiting.get(deviceId ?? "")?.(timeMs);
  });
  return {
    next: (deviceId: string) =>
      new Promise<number>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error("an alarm did not come")), LOST_MS);
        waiting.set(deviceId, (position) => {
          clearTimeout(timer);
          waiting.delete(deviceId);
          resolve(position);
        });
      }),
    close: () => socket.close(),
  };
}

type Listener = Awaited<ReturnType<typeof listen>>;

/** Raises and clears alarms until `isOver`; the ms from PUBLISH to the alarm on the WebSocket. */
export async function probe(
  gateway: Gateway,
  listener: Listener,
  { devices, isOver }: { devices: readonly Device[]; isOver: () => boolean },
): Promise<number[]> {
  const clients = await Promise.all(
    devices.map(async ({ deviceId, credentials }) => {
      const options = { username: credentials.token, reconnectPeriod: 0 };
      return { deviceId, client: await connectAsync(`mqtt://127.0.0.1:${gateway.mqttPort}`, options) };
    }),
  );
  const latencies: number[] = [];
  for (let index = 0; !isOver(); index++) {
    const item = clients[index % clients.length];
    if (item === undefined) break;
    for (const level of [9, 0]) {
      const received = listener.next(item.deviceId);
      const sentAt = performance.now();
      item.client.publish(TOPIC, `{"level":${level}}`, { qos: 1 });
      const timeMs = await received;
      if (level === 9) latencies.push(timeMs - sentAt);
      await Bun.sleep(Math.random() * PAUSE_MS_MAX);
    }
  }
  await Promise.all(clients.map(({ client }) => client.endAsync()));
  return latencies.sort((a, b) => a - b);
}

/** The value below which a part of them lies. */
export const share = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;

/** From PUBLISH to the alarm on a WebSocket, at rest and under half of the load that the same gateway took just before. */
export async function benchAlarmLatency(seconds: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory);
  try {
    const api = await gateway.signIn();
    const devices = await createRuledDevices(api, PROBES, "probe");
    const users = (await createRuledDevices(api, CONNECTIONS, "load")).map(
      ({ credentials }) => credentials.token,
    );
    const listener = await listen(gateway, api);
    const load = { port: gateway.mqttPort, connections: CONNECTIONS, qos: 1, topic: TOPIC, users } as const;
    const { messagesPerSecond: most } = await runLoad({ ...load, seconds, window: WINDOW });
    const restEnd = performance.now() + seconds * 1000;
    const atRest = await probe(gateway, listener, { devices, isOver: () => performance.now() > restEnd });
    let isOver = false;
    const loading = runLoad({ ...load, seconds: seconds + SETTLE_MS / 1000, window: WINDOW, rate: most / 2 });
    void loading.finally(() => {
      isOver = true;
    });
    await Bun.sleep(SETTLE_MS);
    const loaded = await probe(gateway, listener, { devices, isOver: () => isOver });
    const { messagesPerSecond: held } = await loading;
    listener.close();
    const p99 = share(loaded, 0.99);
    return [
      {
        section: "Alarms",
        measure: `PUBLISH to the alarm on a WebSocket, ${loaded.length} alarms, under half of the rate taken before (${thousands(held)} of ${thousands(most)} messages/s, QoS 1, ${CONNECTIONS} connections, all evaluated by a rule)`,
        value: `p50 ${fixed(share(loaded, 0.5))} ms, p99 ${fixed(p99)} ms`,
        peer: `at rest: p50 ${fixed(share(atRest, 0.5))} ms, p99 ${fixed(share(atRest, 0.99))} ms`,
        goal: `p99 ≤ ${GOAL_MS} ms`,
        met: p99 <= GOAL_MS,
      },
    ];
  } finally {
    await gateway.kill("SIGTERM");
    remove(directory);
  }
}

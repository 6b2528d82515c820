import { join } from "node:path";
import { connectAsync } from "mqtt";
import type { ApiClient } from "../../src/cli/api-client.ts";
import { startInflux } from "./influx.ts";
import {
  type Peer,
  remove,
  runHttpLoad,
  startGateway,
  startMosquitto,
  temporaryDirectory,
} from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";

const WEBHOOK_RATIO_MIN = 1;
const BRIDGE_RATIO_MIN = 0.5;
const HTTP_CLIENTS = 64;
const DEVICES = 100;
const FIRST_TS = 1_700_000_000_000;
const values = { temperature: 21.5, humidity: 40.1, power: 1000 };

/** In turns, so that both see the same machine; medians count. */
const ROUNDS = 3;
const median = (rates: readonly number[]): number => [...rates].sort((a, b) => a - b)[rates.length >> 1] ?? 0;

interface Shown {
  readonly integrationId: string;
  readonly webhookUrl: string;
  readonly stats: { readonly stored: number };
  readonly bridge: { readonly status: string } | null;
}

const integrationOf = (api: ApiClient, settings_json: object, type: "HTTP" | "MQTT") =>
  api.post<Shown>("/api/integrations", { name: "load", type, status: "active", settings_json });

/** A message a request, each acknowledged when its points and the event that tells of it are on the disk. */
async function measureWebhook(seconds: number): Promise<Row> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory);
  const influx = await startInflux();
  try {
    const api = await gateway.signIn();
    const { webhookUrl } = await integrationOf(api, { autoCreateDevice: true }, "HTTP");
    const { secret } = await api.post<{ secret: string }>("/api/tenant/integration/rotate-secret", {});
    const { pathname } = new URL(webhookUrl);
    const load = { seconds, connections: HTTP_CLIENTS };
    const devices = Array.from({ length: HTTP_CLIENTS }, (_, index) => `load ${index}`);
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
      headers: { "X-Webhook-Secret": secret },
      requests: devices.map(
        (externalDeviceId) =>
          `${pathname}\u0001${JSON.stringify({ externalDeviceId, ts: 0, telemetry: values }).replace('"ts":0', '"ts":#TS#')}`,
      ),
    });
    if (own.refused > 0) throw new Error(`${own.refused} requests of the load were refused`);
    const ratio = peer && own.messagesPerSecond / peer.messagesPerSecond;
    return {
      section: "Integrations",
      measure: `generic webhook, ${HTTP_CLIENTS} clients, a message of 3 keys a request: points and its event fsynced before the answer, requests/s`,
      value: `${thousands(own.messagesPerSecond)} (p50 ${fixed(own.p50Ms, 1)} ms)`,
      ...(peer && {
        peer: `InfluxDB, points alone: ${thousands(peer.messagesPerSecond)} (p50 ${fixed(peer.p50Ms, 1)} ms)`,
      }),
      ...(ratio !== undefined && { ratio }),
      goal: `≥ ${WEBHOOK_RATIO_MIN} ×`,
      met: ratio === undefined ? undefined : ratio >= WEBHOOK_RATIO_MIN,
    };
  } finally {
    await influx?.stop();
    await gateway.kill("SIGTERM");
    remove(directory);
  }
}

/** Messages of many devices, each with a timestamp of its own, into a broker that keeps them for a session. */
async function fill(port: number, topic: string, count: number): Promise<void> {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`);
  let sent = 0;
  const say = async () => {
    while (sent < count) {
      const n = sent++;
      const body = JSON.stringify({ ts: FIRST_TS + n, values });
      await client.publishAsync(`${topic}/device-${n % DEVICES}/up`, body, { qos: 1 });
    }
  };
  await Promise.all(Array.from({ length: 200 }, say));
  await client.endAsync();
}

/** Seconds that a plain subscriber takes for all of them. */
async function drainByPeer(broker: Peer, topic: string, count: number): Promise<number> {
  const run = (wanted: number) =>
    Bun.spawn(
      [process.execPath, join(import.meta.dir, "bridge-peer.ts"), String(broker.port), String(wanted), topic],
      {
        stdout: "pipe",
      },
    );
  const until = async (output: ReadableStream<Uint8Array>, word: string) => {
    const decoder = new TextDecoder();
    for await (const chunk of output.values({ preventCancel: true }))
      if (decoder.decode(chunk).includes(word)) return;
    throw new Error("the peer has ended");
  };
  const first = run(count);
  await until(first.stdout, "subscribed");
  first.kill();
  await first.exited;
  await fill(broker.port, topic, count);
  const startedAt = performance.now();
  const second = run(count);
  await until(second.stdout, "done");
  const seconds = (performance.now() - startedAt) / 1000;
  second.kill();
  return seconds;
}

/** Seconds that the bridge takes until all of them are stored. */
async function drainByBridge(
  api: ApiClient,
  broker: Peer,
  { topic, count }: { topic: string; count: number },
): Promise<number> {
  const mqtt = {
    brokerUrl: `mqtt://127.0.0.1:${broker.port}`,
    topicFilter: `${topic}/+/up`,
    topicTemplate: `${topic}/{device}/up`,
  };
  const { integrationId } = await integrationOf(api, { autoCreateDevice: true, mqtt }, "MQTT");
  const path = `/api/integrations/${integrationId}`;
  const until = async (isSo: (shown: Shown) => boolean) => {
    while (!isSo(await api.get<Shown>(path))) await Bun.sleep(20);
  };
  await until(({ bridge }) => bridge?.status === "connected");
  await fill(broker.port, topic, DEVICES); // which are made by it
  await until(({ stats }) => stats.stored >= DEVICES);
  await api.post(`${path}/pause`, {});
  await until(({ bridge }) => bridge === null);
  await fill(broker.port, topic, count);
  const startedAt = performance.now();
  await api.post(`${path}/start`, {});
  await until(({ stats }) => stats.stored >= DEVICES + count);
  const seconds = (performance.now() - startedAt) / 1000;
  return seconds;
}

async function measureBridge(seconds: number): Promise<Row | undefined> {
  const broker = await startMosquitto();
  if (broker === undefined) return undefined;
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory, ["--outbound-allow", "127.0.0.1"]);
  try {
    const count = seconds * 10_000;
    const api = await gateway.signIn();
    const owns: number[] = [];
    const peers: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      owns.push(count / (await drainByBridge(api, broker, { topic: `bridge-${round}`, count })));
      peers.push(count / (await drainByPeer(broker, `peer-${round}`, count)));
    }
    const [own, peer] = [median(owns), median(peers)];
    return {
      section: "Integrations",
      measure: `MQTT bridge, a backlog of ${thousands(count)} messages of 3 keys from ${DEVICES} devices at Mosquitto, QoS 1: acknowledged when points and event are on the disk, messages/s`,
      value: thousands(own),
      peer: `mqtt.js alone, which stores nothing: ${thousands(peer)}`,
      ratio: own / peer,
      goal: `≥ ${BRIDGE_RATIO_MIN} ×`,
      met: own / peer >= BRIDGE_RATIO_MIN,
    };
  } finally {
    await gateway.kill("SIGTERM");
    await broker.stop();
    remove(directory);
  }
}

/** Measures messages of other networks and programs on their whole way to the disk. */
export async function benchIntegrations(seconds: number): Promise<Row[]> {
  const bridge = await measureBridge(seconds);
  return [await measureWebhook(seconds), ...(bridge === undefined ? [] : [bridge])];
}

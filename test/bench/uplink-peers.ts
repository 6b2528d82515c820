import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { Consumer } from "@platformatic/kafka";
import { freePort } from "../support/free-port.ts";
import { createInfluxdb, hasInfluxdb } from "../support/influxdb.ts";
import { createKafka, hasKafka } from "../support/kafka.ts";
import { createMosquitto, hasMosquitto } from "../support/mosquitto.ts";
import { createNats, hasNats } from "../support/nats.ts";
import { createPostgres, hasPostgres, postgresOwner } from "../support/postgres.ts";
import { hasS3Server } from "../support/s3-server.ts";
import { createVictoriaMetrics, hasVictoriaMetrics } from "../support/victoria-metrics.ts";
import { readUntil, remove, startGateway, temporaryDirectory } from "./processes.ts";
import { Content } from "./uplink-content.ts";
import { createFolderPeer, createS3Peer } from "./uplink-parquet-peers.ts";
import type { UplinkPeer } from "./uplink-peer.types.ts";

const complete = { takesDeletions: true, takesChanges: true };

/** Lines of a file that may be larger than a string. */
function* linesOf(file: string): Generator<string> {
  if (!existsSync(file)) return;
  const descriptor = openSync(file, "r");
  const chunk = Buffer.alloc(8 * 1024 * 1024);
  const decoder = new TextDecoder();
  let rest = "";
  for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk)) {
    const lines = (rest + decoder.decode(chunk.subarray(0, read), { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  closeSync(descriptor);
  if (rest !== "") yield rest;
}

export async function createSink(
  options: Record<string, unknown> = {},
): Promise<UplinkPeer & { pid(): number }> {
  const directory = temporaryDirectory();
  const file = join(directory, "lines");
  const port = await freePort();
  let child: Bun.Subprocess<"ignore", "pipe", "inherit"> | undefined;
  const peer = {
    target: { type: "HTTP", url: `http://127.0.0.1:${port}/`, ...options },
    ...complete,
    pid: () => child?.pid ?? 0,
    async start() {
      const program = join(import.meta.dir, "uplink-sink.ts");
      child = Bun.spawn([process.execPath, program, file, `${port}`], { stdout: "pipe" });
      await readUntil(child.stdout, /\d+/);
    },
    async kill() {
      child?.kill("SIGKILL");
      await child?.exited;
    },
    async read() {
      const content = new Content();
      for (const line of linesOf(file)) content.apply(line);
      return content;
    },
    async stop() {
      await peer.kill();
      remove(directory);
    },
  };
  await peer.start();
  return peer;
}

async function createPostgresPeer(): Promise<UplinkPeer> {
  const postgres = await createPostgres();
  return {
    target: {
      type: "POSTGRESQL",
      host: "127.0.0.1",
      port: postgres.port,
      database: "postgres",
      ...postgresOwner,
    },
    ...complete,
    kill: () => postgres.kill("SIGKILL"),
    start: () => postgres.start(),
    async read() {
      const content = new Content();
      const rows = await postgres.query<{ device: string; key: string; ts: number; value: unknown }>(
        `SELECT device, key, (extract(epoch FROM ts) * 1000)::float8 AS ts,
          coalesce(to_jsonb(number), to_jsonb(boolean), to_jsonb(text), json) AS value FROM lineside.telemetry`,
      );
      for (const { device, key, ts, value } of rows)
        content.set(device, ts, { [key]: typeof value === "string" ? parsedJson(value) : value });
      return content;
    },
    stop: () => postgres.stop(),
  };
}

/** The client returns `jsonb` as text or as its value. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function createInfluxPeer(): Promise<UplinkPeer> {
  const influxdb = await createInfluxdb();
  const fields = { n: "n", s_str: "s", b_bool: "b" };
  return {
    target: {
      type: "INFLUXDB",
      api: "V1",
      url: influxdb.url,
      database: "plant",
      user: "root",
      password: "root",
      deletions: true,
    },
    ...complete,
    kill: () => influxdb.kill("SIGKILL"),
    start: () => influxdb.start(),
    async read() {
      const content = new Content();
      for (const row of await influxdb.query('SELECT n, s_str, b_bool, device FROM "bench"')) {
        const values = Object.entries(fields).filter(([field]) => row[field] !== null);
        content.set(
          String(row.device),
          Number(row.time),
          Object.fromEntries(values.map(([field, key]) => [key, row[field]])),
        );
      }
      return content;
    },
    stop: () => influxdb.stop(),
  };
}

/** It writes to the disk seconds after it has acknowledged, so it is stopped in good order: a kill would lose values in it. */
async function createVictoriaPeer(): Promise<UplinkPeer> {
  const victoria = await createVictoriaMetrics();
  return {
    target: { type: "INFLUXDB", api: "V1", url: victoria.url, database: "plant", texts: false },
    takesDeletions: false,
    takesChanges: false,
    takesTexts: false,
    kill: () => victoria.kill("SIGINT"),
    start: () => victoria.start(),
    async read() {
      const content = new Content();
      for (const { metric, values, timestamps } of await victoria.series('{__name__=~"bench_.*"}')) {
        const isBoolean = metric.__name__ === "bench_b_bool";
        for (const [index, ts] of timestamps.entries()) {
          const value = values[index] ?? 0;
          content.set(metric.device ?? "", ts, isBoolean ? { b: value === 1 } : { n: value });
        }
      }
      return content;
    },
    stop: () => victoria.stop(),
  };
}

/** Mosquitto keeps what it has acknowledged in memory: a subscriber that is always connected has it before. */
async function createMosquittoPeer(): Promise<UplinkPeer> {
  const mosquitto = await createMosquitto({ lines: ["max_inflight_messages 0"] });
  const content = new Content();
  const client = await mosquitto.client({ clean: false, clientId: "reader" });
  client.on("message", (_, payload) => content.apply(payload.toString()));
  await client.subscribeAsync("lineside/#", { qos: 1 });
  return {
    target: {
      type: "MQTT",
      url: `mqtt://127.0.0.1:${mosquitto.port}`,
      payload: '{"device":{deviceId},"ts":{ts},"values":{values}}',
    },
    ...complete,
    kill: () => mosquitto.kill("SIGKILL"),
    start: async () => {
      await mosquitto.start();
      while (!client.connected) await Bun.sleep(10);
    },
    read: async () => content,
    stop: () => mosquitto.stop(),
  };
}

async function createNatsPeer(): Promise<UplinkPeer> {
  const nats = await createNats();
  return {
    target: { type: "NATS", servers: [`127.0.0.1:${nats.port}`], stream: "KILLS" },
    ...complete,
    kill: () => nats.kill(),
    start: () => nats.start(),
    async read() {
      const content = new Content();
      for (const { text } of await nats.read("KILLS")) content.apply(text);
      return content;
    },
    stop: () => nats.stop(),
  };
}

const KAFKA_TOPIC = "kills";
const KAFKA_SILENCE_MS = 3_000;

async function createKafkaPeer(): Promise<UplinkPeer> {
  const kafka = await createKafka();
  return {
    // Deletions keep their place among the values only in the same topic.
    target: {
      type: "KAFKA",
      brokers: [`127.0.0.1:${kafka.port}`],
      topic: KAFKA_TOPIC,
      eventTopic: KAFKA_TOPIC,
      partitions: 4,
    },
    ...complete,
    kill: () => kafka.kill(),
    start: () => kafka.start(),
    read: () => readTopic(kafka.port),
    stop: () => kafka.stop(),
  };
}

async function readTopic(port: number): Promise<Content> {
  const content = new Content();
  const consumer = new Consumer({
    clientId: "reader",
    groupId: `reader-${crypto.randomUUID()}`,
    bootstrapBrokers: [`127.0.0.1:${port}`],
  });
  const stream = await consumer.consume({ topics: [KAFKA_TOPIC], mode: "earliest", maxWaitTime: 50 });
  let lastMs = performance.now();
  stream.on("data", ({ value }) => {
    lastMs = performance.now();
    content.apply(value.toString());
  });
  while (performance.now() - lastMs < KAFKA_SILENCE_MS) await Bun.sleep(100);
  await consumer.close(true);
  return content;
}

async function createCentralPeer(): Promise<UplinkPeer> {
  const directory = temporaryDirectory();
  const port = await freePort();
  const start = () => startGateway(directory, ["--mqtt-port", `${port}`]);
  let central = await start();
  const api = await central.signIn();
  const site = await api.post<{ deviceId: string; credentials: { token: string } }>("/api/devices", {
    name: "site",
    deviceType: "gateway",
    role: "GATEWAY",
  });
  return {
    target: { type: "LINESIDE", url: `mqtt://127.0.0.1:${port}`, token: site.credentials.token },
    takesDeletions: false,
    takesChanges: true,
    kill: () => central.kill("SIGKILL"),
    async start() {
      central = await start();
    },
    async read() {
      const client = await central.signIn();
      const children = await client.get<{ deviceId: string; name: string }[]>(
        `/api/devices/${site.deviceId}/children`,
      );
      const content = new Content();
      for (const { deviceId, name } of children) await readDevice(client, { deviceId, as: name }, content);
      return content;
    },
    async stop() {
      await central.kill("SIGTERM");
      remove(directory);
    },
  };
}

/** Adds what a Lineside has of a device. */
export async function readDevice(
  api: { stream(path: string): Promise<AsyncIterable<Uint8Array>> },
  { deviceId, as }: { readonly deviceId: string; readonly as: string },
  content: Content,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of await api.stream(`/api/devices/${deviceId}/telemetry/export?format=ndjson`)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { ts, values } = JSON.parse(line);
      content.set(as, ts, values);
    }
  }
}

/** The servers that this machine has, by name. */
export const uplinkPeers: Readonly<Record<string, (() => Promise<UplinkPeer>) | false>> = {
  http: () => createSink(),
  postgresql: hasPostgres && createPostgresPeer,
  influxdb: hasInfluxdb && createInfluxPeer,
  victoriametrics: hasVictoriaMetrics && createVictoriaPeer,
  mosquitto: hasMosquitto && createMosquittoPeer,
  nats: hasNats && createNatsPeer,
  kafka: hasKafka && createKafkaPeer,
  lineside: createCentralPeer,
  folder: createFolderPeer,
  s3: hasS3Server && createS3Peer,
};

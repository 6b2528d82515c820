import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "../../src/cli/api-client.ts";
import type { DeviceId, TenantId } from "../../src/lib/core/ids.ts";
import {
  createDevices,
  type Gateway,
  readUntil,
  remove,
  residentMb,
  runLoad,
  startGateway,
  temporaryDirectory,
} from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";
import { openStore } from "./storage.ts";

/*
 * What an uplink costs the gateway: the same process with and without one, which sends history to a receiver that only reads it while
 * devices send at half the rate that the gateway takes.
 */

const DEVICES = 100;
const HISTORY_ROWS = 100_000;
const ROWS_PER_APPEND = 5_000;
const STEP_MS = 1_000;
const FIRST_TS = Date.UTC(2026, 0, 1);
const IDLE_SECONDS = 10;
const SAMPLE_MS = 100;
const TICKS_PER_SECOND = 100;
const TELEMETRY_ONLY = { telemetry: true, attributes: false, alarms: false, devices: false };

interface Uplink {
  readonly uplinkId: string;
  readonly state: string;
  readonly sentPoints: number;
  readonly sentBytes: number;
}

/** A receiver that reads what it gets, in a process of its own. */
async function startSink() {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "uplink-null-sink.ts")], {
    stdout: "pipe",
  });
  const [port = "0"] = await readUntil(child.stdout, /\d+/);
  return { url: `http://127.0.0.1:${port}/`, stop: () => child.kill() };
}

/** A data directory with history, and the tokens of its devices. */
async function createHistory(directory: string): Promise<string[]> {
  const gateway = await startGateway(directory);
  const api = await gateway.signIn();
  const { tenantId } = await api.get<{ tenantId: TenantId }>("/api/auth/me");
  const devices = await createDevices(api, DEVICES, "uplink");
  await gateway.kill("SIGTERM");
  const store = await openStore(directory);
  for (let first = 0; first < HISTORY_ROWS; first += ROWS_PER_APPEND)
    for (const { deviceId } of devices)
      await store.append(
        store.device(tenantId, deviceId as DeviceId), // the id that it was created with
        Array.from({ length: ROWS_PER_APPEND }, (_, row) => historyRow(first + row)),
      );
  await store.compact();
  await store.stop();
  return devices.map(({ token }) => token);
}

const historyRow = (row: number) => ({
  ts: FIRST_TS + row * STEP_MS,
  values: { temperature: 20 + (row % 97) / 10, humidity: 40 + (row % 53) / 10, power: 1000 + (row % 211) },
});

const processorSeconds = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
};
const bytesWritten = (pid: number): number =>
  Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1] ?? 0);

/** Samples the memory of a process. The returned function ends that and returns the most, in MB. */
function watchMemory(pid: number): () => number {
  let most = residentMb(pid);
  const timer = setInterval(() => {
    most = Math.max(most, residentMb(pid));
  }, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    return most;
  };
}

const createUplink = (api: ApiClient, url: string, start: "NOW" | "BEGINNING", gzip: boolean) =>
  api.post<Uplink>("/api/uplinks", {
    name: "Bench",
    target: { type: "HTTP", url, gzip },
    content: TELEMETRY_ONLY,
    start,
  });

async function untilSent(api: ApiClient, uplinkId: string): Promise<Uplink> {
  for (;;) {
    const uplink = await api.get<Uplink>(`/api/uplinks/${uplinkId}`);
    if (uplink.state === "UP_TO_DATE" && uplink.sentPoints > 0) return uplink;
    await Bun.sleep(SAMPLE_MS);
  }
}

/** The runtime sizes its heap by the memory of the machine. */
const SMALL_MACHINE = { BUN_JSC_forceRAMSize: "1073741824" };

interface Setting {
  readonly environment?: Record<string, string>;
  readonly directory: string;
  readonly tokens: readonly string[];
  readonly sinkUrl: string;
}

const start = ({ directory, environment }: Setting) =>
  startGateway(directory, ["--outbound-allow", "127.0.0.1"], environment);

/** Sends all history of a gateway where nothing else happens. */
async function measureBackfill(setting: Setting, gzip: boolean): Promise<Row> {
  const gateway = await start(setting);
  const api = await gateway.signIn();
  await Bun.sleep(1_000);
  const before = residentMb(gateway.pid);
  const memory = watchMemory(gateway.pid);
  const startedAt = performance.now();
  const { uplinkId } = await createUplink(api, setting.sinkUrl, "BEGINNING", gzip);
  const { sentPoints, sentBytes } = await untilSent(api, uplinkId);
  const rate = sentPoints / ((performance.now() - startedAt) / 1_000);
  const added = memory() - before;
  await api.delete(`/api/uplinks/${uplinkId}`);
  await gateway.kill("SIGTERM");
  return {
    section: "Uplinks",
    measure: `history of ${thousands(sentPoints)} points to an HTTP receiver, ${gzip ? "gzip" : "not compressed"}, points/s`,
    value: `${thousands(rate)} (${fixed(sentBytes / sentPoints, 1)} bytes per point; memory + ${fixed(added, 0)} MB from ${fixed(before, 0)})`,
    goal: "≥ 500,000",
    met: rate >= 500_000,
  };
}

interface Measured {
  readonly rate: number;
  readonly memoryMb: number;
  readonly bytesPerMessage: number;
  readonly sentPoints: number;
}

const loadOf = ({ mqttPort }: Gateway, { tokens }: Setting) => ({
  port: mqttPort,
  users: tokens,
  connections: DEVICES,
  window: 20,
  qos: 1 as const,
  topic: "v1/devices/me/telemetry",
});

async function measureLoad(
  setting: Setting,
  { seconds, rate, hasUplink }: { seconds: number; rate: number; hasUplink: boolean },
): Promise<Measured> {
  const gateway = await start(setting);
  const api = await gateway.signIn();
  const uplink = hasUplink ? await createUplink(api, setting.sinkUrl, "BEGINNING", true) : undefined;
  const memory = watchMemory(gateway.pid);
  const before = bytesWritten(gateway.pid);
  const { messagesPerSecond } = await runLoad({
    ...loadOf(gateway, setting),
    seconds,
    ...(rate > 0 && { rate }),
  });
  const bytes = bytesWritten(gateway.pid) - before;
  const memoryMb = memory();
  const sent = uplink && (await api.get<Uplink>(`/api/uplinks/${uplink.uplinkId}`));
  if (uplink !== undefined) await api.delete(`/api/uplinks/${uplink.uplinkId}`);
  await gateway.kill("SIGTERM");
  const bytesPerMessage = bytes / (messagesPerSecond * seconds);
  return { rate: messagesPerSecond, memoryMb, bytesPerMessage, sentPoints: sent?.sentPoints ?? 0 };
}

const memoryRow = (where: string, alone: Measured, both: Measured): Row => ({
  section: "Uplinks",
  measure: `resident memory meanwhile, at most${where}`,
  value: `${fixed(both.memoryMb, 0)} MB`,
  peer: `without the uplink: ${fixed(alone.memoryMb, 0)} MB`,
  goal: "+ ≤ 32 MB",
  met: both.memoryMb - alone.memoryMb <= 32,
});

async function measureTogether(setting: Setting, seconds: number): Promise<Row[]> {
  const most = await measureLoad(setting, { seconds, rate: 0, hasUplink: false });
  const options = { seconds, rate: most.rate / 2 };
  const alone = await measureLoad(setting, { ...options, hasUplink: false });
  const both = await measureLoad(setting, { ...options, hasUplink: true });
  const ratio = both.rate / alone.rate;
  const small = { ...setting, environment: SMALL_MACHINE };
  const smallAlone = await measureLoad(small, { ...options, hasUplink: false });
  const smallBoth = await measureLoad(small, { ...options, hasUplink: true });
  const wear = both.bytesPerMessage / alone.bytesPerMessage - 1;
  return [
    {
      section: "Uplinks",
      measure: `MQTT QoS 1 at half the rate that the gateway takes, while an uplink sends live values and history, messages/s`,
      value: `${thousands(both.rate)} (and ${thousands(both.sentPoints / seconds)} points/s sent)`,
      peer: `without the uplink: ${thousands(alone.rate)}`,
      ratio,
      goal: "≥ 0.9 ×",
      met: ratio >= 0.9,
    },
    memoryRow("", alone, both),
    memoryRow(", heap sized as on a machine with 1 GB", smallAlone, smallBoth),
    {
      section: "Uplinks",
      measure: "bytes written to the disk a message meanwhile",
      value: fixed(both.bytesPerMessage, 1),
      peer: `without the uplink: ${fixed(alone.bytesPerMessage, 1)}`,
      ratio: both.bytesPerMessage / alone.bytesPerMessage,
      goal: "+ ≤ 5 %",
      met: wear <= 0.05,
    },
  ];
}

async function measureIdle(setting: Setting): Promise<Row> {
  const gateway = await start(setting);
  const api = await gateway.signIn();
  const idle = async () => {
    const before = processorSeconds(gateway.pid);
    await Bun.sleep(IDLE_SECONDS * 1_000);
    return ((processorSeconds(gateway.pid) - before) / IDLE_SECONDS) * 1_000;
  };
  await Bun.sleep(2_000);
  const alone = await idle();
  const memoryMb = residentMb(gateway.pid);
  await createUplink(api, setting.sinkUrl, "NOW", true);
  await Bun.sleep(2_000);
  const both = await idle();
  const added = residentMb(gateway.pid) - memoryMb;
  await gateway.kill("SIGTERM");
  return {
    section: "Uplinks",
    measure: "an uplink on an idle gateway, ms of processor time a second",
    value: `${fixed(both, 1)} (memory + ${fixed(added, 0)} MB from ${fixed(memoryMb, 0)})`,
    peer: `without the uplink: ${fixed(alone, 1)}`,
    goal: "+ ≤ 1 ms",
    met: both - alone <= 1,
  };
}

/** Measures what uplinks send, and what they cost. */
export async function benchUplinks(seconds: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const sink = await startSink();
  try {
    const tokens = await createHistory(directory);
    const setting = { directory, tokens, sinkUrl: sink.url };
    const backfills = [await measureBackfill(setting, true), await measureBackfill(setting, false)];
    return [...backfills, ...(await measureTogether(setting, seconds)), await measureIdle(setting)];
  } finally {
    sink.stop();
    remove(directory);
  }
}

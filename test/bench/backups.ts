import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fillDirectory } from "./kill-rounds.ts";
import {
  createDevices,
  type Gateway,
  remove,
  residentMb,
  runLoad,
  startGateway,
  temporaryDirectory,
} from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";

/*
 * Backups of a store of 1 GB while devices send at half the rate that the gateway takes: what they cost those who send, and how much
 * a second backup writes.
 */

const STORE_BYTES = 1_000_000_000;
const CONNECTIONS = 100;
const WINDOW = 20;
const TOPIC = "v1/devices/me/telemetry";
const RATE_RATIO_MIN = 0.9;
const MEMORY_MB_MAX = 32;
const DELAY_MS_MAX = 10;
const INCREMENT_SHARE_MAX = 0.03;

type Api = Awaited<ReturnType<Gateway["signIn"]>>;

interface Run {
  readonly state: string;
  readonly bytes?: number;
  readonly addedBytes?: number;
  readonly startedAt: string;
  readonly finishedAt?: string;
}

/** Starts a backup and waits for its end; tells the highest resident memory meanwhile. */
async function backUp(
  gateway: Gateway,
  api: Api,
): Promise<{ run: Run; residentMb: number; seconds: number }> {
  const started = performance.now();
  await api.post("/api/gateway/backup/runs", undefined);
  let resident = 0;
  for (;;) {
    await Bun.sleep(100);
    resident = Math.max(resident, residentMb(gateway.pid));
    const [run] = await api.get<Run[]>("/api/gateway/backup/runs?limit=1");
    if (run === undefined || run.state === "RUNNING") continue;
    if (run.state !== "DONE") throw new Error(`the backup failed: ${JSON.stringify(run)}`);
    return { run, residentMb: resident, seconds: (performance.now() - started) / 1_000 };
  }
}

/** p99 of the event loop's delay since the last minute began, in ms. */
async function delayOf(gateway: Gateway): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(/^lineside_event_loop_delay_seconds\{percentile="99"\} (\S+)$/m.exec(text)?.[1]) * 1_000;
}

export async function benchBackups(seconds: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const place = temporaryDirectory();
  mkdirSync(join(place, "backups"));
  await fillDirectory(directory, STORE_BYTES);
  const gateway = await startGateway(directory, [], { LINESIDE_METRICS: "open" });
  const api = await gateway.signIn();
  const users = (await createDevices(api, CONNECTIONS)).map(({ token }) => token);
  const load = {
    port: gateway.mqttPort,
    connections: CONNECTIONS,
    window: WINDOW,
    qos: 1,
    topic: TOPIC,
    users,
  } as const;
  const most = await runLoad({ ...load, seconds });
  const rate = Math.floor(most.messagesPerSecond / 2);
  await api.put<unknown>("/api/gateway/backup", {
    place: { kind: "folder", path: join(place, "backups") },
    schedule: null,
    daily: 7,
    weekly: 4,
    maxAgeHours: 36,
  });
  const before = residentMb(gateway.pid);
  const alone = await runLoad({ ...load, seconds: seconds * 2, rate });
  const sending = runLoad({ ...load, seconds: 60, rate });
  const first = await backUp(gateway, api);
  const delayMs = await delayOf(gateway);
  const beside = await sending;
  const second = await backUp(gateway, api);
  await gateway.kill("SIGTERM");
  remove(directory);
  remove(place);
  return rowsOf({
    rates: { alone: alone.messagesPerSecond, beside: beside.messagesPerSecond },
    delayMs,
    before,
    first,
    second,
  });
}

type Backup = Awaited<ReturnType<typeof backUp>>;

interface Measured {
  /** Messages a second without and with a backup. */
  readonly rates: { readonly alone: number; readonly beside: number };
  readonly delayMs: number;
  /** Resident memory before, in MB. */
  readonly before: number;
  readonly first: Backup;
  readonly second: Backup;
}

function rowsOf({ rates, delayMs, before, first, second }: Measured): Row[] {
  const section = "Backups";
  const ratio = rates.beside / rates.alone;
  const grown = (second.run.addedBytes ?? 0) / (first.run.bytes ?? 1);
  return [
    {
      section,
      measure: `messages per second acknowledged while a store of ${thousands((first.run.bytes ?? 0) / 1e6)} MB is backed up for ${fixed(first.seconds, 1)} s, sent at half the highest rate`,
      value: thousands(rates.beside),
      peer: `${thousands(rates.alone)} without a backup`,
      ratio,
      goal: `≥ ${RATE_RATIO_MIN} ×`,
      met: ratio >= RATE_RATIO_MIN,
    },
    {
      section,
      measure: "p99 of the event loop's delay meanwhile",
      value: `${fixed(delayMs, 1)} ms`,
      goal: `≤ ${DELAY_MS_MAX} ms`,
      met: delayMs <= DELAY_MS_MAX,
    },
    {
      section,
      measure: "resident memory: before, at most during a backup under load",
      value: `${fixed(before, 0)} MB, ${fixed(first.residentMb, 0)} MB`,
      goal: `+ ≤ ${MEMORY_MB_MAX} MB`,
      met: first.residentMb - before <= MEMORY_MB_MAX,
    },
    {
      section,
      measure: `second backup, after ${thousands(rates.beside * 60)} more messages: part of the first one's bytes`,
      value: `${fixed(grown * 100, 1)} %, ${fixed(second.seconds, 1)} s`,
      goal: `≤ ${INCREMENT_SHARE_MAX * 100} % after 1 % new data`,
      met: grown <= INCREMENT_SHARE_MAX,
    },
  ];
}

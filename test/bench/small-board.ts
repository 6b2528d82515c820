import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ApiClient, connectApi } from "../../src/cli/api-client.ts";
import { share } from "./alarm-latency.ts";
import {
  type BenchDevice,
  buildPreload,
  createDevices,
  type Gateway,
  remove,
  runLoad,
  startGateway,
  temporaryDirectory,
} from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";
import { countPoints } from "./soak.ts";

/*
 * The gateway on a small board: a quarter of a core, 512 MB, 20 ms more for every fsync and 10 MB/s to the disk. It is a profile of control
 * groups on this machine, not a measured Raspberry Pi. Generator and observer run outside of it.
 */

const PROCESSOR_SHARE = 0.25;
const PERIOD_US = 100_000;
const MEMORY_BYTES = 512 * 1024 * 1024;
const DISK_BYTES_PER_SECOND = 10_000_000;
const GROUPS = "/sys/fs/cgroup";

const DEVICES = 100;
/** Messages per second: a site of a hundred devices that send twice a second. */
const RATE = 200;
/** Messages that each connection keeps in flight at the highest rate. */
const MOST_WINDOW = 20;
const HISTORY_DEVICES = 10;
const HISTORY_DAYS = 30;
const HISTORY_STEP_MS = 60_000;
const DAY_MS = 86_400_000;
const PROBE_MS = 100;
const QUERY_MS = 2_000;
const STALL_MS_MAX = 1_000;
const LOAD = { connections: DEVICES, qos: 1, topic: "v1/devices/me/telemetry" } as const;
const SECTION = "Small board";

interface Board {
  /** Command that runs another one on the board. */
  readonly wrapper: readonly string[];
  /** Most memory so far, in MB, with the pages of files that the kernel keeps for it, and how often the kernel ended a process for lack of it. */
  memory(): { readonly mostMb: number; readonly kills: number };
  /** Periods of 100 ms in which the board had work, and those in which its processor time was used up. */
  periods(): { readonly busy: number; readonly usedUp: number };
  remove(): void;
}

/** Creates the control groups, version 1, of the board; undefined where that is not possible. */
function createBoard(directory: string): Board | undefined {
  const groups = ["cpu", "memory", "blkio"].map((kind) =>
    join(GROUPS, kind, `lineside-board-${process.pid}`),
  );
  const [cpu = "", memory = "", disk = ""] = groups;
  if (process.getuid?.() !== 0 || !existsSync(join(GROUPS, "cpu", "cgroup.procs"))) return undefined;
  const device = statSync(directory).dev;
  const major = (device >> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00);
  for (const group of groups) mkdirSync(group);
  writeFileSync(join(cpu, "cpu.cfs_period_us"), String(PERIOD_US));
  writeFileSync(join(cpu, "cpu.cfs_quota_us"), String(PERIOD_US * PROCESSOR_SHARE));
  writeFileSync(join(memory, "memory.limit_in_bytes"), String(MEMORY_BYTES));
  const limit = `${major}:${minor} ${DISK_BYTES_PER_SECOND}`;
  for (const direction of ["read", "write"])
    writeFileSync(join(disk, `blkio.throttle.${direction}_bps_device`), limit);
  const enter = groups.map((group) => `echo $$ > ${group}/cgroup.procs`).join("; ");
  const read = (file: string) => readFileSync(join(memory, file), "utf8");
  return {
    wrapper: ["sh", "-c", `${enter}; exec "$@"`, "sh"],
    memory: () => ({
      mostMb: Number(read("memory.max_usage_in_bytes")) / 1e6,
      kills: Number(/^oom_kill (\d+)$/m.exec(read("memory.oom_control"))?.[1] ?? 0),
    }),
    periods: () => {
      const text = readFileSync(join(cpu, "cpu.stat"), "utf8");
      const [busy = 0, usedUp = 0] = ["nr_periods", "nr_throttled"].map((name) =>
        Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]),
      );
      return { busy, usedUp };
    },
    remove: () => {
      for (const group of groups) rmdirSync(group);
    },
  };
}

/** Asks `ask` every `everyMs` until the work is over. Returns how long the answers took, in ms, sorted. */
async function timesDuring(
  work: Promise<unknown>,
  everyMs: number,
  ask: (round: number) => Promise<unknown>,
): Promise<number[]> {
  let isOver = false;
  const ending = work.finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  for (let round = 0; !isOver; round++) {
    const startedAt = performance.now();
    await ask(round);
    times.push(performance.now() - startedAt);
    await Bun.sleep(Math.max(0, everyMs - (performance.now() - startedAt)));
  }
  await ending;
  return times.sort((a, b) => a - b);
}

async function importHistory(api: ApiClient, devices: readonly BenchDevice[]): Promise<number> {
  const to = Math.floor(Date.now() / HISTORY_STEP_MS) * HISTORY_STEP_MS;
  const rows = (HISTORY_DAYS * DAY_MS) / HISTORY_STEP_MS;
  const startedAt = performance.now();
  for (const [index, { deviceId }] of devices.entries()) {
    const lines = Array.from(
      { length: rows },
      (_, row) => `${to - (rows - row) * HISTORY_STEP_MS},${fixed(20 + Math.sin(row / 200 + index) * 5, 1)}`,
    );
    await api.postText(
      `/api/devices/${deviceId}/telemetry/import`,
      "text/csv",
      `ts,temperature\n${lines.join("\n")}\n`,
    );
  }
  return (devices.length * rows) / ((performance.now() - startedAt) / 1_000);
}

/** Loads the console's page with the scripts and styles that it names. Returns the time in ms. */
async function loadConsole(url: string): Promise<number> {
  const startedAt = performance.now();
  const page = await (await fetch(`${url}/`)).text();
  const files = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, file = ""]) => file);
  if (files.length === 0) throw new Error("the page of the console names no script");
  await Promise.all(
    files.map(async (file) => {
      const response = await fetch(new URL(file, url));
      if (!response.ok) throw new Error(`${file} answered ${response.status}`);
      await response.arrayBuffer();
    }),
  );
  return performance.now() - startedAt;
}

/** Makes a backup into a folder. Returns the time in ms. */
async function backUp(api: ApiClient, place: string): Promise<number> {
  await api.put<unknown>("/api/gateway/backup", {
    place: { kind: "folder", path: place },
    schedule: null,
    daily: 7,
    weekly: 4,
    maxAgeHours: 36,
  });
  const startedAt = performance.now();
  await api.post("/api/gateway/backup/runs", undefined);
  for (;;) {
    await Bun.sleep(200);
    const [run] = await api.get<{ state: string }[]>("/api/gateway/backup/runs?limit=1");
    if (run?.state === "DONE") return performance.now() - startedAt;
    if (run?.state === "FAILED") throw new Error(`the backup failed: ${JSON.stringify(run)}`);
  }
}

const timesText = (times: readonly number[]): string =>
  `p50 ${fixed(share(times, 0.5), 0)} ms, p99 ${fixed(share(times, 0.99), 0)} ms, slowest ${fixed(times.at(-1) ?? 0, 0)} ms`;

const row = (measure: string, value: string, goal = "–", met?: boolean): Row => ({
  section: SECTION,
  measure,
  value,
  goal,
  met,
});

/** Start, a page of the console and history, before the load. */
async function measureIdle(
  gateway: Gateway,
  api: ApiClient,
  history: readonly BenchDevice[],
): Promise<Row[]> {
  const pageMs = await loadConsole(gateway.url);
  const signInAt = performance.now();
  await gateway.signIn();
  const signInMs = performance.now() - signInAt;
  const pointsPerSecond = await importHistory(api, history);
  return [
    row(
      "start to ready, process start included",
      `${thousands(gateway.readyMs)} ms`,
      "≤ 5 s",
      gateway.readyMs <= 5_000,
    ),
    row(
      "the console's first page with its scripts and styles",
      `${thousands(pageMs)} ms`,
      "≤ 2 s",
      pageMs <= 2_000,
    ),
    row("signing in", `${thousands(signInMs)} ms`, "≤ 2 s", signInMs <= 2_000),
    row(
      `import of ${HISTORY_DAYS} days at a minute for ${HISTORY_DEVICES} devices as CSV, points/s`,
      thousands(pointsPerSecond),
    ),
  ];
}

/** What a site does: devices send, screens ask, a backup runs. */
async function measureSite(
  gateway: Gateway,
  api: ApiClient,
  { minutes, place, history }: { minutes: number; place: string; history: readonly BenchDevice[] },
): Promise<Row[]> {
  const devices = await createDevices(api, DEVICES);
  const users = devices.map(({ token }) => token);
  const sending = runLoad({
    ...LOAD,
    window: 1,
    port: gateway.mqttPort,
    users,
    rate: RATE,
    seconds: minutes * 60,
  });
  const range = (days: number) =>
    `from=${Date.now() - days * DAY_MS}&to=${Date.now()}&aggregation=avg&maxDataPoints=500`;
  const [probes, queries, backupMs] = await Promise.all([
    timesDuring(sending, PROBE_MS, async () => (await fetch(`${gateway.url}/healthz`)).arrayBuffer()),
    timesDuring(sending, QUERY_MS, (round) =>
      api.get(
        `/api/devices/${history[round % history.length]?.deviceId}/telemetry/range?keys=temperature&${range(HISTORY_DAYS)}`,
      ),
    ),
    Bun.sleep(10_000).then(async () =>
      backUp(await gateway.signIn(), place),
    ) /* not by an API key, which may not set where backups go */,
  ]);
  const { acknowledged, messagesPerSecond, p99Ms } = await sending;
  const lost = Math.max(
    0,
    acknowledged -
      (await countPoints(
        api,
        devices.map(({ deviceId }) => deviceId),
        "power",
      )),
  );
  const slowest = probes.at(-1) ?? 0;
  return [
    row(
      `${minutes} minutes of ${RATE} messages/s of 3 values from ${DEVICES} devices, a chart every ${QUERY_MS / 1_000} s and a backup: acknowledged and not stored`,
      `${thousands(lost)} of ${thousands(acknowledged)} (${fixed(messagesPerSecond, 0)}/s, acknowledgement p99 ${fixed(p99Ms, 0)} ms)`,
      "0",
      lost === 0,
    ),
    row(
      `answers of \`/healthz\` meanwhile, ${thousands(probes.length)}`,
      timesText(probes),
      `slowest ≤ ${STALL_MS_MAX} ms`,
      slowest <= STALL_MS_MAX,
    ),
    row(
      `chart of a device over ${HISTORY_DAYS} days meanwhile, ${thousands(queries.length)}`,
      timesText(queries),
      "p99 ≤ 1 s",
      share(queries, 0.99) <= 1_000,
    ),
    row("the backup meanwhile", `${fixed(backupMs / 1_000, 1)} s`),
    await measureMost({ ...LOAD, window: MOST_WINDOW, port: gateway.mqttPort, users, seconds: 20 }, gateway),
  ];
}

/** The highest rate, after which the gateway must still answer. */
async function measureMost(load: Parameters<typeof runLoad>[0], gateway: Gateway): Promise<Row> {
  const running = runLoad(load);
  const probes = await timesDuring(running, PROBE_MS, async () =>
    (await fetch(`${gateway.url}/healthz`)).arrayBuffer(),
  );
  const { messagesPerSecond } = await running;
  return row(
    `${DEVICES} connections, window ${MOST_WINDOW}, as fast as possible: messages/s; answers of \`/healthz\` meanwhile`,
    `${thousands(messagesPerSecond)}; ${timesText(probes)}`,
    `slowest ≤ ${STALL_MS_MAX} ms`,
    (probes.at(-1) ?? 0) <= STALL_MS_MAX,
  );
}

export async function benchSmallBoard(minutes: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const place = temporaryDirectory();
  const board = createBoard(directory);
  const preload = buildPreload(place, "slow-fsync");
  if (board === undefined || preload === undefined) {
    console.error("skipped: the small board needs root, control groups of version 1 and a C compiler");
    return [];
  }
  const gateway = await startGateway(directory, [], { LD_PRELOAD: preload }, board.wrapper);
  try {
    const { key } = await (await gateway.signIn()).post<{ key: string }>("/api/api-keys", {
      name: "board",
      role: "TENANT_OWNER",
    });
    const api = await connectApi({ url: gateway.url, key });
    const history = await createDevices(api, HISTORY_DEVICES, "history");
    const rows = [
      ...(await measureIdle(gateway, api, history)),
      ...(await measureSite(gateway, api, { minutes, place, history })),
    ];
    const { mostMb, kills } = board.memory();
    const { busy, usedUp } = board.periods();
    if (usedUp === 0) throw new Error("the board never held the gateway back: its limits are not in effect");
    rows.push(
      row(
        "most memory, with the pages of files that the kernel keeps; processes ended for lack of it",
        `${fixed(mostMb, 0)} MB; ${kills}`,
        "0 ended",
        kills === 0,
      ),
      row("periods of 100 ms whose processor time was used up", `${thousands(usedUp)} of ${thousands(busy)}`),
    );
    await gateway.kill("SIGTERM");
    const again = await startGateway(directory, [], { LD_PRELOAD: preload }, board.wrapper);
    rows.push(
      row("start to ready with this data", `${thousands(again.readyMs)} ms`, "≤ 5 s", again.readyMs <= 5_000),
    );
    await again.kill("SIGTERM");
    return rows;
  } finally {
    await gateway.kill("SIGKILL");
    board.remove();
    remove(directory);
    remove(place);
  }
}

/*
 * Provokes faults of the machine and prints who notices what, and after how many seconds: the table of docs/monitoring.md. Needs root, loop
 * devices, a C compiler and Chromium. Run it with `bun test/safety/faults.ts`; it is not part of the tests, because it takes minutes.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { buildPreload } from "../bench/processes.ts";
import { OWNER, signIn } from "../browser/support/first-visit.ts";
import { openBrowser } from "../browser/support/watched-browser.ts";
import { freePort } from "../support/free-port.ts";
import { type LoopDisk, mountLoopDisk } from "../support/loop-disk.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { PROGRAM } from "../support/program.ts";
import { until } from "../support/until.ts";

const DISK_MB = 192;
/** As the unit has it. */
const RESTART_MS = 5_000;
const WATCH_MS = 20_000;
const DAY_SECONDS = 86_400;
const TELEMETRY_MESSAGES = 400;

const root = mkdtempSync(join(tmpdir(), "lineside-faults-"));
interface Settings {
  readonly data: string;
  readonly port: number;
  readonly mails: MailServer;
  readonly env?: Record<string, string>;
}

/** Starts the gateway as a supervisor does. */
function launch({ data, port, mails, env = {} }: Settings) {
  const options = [
    "--data",
    data,
    "--http-host",
    "127.0.0.1",
    "--http-port",
    String(port),
    "--mqtt-port",
    "0",
  ];
  return Bun.spawn([...PROGRAM, "serve", ...options], {
    env: {
      PATH: process.env.PATH ?? "",
      LINESIDE_OWNER_EMAIL: OWNER.email,
      LINESIDE_OWNER_PASSWORD: OWNER.password,
      LINESIDE_METRICS: "open",
      LINESIDE_SMTP_URL: mails.url,
      LINESIDE_OUTBOUND_ALLOW: "127.0.0.1",
      ...env,
    },
    stdio: ["ignore", "ignore", "ignore"],
  });
}

const seconds = (sinceMs: number) => ((performance.now() - sinceMs) / 1_000).toFixed(1);

/** What one observer saw, in the order in which it saw it. */
class Sightings {
  readonly #seen = new Map<string, string>();
  #startedAt = performance.now();

  add(text: string): void {
    if (text !== "" && !this.#seen.has(text)) this.#seen.set(text, seconds(this.#startedAt));
  }

  /** Counts from now on. */
  restart(): void {
    this.#seen.clear();
    this.#startedAt = performance.now();
  }

  toString(): string {
    return [...this.#seen].map(([text, after]) => `${text} (${after} s)`).join(", ") || "nothing";
  }
}

const metricLines = /^lineside_(?:ready 0|problems\{.*\} 1|clock_offset_seconds -?\d{4,}.*)$/gm;
const SCREEN_PARTS = [
  "[role=alert]",
  "[role=status].bg-neutral",
  "section[aria-labelledby=system-health] li",
  "#system-health li",
].join(", ");

/** Repeats an observation until the watch is over. */
async function repeat(isOver: () => boolean, read: () => Promise<void> | void): Promise<void> {
  while (!isOver()) {
    await read();
    await Bun.sleep(100);
  }
}

/** Reads the metrics once. `earlier` are the lines from before the fault. */
async function readMetrics(url: string, earlier: ReadonlySet<string>, seen: Sightings): Promise<void> {
  const text = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(1_000) }).then(
    (response) => response.text(),
    () => undefined,
  );
  if (text === undefined) seen.add("`up` 0");
  for (const line of text?.match(metricLines) ?? [])
    if (!earlier.has(line)) seen.add(`\`${line.replace(/(clock_offset_seconds) .*/, "$1")}\``);
}

async function readScreen(page: Page, seen: Sightings): Promise<void> {
  const texts = await page
    .locator(SCREEN_PARTS)
    .allInnerTexts()
    .catch(() => []);
  for (const text of texts) seen.add(`“${text.replaceAll(/\s+/g, " ").trim().slice(0, 60)}…”`);
}

interface Context {
  readonly data: string;
  readonly disk: LoopDisk | undefined;
  readonly child: Bun.Subprocess;
  readonly url: string;
}

interface Fault {
  readonly name: string;
  /** Prepares the directory and returns the environment of the gateway. */
  readonly prepare?: (data: string) => Record<string, string>;
  readonly isOnDisk?: boolean;
  /** Provokes the fault in a gateway that runs. */
  readonly provoke: (context: Context) => Promise<void> | void;
  /** The fault is there from the next start on, and times count from there. */
  readonly isFoundAtStart?: boolean;
  /** Ends the fault, to see whether the gateway recovers by itself. */
  readonly end?: (data: string) => void;
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );
}

async function observe(fault: Fault): Promise<string> {
  const id = fault.name.replaceAll(/\W+/g, "-");
  const folder = join(root, id);
  mkdirSync(folder);
  const disk = fault.isOnDisk ? mountLoopDisk(folder, DISK_MB) : undefined;
  if (fault.isOnDisk && disk === undefined) throw new Error("this process may not mount a file system");
  const data = disk?.path ?? folder;
  const env = fault.prepare?.(data) ?? {};
  const mails = await startMailServer();
  const settings = { data, port: await freePort(), mails, env };
  const url = `http://127.0.0.1:${settings.port}`;
  let child = launch(settings);
  await until(() => isReady(url));
  const browser = await openBrowser(url);
  const { page } = browser;
  await page.goto(`${url}/settings/system`);
  await signIn(page);
  await page.locator("#system-health, [aria-labelledby=system-health]").first().waitFor();
  const before = mails.received.length;
  const earlier = new Set((await (await fetch(`${url}/metrics`)).text()).match(metricLines) ?? []);
  const seen = {
    supervisor: new Sightings(),
    metrics: new Sightings(),
    screen: new Sightings(),
    mailbox: new Sightings(),
  };
  let isOver = false;
  let isRestarted = false;
  const supervise = async () => {
    if (child.exitCode === null && child.signalCode === null) return;
    seen.supervisor.add(child.signalCode === null ? `exit code ${child.exitCode}` : `${child.signalCode}`);
    await Bun.sleep(RESTART_MS);
    child = launch(settings);
    if (fault.isFoundAtStart && !isRestarted) for (const each of Object.values(seen)) each.restart();
    isRestarted = true;
    await until(async () => child.exitCode !== null || (await isReady(url)));
    if (child.exitCode === null) seen.supervisor.add("started again, ready");
  };
  const watching = Promise.all(
    [
      supervise,
      () => readMetrics(url, earlier, seen.metrics),
      () => readScreen(page, seen.screen),
      () => {
        for (const { parsed } of mails.received.slice(before)) seen.mailbox.add(`“${parsed.subject}”`);
      },
    ].map((read) => repeat(() => isOver, read)),
  );
  await fault.provoke({ data, disk, child, url });
  await Bun.sleep(WATCH_MS);
  if (fault.end) {
    const endedAt = performance.now();
    fault.end(data);
    await until(() => isReady(url));
    seen.supervisor.add(`ready ${seconds(endedAt)} s after there was space`);
  }
  isOver = true;
  await watching;
  await browser.close();
  child.kill("SIGKILL");
  await child.exited;
  await mails.stop();
  disk?.unmount();
  return `| ${[fault.name, ...Object.values(seen)].join(" | ")} |`;
}

/** Stores enough telemetry for blocks in the file, through the API. */
async function fillTelemetry(url: string): Promise<void> {
  const json = { "content-type": "application/json" };
  const post = async (path: string, body: unknown, headers: Record<string, string> = json) =>
    (await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).json();
  const { code } = await post("/idp/authorize", OWNER);
  const { accessToken } = await post("/api/auth/exchange", { code });
  const headers = { ...json, authorization: `Bearer ${accessToken}` };
  const device = await post("/api/devices", { name: "pump", deviceType: "pump" }, headers);
  const batch = Array.from({ length: TELEMETRY_MESSAGES }, (_, index) => ({
    ts: Date.now() - index * 1_000,
    values: { value: Math.random(), text: crypto.randomUUID() },
  }));
  await post(`/api/v1/${device.credentials.token}/telemetry`, batch);
}

async function restartWith(context: Context, damage: () => void): Promise<void> {
  await fillTelemetry(context.url);
  context.child.kill("SIGTERM");
  await context.child.exited;
  damage();
}

const library = (data: string, name: string) => {
  const path = buildPreload(root, name);
  if (path === undefined) throw new Error("there is no C compiler");
  writeFileSync(join(data, "shift"), new Uint8Array(8));
  return path;
};
const shift = (data: string, value: number) =>
  writeFileSync(join(data, "shift"), new BigInt64Array([BigInt(value)]), { flag: "r+" });

const faults: readonly Fault[] = [
  {
    name: "The disk is full",
    isOnDisk: true,
    provoke: ({ data }) => void Bun.spawnSync(["fallocate", "-l", "170M", join(data, "filler")]),
    end: (data) => rmSync(join(data, "filler")),
  },
  {
    name: "The file system becomes read-only",
    isOnDisk: true,
    provoke: ({ disk }) => disk?.abort(),
  },
  {
    name: "The disk reports an error (EIO) for written data",
    prepare: (data) => ({ LD_PRELOAD: library(data, "failing-fsync"), FSYNC_FAILS: join(data, "fails") }),
    provoke({ data, url }) {
      writeFileSync(join(data, "fails"), "");
      void fetch(`${url}/idp/authorize`, { method: "POST", body: JSON.stringify(OWNER) }).catch(
        () => undefined,
      );
      setTimeout(() => rmSync(join(data, "fails")), 2_000);
    },
  },
  ...[2 * DAY_SECONDS, -2 * DAY_SECONDS].map((value) => ({
    name: `The clock jumps two days ${value > 0 ? "ahead" : "back"}`,
    prepare: (data: string) => ({
      LD_PRELOAD: library(data, "shifted-clock"),
      CLOCK_SHIFT: join(data, "shift"),
    }),
    provoke: ({ data }: Context) => shift(data, value),
  })),
  {
    name: "The gateway starts with its clock two days behind",
    isFoundAtStart: true,
    prepare: (data) => ({ LD_PRELOAD: library(data, "shifted-clock"), CLOCK_SHIFT: join(data, "shift") }),
    provoke: (context) => restartWith(context, () => shift(context.data, -2 * DAY_SECONDS)),
  },
  {
    name: "The process is killed",
    provoke: ({ child }) => child.kill("SIGKILL"),
  },
  {
    name: "`telemetry.db` is cut off",
    isFoundAtStart: true,
    provoke: (context) =>
      restartWith(context, () => {
        const file = join(context.data, "telemetry.db");
        truncateSync(file, statSync(file).size - 3 * 2_048 - 700);
      }),
  },
  {
    name: "`lineside.db` is overwritten",
    isFoundAtStart: true,
    provoke: (context) =>
      restartWith(context, () => writeFileSync(join(context.data, "lineside.db"), new Uint8Array(8_192))),
  },
];

const [wanted = ""] = process.argv.slice(2);
console.log("| fault | supervisor | Prometheus | console | mailbox |\n|---|---|---|---|---|");
try {
  for (const fault of faults.filter(({ name }) => name.includes(wanted))) console.log(await observe(fault));
} finally {
  rmSync(root, { recursive: true, force: true });
}
process.exit();

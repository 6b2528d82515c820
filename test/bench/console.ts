import { existsSync } from "node:fs";
import { type BrowserContext, type CDPSession, chromium, type Page } from "playwright-core";
import type { ApiClient } from "../../src/cli/api-client.ts";
import {
  CHART_POINTS,
  chartOf,
  type Device,
  reading,
  SENT_CYCLE_MS,
  SENT_WIDGET,
  WALL,
  wallOf,
} from "./console-boards.ts";
import { type Gateway, remove, startGateway, temporaryDirectory } from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";

/*
 * The console in real headless Chromium, which draws without a graphics card here: what a tablet can do is put in its place by slowing the
 * processor down. Frames are counted by the browser's own clock for frames.
 */

const CANDIDATES = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"];
/** Factor by which the processor is slowed down, to that of a mid-range phone or tablet. */
const THROTTLE = 4;
const DEVICES_LISTED = 5_000;
const LIST_LOADS = 7;
const CHART_RATE = 60;
const WATCHED_MS = 10_000;
const SETTLED_MINUTE = 3;

async function openBrowser(
  profile: string,
  viewport: { width: number; height: number },
): Promise<BrowserContext> {
  const executablePath = CANDIDATES.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("no Chromium found; name one in the environment variable CHROMIUM");
  return chromium.launchPersistentContext(profile, {
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    viewport,
  });
}

/** A page that is signed in as the owner. */
async function openPage(context: BrowserContext, gateway: Gateway): Promise<Page> {
  const page = context.pages()[0] ?? (await context.newPage());
  await page.goto(gateway.url);
  await page.locator('input[name="email"]').fill("owner@bench.example");
  await page.locator('input[type="password"]').fill("a long enough password 7");
  await page.locator('button[type="submit"]').click();
  await page.waitForURL(`${gateway.url}/`);
  await page.locator("main h1").waitFor();
  return page;
}

async function createDevices(api: ApiClient, count: number): Promise<Device[]> {
  const rows = Array.from({ length: count }, (_, index) => ({
    name: `Device ${String(index).padStart(4, "0")}`,
    deviceType: "sensor",
  }));
  const response = await api.post<{ rows: { deviceId: string; deviceToken: string }[] }>(
    "/api/devices/bulk/import",
    { rows },
  );
  return response.rows.map(({ deviceId, deviceToken }) => ({
    deviceId,
    credentials: { token: deviceToken },
  }));
}

interface Opened {
  readonly gateway: Gateway;
  readonly api: ApiClient;
  readonly page: Page;
  readonly session: CDPSession;
}

/** A gateway of its own and a page that is signed in to it, for as long as `work` takes. */
async function withConsole(
  viewport: { width: number; height: number },
  work: (opened: Opened) => Promise<Row>,
): Promise<Row> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory);
  const profile = temporaryDirectory();
  const context = await openBrowser(profile, viewport);
  const page = await openPage(context, gateway);
  const session = await context.newCDPSession(page);
  const row = await work({ gateway, api: await gateway.signIn(), page, session });
  await context.close();
  await gateway.kill("SIGTERM");
  for (const folder of [directory, profile]) remove(folder);
  return row;
}

const TABLET = { width: 1280, height: 800 };
const DESK = { width: 1440, height: 900 };

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const slowDown = (session: CDPSession, rate: number) =>
  session.send("Emulation.setCPUThrottlingRate", { rate });

/** From the beginning of the navigation until the first row has been painted, ms. */
async function firstRowMs(page: Page, url: string): Promise<number> {
  await page.goto(url, { waitUntil: "commit" });
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const { document } = globalThis as unknown as {
          document: { querySelector(subject: string): unknown };
        };
        const readOnce = () => {
          if (document.querySelector("main [role=row] a, main tbody tr a") === null)
            requestAnimationFrame(readOnce);
          else requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
        };
        readOnce();
      }),
  );
}

async function benchList({ gateway, api, page, session }: Opened): Promise<Row> {
  await createDevices(api, DEVICES_LISTED);
  await slowDown(session, THROTTLE);
  const times: number[] = [];
  for (let load = 0; load < LIST_LOADS; load++) times.push(await firstRowMs(page, `${gateway.url}/devices`));
  return {
    section: "Console",
    measure: `device list with ${thousands(DEVICES_LISTED)} devices, first rows on the screen, ${THROTTLE} × slower processor: median and slowest of ${LIST_LOADS} loads`,
    value: `${fixed(median(times), 0)} ms, ${fixed(Math.max(...times), 0)} ms`,
    goal: "≤ 1,000 ms",
    met: median(times) <= 1_000,
  };
}

interface Frames {
  readonly fps: number;
  /** ms; 95 of 100 frames took no longer. */
  readonly p95: number;
  readonly longest: number;
  /** Age of the newest value on the screen in ms: 95 of 100 frames showed none that was older. 0 where `SENT_WIDGET` is not shown. */
  readonly age: number;
}

const watchFrames = (page: Page, ms: number): Promise<Frames> =>
  page.evaluate(
    ({ duration, widget, cycle }) =>
      new Promise<Frames>((resolve) => {
        const { document } = globalThis as unknown as {
          document: { querySelector(subject: string): { textContent: string } | null };
        };
        const sent = document.querySelector(`[aria-label="Widget ${widget}"] .reading`);
        const gaps: number[] = [];
        const ages: number[] = [];
        const begin = performance.now();
        let last = begin;
        const frame = (now: number) => {
          gaps.push(now - last);
          last = now;
          if (sent) ages.push((Date.now() - Number(sent.textContent.replace(/\D/g, "")) + cycle) % cycle);
          if (now - begin < duration) return requestAnimationFrame(frame);
          const sorted = gaps.slice(1).sort((a, b) => a - b);
          const of95 = (values: readonly number[]) => values[Math.floor(values.length * 0.95)] ?? 0;
          resolve({
            fps: (1_000 * sorted.length) / (now - begin),
            p95: of95(sorted),
            longest: sorted.at(-1) ?? 0,
            age: of95(ages.sort((a, b) => a - b)),
          });
        };
        requestAnimationFrame(frame);
      }),
    { duration: ms, widget: SENT_WIDGET, cycle: SENT_CYCLE_MS },
  );

/** Sends `perSecond` messages, in turn by the devices, until it is stopped. */
function feed(
  gateway: Gateway,
  devices: readonly Device[],
  perSecond: number,
  values: (n: number) => object,
) {
  let [sent, isOver] = [0, false];
  const begin = performance.now();
  const run = async () => {
    while (!isOver) {
      const due = ((performance.now() - begin) / 1_000) * perSecond;
      const posts: Promise<unknown>[] = [];
      while (sent < due) {
        const device = devices[sent % devices.length];
        posts.push(
          fetch(`${gateway.url}/api/v1/${device?.credentials.token}/telemetry`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(values(sent++)),
          }).then((response) => response.body?.cancel()),
        );
      }
      await Promise.all(posts);
      await Bun.sleep(1_000 / 120);
    }
  };
  const running = run();
  return async () => {
    isOver = true;
    await running;
  };
}

const createBoard = async (api: ApiClient, board: object): Promise<string> =>
  (await api.post<{ id: string }>("/api/dashboards", board)).id;

async function benchWall({ gateway, api, page, session }: Opened): Promise<Row> {
  const devices = await createDevices(api, WALL.devices);
  const id = await createBoard(api, wallOf(devices));
  const stop = feed(gateway, devices, WALL.messagesPerSecond, reading);
  await slowDown(session, THROTTLE);
  await page.goto(`${gateway.url}/dashboards/${id}?wall=1`);
  await page
    .getByTestId("widget")
    .nth(WALL.widgets - 1)
    .waitFor();
  await Bun.sleep(5_000);
  const { fps, p95, longest, age } = await watchFrames(page, WATCHED_MS);
  await stop();
  return {
    section: "Console",
    measure: `a wall of ${WALL.widgets} widgets over ${WALL.devices} devices, ${WALL.messagesPerSecond} messages/s, ${THROTTLE} × slower processor`,
    value: `${fixed(fps, 0)} frames/s, p95 ${fixed(p95, 0)} ms, longest ${fixed(longest, 0)} ms; newest value p95 ${fixed(age, 0)} ms old`,
    goal: "≥ 30 frames/s, p95 ≤ 50 ms, values ≤ 1,000 ms old",
    met: fps >= 30 && p95 <= 50 && age > 0 && age <= 1_000,
  };
}

async function benchChart({ gateway, api, page }: Opened): Promise<Row> {
  const [device] = await createDevices(api, 1);
  if (device === undefined) throw new Error("no device was made");
  const now = Date.now();
  const stepMs = 30;
  for (let timeMs = 0; timeMs < CHART_POINTS; timeMs += 1_000)
    await api.post(`/api/v1/${device.credentials.token}/telemetry/batch`, {
      items: Array.from({ length: 1_000 }, (_, index) => ({
        ts: now - (CHART_POINTS - timeMs - index) * stepMs,
        telemetry: reading(timeMs + index),
      })),
    });
  const id = await createBoard(api, chartOf(device, CHART_POINTS * stepMs));
  await page.goto(`${gateway.url}/dashboards/${id}`);
  await page.getByTestId("chart").waitFor();
  const stop = feed(gateway, [device], CHART_RATE, reading);
  await Bun.sleep(3_000);
  const box = await page.getByTestId("chart").boundingBox();
  // The cursor is led over it all the while.
  const moving = (async () => {
    for (let step = 0; step < 200; step++) {
      await page.mouse.move((box?.x ?? 0) + 100 + step * 4, (box?.y ?? 0) + 80);
      await Bun.sleep(WATCHED_MS / 200);
    }
  })();
  const { fps, p95, longest } = await watchFrames(page, WATCHED_MS);
  await moving;
  await stop();
  return {
    section: "Console",
    measure: `a chart of ${thousands(CHART_POINTS)} points, ${CHART_RATE} points/s coming in, the cursor moved over it`,
    value: `${fixed(fps, 0)} frames/s, p95 ${fixed(p95, 0)} ms, longest ${fixed(longest, 0)} ms`,
    goal: "60 frames/s (≥ 57, p95 ≤ 20 ms)",
    met: fps >= 57 && p95 <= 20,
  };
}

async function heapMb(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1e6;
}

async function benchMemory({ gateway, api, page, session }: Opened, minutes: number): Promise<Row> {
  const [device] = await createDevices(api, 1);
  if (device === undefined) throw new Error("no device was made");
  const id = await createBoard(api, chartOf(device, 60_000));
  await page.goto(`${gateway.url}/dashboards/${id}`);
  await page.getByTestId("widget").waitFor();
  const stop = feed(gateway, [device], CHART_RATE, reading);
  const settled = Math.min(SETTLED_MINUTE, minutes / 2);
  await Bun.sleep(settled * 60_000);
  const before = await heapMb(session);
  await Bun.sleep((minutes - settled) * 60_000);
  const after = await heapMb(session);
  await stop();
  return {
    section: "Console",
    measure: `memory of the page, a chart of the last minute fed with ${CHART_RATE} points/s: after ${settled} and after ${minutes} minutes, garbage collected`,
    value: `${fixed(before, 1)} MB, ${fixed(after, 1)} MB`,
    goal: "flat (≤ 1 MB more)",
    met: after - before <= 1,
  };
}

/** The console where it is slowest: long lists, full walls, large charts, days on a wall. */
export async function benchConsole(minutes: number): Promise<Row[]> {
  return [
    await withConsole(TABLET, benchList),
    await withConsole(TABLET, benchWall),
    await withConsole(DESK, benchChart),
    await withConsole(DESK, (opened) => benchMemory(opened, minutes)),
  ];
}

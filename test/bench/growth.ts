import { statSync } from "node:fs";
import { join } from "node:path";
import type { DeviceId, TenantId } from "../../src/lib/core/ids.ts";
import type { TelemetryStore } from "../../src/modules/telemetry/store/store.types.ts";
import { renderPlot } from "./plot.ts";
import { remove, temporaryDirectory } from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";
import { openStore } from "./storage.ts";

const DEVICES = 25_000;
const KEYS = ["temperature", "humidity", "power", "count"] as const;
const START = Date.parse("2026-01-01T00:00:00Z");
const STEP_MS = 10_000;
/** Readings of one append; each is `KEYS.length` points. */
const BURST = 8;
/**
 * The rate is that of so many points on top of a file of the size: long enough for each series to be sealed sixteen times and its
 * small blocks merged twice, so that no upkeep is put off to the next step.
 */
const RATE_POINTS = 48_000_000;
/** Messages that wait for their acknowledgement at most. */
const IN_FLIGHT = 4_000;
const QUERIES = 40;

const tenantId = "tenant" as TenantId; // any text is an id to the store
const nameOf = (index: number) => `device-${index}` as DeviceId; // as above

interface GrowthStep {
  readonly points: number;
  readonly series: number;
  /** Points a second, durable, of what is appended to a file of that size, upkeep in. */
  readonly pointsPerSecond: number;
  readonly queryMs: number;
  readonly latestMs: number;
  readonly startMs: number;
  readonly bytesPerPoint: number;
  readonly residentMiB: number;
}

/** The values wander by device, so that no two devices compress alike. */
function valuesAt(device: number, tick: number): Record<(typeof KEYS)[number], number> {
  const phase = tick / 50 + device;
  return {
    temperature: Math.round(200 + 40 * Math.sin(phase) + ((tick * 7 + device) % 5)) / 10,
    humidity: Math.round(45 + 10 * Math.cos(phase)),
    power: Math.round(1000 + 300 * Math.sin(phase * 3) + ((tick * 31) % 17)) / 100,
    count: tick,
  };
}

/** Fills up to a number of points: every device reports in turn, as a fleet does. */
async function fillTo(store: TelemetryStore, points: number, from: number): Promise<number> {
  const perRound = DEVICES * BURST * KEYS.length;
  let tick = from;
  let waiting = 0;
  for (let stored = (from / BURST) * perRound; stored < points; stored += perRound, tick += BURST) {
    for (let index = 0; index < DEVICES; index++) {
      const readings = Array.from({ length: BURST }, (_, of) => ({
        ts: START + (tick + of) * STEP_MS,
        values: valuesAt(index, tick + of),
      }));
      const stored_ = store.append(store.device(tenantId, nameOf(index)), readings);
      waiting++;
      if (waiting % IN_FLIGHT === 0) await stored_;
    }
  }
  await store.append(store.device(tenantId, nameOf(0)), []);
  return tick;
}

async function median(times: number, work: (index: number) => Promise<unknown>): Promise<number> {
  const ms: number[] = [];
  for (let index = 0; index < times; index++) {
    const startedAt = performance.now();
    await work(index);
    ms.push(performance.now() - startedAt);
  }
  return ms.sort((a, b) => a - b)[times >> 1] ?? 0;
}

/** The newest hour of a device, averaged by minute: what a dashboard asks for all the time. */
const hourOf = (store: TelemetryStore, index: number, tick: number) =>
  store.query({
    deviceIds: [nameOf((index * 617) % DEVICES)],
    keys: ["temperature"],
    from: START + tick * STEP_MS - 3_600_000,
    to: START + tick * STEP_MS,
    aggregation: "avg",
    maxDataPoints: 60,
  });

const residentMiB = () => process.memoryUsage().rss / 2 ** 20;

async function growTo(points: number): Promise<GrowthStep> {
  const directory = temporaryDirectory();
  let store = await openStore(directory);
  try {
    const tick = await fillTo(store, points, 0);
    await store.stop();
    const startedAt = performance.now();
    store = await openStore(directory);
    const startMs = performance.now() - startedAt;
    const ids = Array.from({ length: 10_000 }, (_, index) => nameOf(index));
    const latestMs = await median(9, () => store.latest(ids, ["temperature", "humidity", "power"]));
    const queryMs = await median(QUERIES, (index) => hourOf(store, index, tick));
    const stats = await store.stats();
    const file = join(directory, "telemetry.db");
    const bytes = statSync(file).size + (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0);
    const resident = residentMiB();
    const filledAt = performance.now();
    await fillTo(store, stats.points + RATE_POINTS, tick);
    const seconds = (performance.now() - filledAt) / 1000;
    return {
      points: stats.points,
      series: stats.series,
      pointsPerSecond: ((await store.stats()).points - stats.points) / seconds,
      queryMs,
      latestMs,
      startMs,
      bytesPerPoint: bytes / stats.points,
      residentMiB: resident,
    };
  } finally {
    await store.stop();
    remove(directory);
  }
}

/** Measures a file of each size. */
async function growStore(sizes: readonly number[]): Promise<GrowthStep[]> {
  const results: GrowthStep[] = [];
  for (const points of sizes) results.push(await growTo(points));
  return results;
}

interface Curve {
  readonly file: string;
  readonly title: string;
  readonly yLabel: string;
  readonly pick: (step: GrowthStep) => number;
}

const curves: readonly Curve[] = [
  {
    file: "growth-ingest",
    title: "Durable ingest into a file of that size",
    yLabel: "points/s",
    pick: (step) => step.pointsPerSecond,
  },
  {
    file: "growth-query",
    title: "An hour of one device by minute",
    yLabel: "ms",
    pick: (step) => step.queryMs,
  },
  { file: "growth-start", title: "Start of the store", yLabel: "ms", pick: (step) => step.startMs },
];

/** Draws the curves into docs/images. */
async function drawCurves(steps: readonly GrowthStep[]): Promise<void> {
  const images = join(import.meta.dir, "..", "..", "docs", "images");
  for (const { file, title, yLabel, pick } of curves) {
    const points = steps.map((step) => ({ x: step.points, y: pick(step) }));
    await Bun.write(
      join(images, `${file}.svg`),
      renderPlot({ title, xLabel: "points in the file", yLabel, points }),
    );
  }
}

/** One row a step: the curve must stay flat. With `draw` the plots in docs/images are made anew. */
export async function benchGrowth(
  options: { steps?: readonly number[]; draw?: boolean } = {},
): Promise<Row[]> {
  const steps = await growStore(options.steps ?? [1e6, 1e7, 1e8]);
  if (options.draw === true) await drawCurves(steps);
  const [first] = steps;
  return steps.map((step) => ({
    section: "Growth",
    measure: `${thousands(step.points)} points in ${thousands(step.series)} series`,
    value: [
      `${fixed(step.pointsPerSecond / 1e6)} M points/s over the next ${RATE_POINTS / 1e6} M`,
      `hour by minute ${fixed(step.queryMs)} ms`,
      `latest of 10,000 ${fixed(step.latestMs, 1)} ms`,
      `start ${fixed(step.startMs, 0)} ms`,
      `${fixed(step.bytesPerPoint)} bytes per point`,
      `${fixed(step.residentMiB, 0)} MiB resident`,
    ].join(", "),
    ...(first !== undefined &&
      first !== step && {
        ratio: step.pointsPerSecond / first.pointsPerSecond,
        peer: "rate at the smallest",
      }),
    goal: "start ≤ 0.5 s, rate ≥ 0.9 ×",
    met: step.startMs <= 500 && (first === undefined || step.pointsPerSecond >= 0.9 * first.pointsPerSecond),
  }));
}

import type { DeviceId, TenantId } from "../../src/lib/core/ids.ts";
import { createRandom } from "../../src/lib/data/random.ts";
import type { TelemetryStore } from "../../src/modules/telemetry/store/store.types.ts";
import type { Aggregation, RangeQuery, Reading } from "../../src/modules/telemetry/telemetry.types.ts";
import { mediansByRounds } from "./median.ts";
import { remove, temporaryDirectory } from "./processes.ts";
import { fixed, type Row } from "./report.ts";
import { openStore } from "./storage.ts";

/** A machine that reports every 10 s for a year: a temperature, its energy meter, its state as text and as number. */
const START = Date.parse("2026-01-01T00:00:00Z");
const STEP_MS = 10_000;
const READINGS = 3_153_600;
const READINGS_PER_APPEND = 5_000;
const STATES = ["run", "idle", "fault"] as const;
/** Readings for which a state holds on average. */
const STATE_READINGS = 300;
/** Readings after which the meter begins at 0 again. */
const RESET_READINGS = 400_000;
const RATIO_MIN = 0.8;
/** Runs of every question before any is measured: the mean, which is asked beside each, must not be the only one that is compiled. */
const WARM_UP_RUNS = 200;

const deviceId = "machine" as DeviceId; // any text is an id to the store
const tenantId = "tenant" as TenantId; // as above

function* readings(): Generator<Reading> {
  const random = createRandom(11);
  let tenths = 215;
  let wattHours = 0;
  let state = 0;
  for (let index = 0; index < READINGS; index++) {
    tenths = Math.max(-200, Math.min(900, tenths + Math.round((random() - 0.5) * 4)));
    wattHours = index % RESET_READINGS === 0 ? 0 : wattHours + Math.round(random() * 12);
    if (random() < 1 / STATE_READINGS) state = Math.floor(random() * STATES.length);
    const values = { temperature: tenths / 10, energy: wattHours / 1000, state: STATES[state]!, mode: state };
    yield { ts: START + index * STEP_MS, values };
  }
}

async function fill(store: TelemetryStore): Promise<void> {
  const device = store.device(tenantId, deviceId);
  let batch: Reading[] = [];
  for (const reading of readings()) {
    batch.push(reading);
    if (batch.length < READINGS_PER_APPEND) continue;
    await store.append(device, batch);
    batch = [];
  }
  await store.append(device, batch);
  await store.compact();
}

const questions: ReadonlyArray<readonly [aggregation: Aggregation, key: string]> = [
  ["first", "temperature"],
  ["last", "temperature"],
  ["last", "state"],
  ["delta", "energy"],
  ["timeIn", "state"],
  ["timeIn", "mode"],
];

const spans: ReadonlyArray<
  readonly [name: string, intervals: Pick<RangeQuery, "maxDataPoints" | "interval">]
> = [
  [
    "by month",
    { maxDataPoints: 500, interval: { kind: "calendar", unit: "month", timezone: "Europe/Berlin" } },
  ],
  ["to 500", { maxDataPoints: 500 }],
];

/** How long the aggregates of counters and states take, against that of the mean in the same run. */
export async function benchAggregates(): Promise<Row[]> {
  const directory = temporaryDirectory();
  const store = await openStore(directory);
  await fill(store);
  const range = { from: START, to: START + READINGS * STEP_MS - 1 };
  const rows: Row[] = [];
  for (const [name, intervals] of spans) {
    const ask = (aggregation: Aggregation, key: string) => () =>
      store.query({ deviceIds: [deviceId], keys: [key], ...range, ...intervals, aggregation });
    for (let run = 0; run < WARM_UP_RUNS; run++)
      for (const [aggregation, key] of [["avg", "temperature"] as const, ...questions])
        await ask(aggregation, key)();
    for (const [aggregation, key] of questions) {
      const [average, ms] = await mediansByRounds(ask("avg", "temperature"), ask(aggregation, key));
      rows.push({
        section: "Aggregates",
        measure: `a machine, a year at 10 s, ${aggregation} of ${key} ${name}`,
        value: `${fixed(ms)} ms`,
        peer: `avg of temperature ${fixed(average)} ms`,
        ratio: average / ms,
        goal: `≥ ${RATIO_MIN} ×`,
        met: average / ms >= RATIO_MIN,
      });
    }
  }
  await store.stop();
  remove(directory);
  return rows;
}

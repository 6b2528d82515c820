import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { DeviceId, TenantId } from "../../src/lib/core/ids.ts";
import { createRandom } from "../../src/lib/data/random.ts";
import type { TelemetryStore } from "../../src/modules/telemetry/store/store.types.ts";
import type { RangeQuery } from "../../src/modules/telemetry/telemetry.types.ts";
import { startInflux, toLines } from "./influx.ts";
import { medianMs } from "./median.ts";
import { remove, temporaryDirectory } from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";
import { openStore } from "./storage.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const INFLUX_READINGS_AT_ONCE = 100_000;
const deviceId = "device" as DeviceId; // any text is an id to the store
const tenantId = "tenant" as TenantId;

/** A temperature that wanders by tenths, as a sensor reports it. */
function* wander(count: number, stepMs: number): Generator<{ ts: number; value: number }> {
  const random = createRandom(7);
  let tenths = 215;
  for (let index = 0; index < count; index++) {
    tenths = Math.max(-200, Math.min(900, tenths + Math.round((random() - 0.5) * 4)));
    yield { ts: START + index * stepMs, value: tenths / 10 };
  }
}

async function fill(store: TelemetryStore, count: number, stepMs: number): Promise<void> {
  const device = store.device(tenantId, deviceId);
  let readings: Array<{ ts: number; values: { temperature: number } }> = [];
  for (const { ts, value } of wander(count, stepMs)) {
    readings.push({ ts, values: { temperature: value } });
    if (readings.length < 5000) continue;
    await store.append(device, readings);
    readings = [];
  }
  if (readings.length > 0) await store.append(device, readings);
}

function openRows(directory: string, count: number, stepMs: number): Database {
  const sqlite = new Database(join(directory, "rows.db"), { create: true });
  sqlite.run("PRAGMA journal_mode=WAL");
  sqlite.run(
    "CREATE TABLE points (series INTEGER, ts INTEGER, value REAL, PRIMARY KEY (series, ts)) WITHOUT ROWID",
  );
  const insert = sqlite.query("INSERT INTO points VALUES (1, ?, ?)");
  sqlite.transaction(() => {
    for (const { ts, value } of wander(count, stepMs)) insert.run(ts, value);
  })();
  return sqlite;
}

async function measureRange(
  name: string,
  range: Range & { readonly goalMs: number; readonly goalRatio: number },
): Promise<Row[]> {
  const directory = temporaryDirectory();
  const store = await openStore(directory);
  await fill(store, range.count, range.stepMs);
  await store.compact();
  const to = START + range.count * range.stepMs - 1;
  const query: RangeQuery = {
    deviceIds: [deviceId],
    keys: ["temperature"],
    from: START,
    to,
    aggregation: "avg",
    maxDataPoints: 500,
  };
  const average = await medianMs(() => store.query(query));
  const thinned = await medianMs(() => store.query({ ...query, aggregation: "none", maxDataPoints: 2000 }));
  const peer =
    (await influxAverageMs(range, { from: START, to })) ??
    (await rowsAverageMs(directory, range, { from: START, to }));
  await store.stop();
  remove(directory);
  const base = { section: "Queries" };
  return [
    {
      ...base,
      measure: `${name} (${thousands(range.count)} points), avg to 500`,
      value: `${fixed(average)} ms`,
      peer: `${peer.name} ${fixed(peer.ms, 1)} ms`,
      ratio: peer.ms / average,
      goal: `≤ ${range.goalMs} ms, ≥ ${range.goalRatio} ×`,
      met: average <= range.goalMs && peer.ms / average >= range.goalRatio,
    },
    {
      ...base,
      measure: `${name}, none, thinned to 2,000 with its peaks`,
      value: `${fixed(thinned)} ms`,
      goal: "–",
      met: undefined,
    },
  ];
}

interface Range {
  readonly count: number;
  readonly stepMs: number;
}

/** The same data and question in InfluxDB, over HTTP as it is meant to be asked; undefined when it is not installed. */
async function influxAverageMs(range: Range, { from, to }: { from: number; to: number }) {
  const influx = await startInflux();
  if (influx === undefined) return undefined;
  let readings: Array<{ ts: number; values: { temperature: number } }> = [];
  const write = async () => {
    for (const lines of toLines(new Map([["device", readings]]))) await influx.write(lines);
    readings = [];
  };
  for (const { ts, value } of wander(range.count, range.stepMs)) {
    readings.push({ ts, values: { temperature: value } });
    if (readings.length >= INFLUX_READINGS_AT_ONCE) await write();
  }
  await write();
  await Bun.sleep(3_000);
  const width = Math.ceil((to - from + 1) / 500);
  const statement = `SELECT mean(temperature) FROM m WHERE device='device' AND time >= ${from}ms AND time <= ${to}ms GROUP BY time(${width}ms)`;
  const ms = await medianMs(() => influx.query(statement));
  await influx.stop();
  return { name: "InfluxDB", ms };
}

async function rowsAverageMs(directory: string, range: Range, { from, to }: { from: number; to: number }) {
  const rows = openRows(directory, range.count, range.stepMs);
  const width = Math.ceil((to - from + 1) / 500);
  const aggregate = rows.query(
    "SELECT (ts - ?) / ? AS slot, avg(value) FROM points WHERE series = 1 AND ts BETWEEN ? AND ? GROUP BY slot",
  );
  const ms = await medianMs(() => aggregate.all(from, width, from, to));
  rows.close();
  return { name: "SQLite rows", ms };
}

async function measureLatest(devices: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const store = await openStore(directory);
  const ids = Array.from({ length: devices }, (_, index) => `device ${index}` as DeviceId); // as above
  await Promise.all(
    ids.map((id, index) =>
      store.append(store.device(tenantId, id), [
        { ts: START + index, values: { a: index, b: true, c: "x" } },
      ]),
    ),
  );
  const time = await medianMs(() => store.latest(ids));
  await store.stop();
  remove(directory);
  return [
    {
      section: "Queries",
      measure: `latest of ${thousands(devices)} devices, 3 keys each`,
      value: `${fixed(time, 1)} ms`,
      goal: "≤ 5 ms",
      met: time <= 5,
    },
  ];
}

export async function benchQueries(): Promise<Row[]> {
  return [
    ...(await measureRange("1 series, 30 days at 10 s", {
      count: 259_200,
      stepMs: 10_000,
      goalMs: 3,
      goalRatio: 10,
    })),
    ...(await measureRange("1 series, a year at 10 s", {
      count: 3_153_600,
      stepMs: 10_000,
      goalMs: 30,
      goalRatio: 50,
    })),
    ...(await measureRange("1 series, a year at 1 s", {
      count: 31_536_000,
      stepMs: 1_000,
      goalMs: 30,
      goalRatio: 50,
    })),
    ...(await measureLatest(10_000)),
  ];
}

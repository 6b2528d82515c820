import { Database } from "bun:sqlite";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DeviceId, TenantId } from "../../src/lib/core/ids.ts";
import type { TelemetryStore } from "../../src/modules/telemetry/store/store.types.ts";
import { createTelemetryStore } from "../../src/modules/telemetry/store/telemetry-store.ts";
import type { Reading } from "../../src/modules/telemetry/telemetry.types.ts";
import { createLogger } from "../../src/platform/core/log.ts";
import { systemClock } from "../../src/platform/time/clock.ts";
import { influxBytes } from "./influx.ts";
import { remove, temporaryDirectory } from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";
import { type DataSet, factoryWeek, readDataSets } from "./sensor-data.ts";
import { victoriaBytesPerPoint } from "./victoria-metrics.ts";

const READINGS_PER_APPEND = 500;
/** Bytes a point, as a part of those of VictoriaMetrics. */
const goals: Record<string, number> = { "room climate": 0.45, occupancy: 0.85, NAB: 0.85 };

const tenantId = "tenant" as TenantId; // any text is an id to the store

/** Bytes that this process had written to the disk so far. */
const bytesWritten = (): number =>
  Number(/^write_bytes: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1] ?? 0);

export async function openStore(directory: string): Promise<TelemetryStore> {
  const store = createTelemetryStore({
    file: join(directory, "telemetry.db"),
    clock: systemClock,
    log: createLogger("bench"),
  });
  await store.start();
  return store;
}

export async function appendAll(store: TelemetryStore, data: DataSet): Promise<number> {
  let points = 0;
  for (const [name, readings] of data) {
    const device = store.device(tenantId, name as DeviceId); // as above
    for (let index = 0; index < readings.length; index += READINGS_PER_APPEND) {
      const subset = readings.slice(index, index + READINGS_PER_APPEND);
      for (const { values } of subset) points += Object.keys(values).length;
      await store.append(device, subset);
    }
  }
  return points;
}

/** The same points as rows keyed by series and time, which is what one would build first. */
function sqliteRowsBytes(directory: string, data: DataSet): number {
  const file = join(directory, "rows.db");
  const sqlite = new Database(file, { create: true });
  sqlite.run("PRAGMA journal_mode=WAL");
  sqlite.run(
    "CREATE TABLE points (series INTEGER, ts INTEGER, value, PRIMARY KEY (series, ts)) WITHOUT ROWID",
  );
  const insert = sqlite.query("INSERT OR REPLACE INTO points VALUES (?, ?, ?)");
  /** Number by device and key. */
  const series = new Map<string, number>();
  const numberOf = (name: string) => series.get(name) ?? series.set(name, series.size).size - 1;
  const insertReading = (device: string, { ts, values }: Reading) => {
    for (const [key, value] of Object.entries(values))
      insert.run(
        numberOf(`${device}\n${key}`),
        ts,
        typeof value === "object" ? JSON.stringify(value) : value,
      );
  };
  sqlite.transaction(() => {
    for (const [device, readings] of data) for (const reading of readings) insertReading(device, reading);
  })();
  sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
  sqlite.close();
  return statSync(file).size;
}

async function measureSize(name: string, data: DataSet, binary: string | undefined): Promise<Row> {
  const directory = temporaryDirectory();
  const store = await openStore(directory);
  const writtenBefore = bytesWritten();
  await appendAll(store, data);
  await store.compact();
  const { points } = await store.stats();
  await store.stop();
  const written = bytesWritten() - writtenBefore;
  const bytes = statSync(join(directory, "telemetry.db")).size / points;
  const rows = sqliteRowsBytes(directory, data) / points;
  const influx = await influxBytes(data);
  const victoria = await victoriaBytesPerPoint(binary, data);
  remove(directory);
  const goal = victoria === undefined ? undefined : goals[name];
  return {
    section: "Storage",
    measure: `bytes per point on disk, all in: ${name} (${thousands(points)} points; ${fixed(written / points, 1)} bytes written per point)`,
    value: fixed(bytes),
    peer: [
      `VictoriaMetrics ${victoria === undefined ? "is not installed" : `${fixed(victoria)}, data files alone`}`,
      ...(influx === undefined ? [] : [`InfluxDB ${fixed(influx / points)}`]),
      `SQLite rows ${fixed(rows, 1)}`,
    ].join("; "),
    ...(victoria !== undefined && { ratio: bytes / victoria }),
    goal: goal === undefined ? "–" : `≤ ${goal} ×`,
    met: goal === undefined || victoria === undefined ? undefined : bytes / victoria <= goal,
  };
}

/** `binary` is the program of VictoriaMetrics. */
export async function benchStorage(
  dataDirectory: string | undefined,
  binary: string | undefined,
): Promise<Row[]> {
  const sets = dataDirectory === undefined ? [] : await readDataSets(dataDirectory);
  sets.push({ name: "factory, a week at 10 s", data: factoryWeek(12) });
  const rows: Row[] = [];
  for (const { name, data } of sets) rows.push(await measureSize(name, data, binary));
  return rows;
}

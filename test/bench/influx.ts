import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { remove, temporaryDirectory } from "./processes.ts";
import type { DataSet } from "./sensor-data.ts";

const DATABASE = "bench";
const LINES_PER_WRITE = 5_000;

/** InfluxDB as Debian ships it, with its data in a directory of its own. */
export interface Influx {
  readonly url: string;
  /** Writes line protocol; resolves when it is fsynced and acknowledged. */
  write(lines: string): Promise<void>;
  query(statement: string): Promise<unknown>;
  /** Ends it in order, so that everything is in its final files, and gives their size in bytes. */
  stop(): Promise<number>;
}

/** Returns the bytes that the files of a directory take on the disk. */
export function sizeOf(directory: string): number {
  let bytes = 0;
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).blocks * 512; // its files are made large and sparse
  return bytes;
}

const START_ATTEMPTS = 200;

/** Returns `undefined` if it is not installed. */
export async function startInflux(): Promise<Influx | undefined> {
  const path = Bun.which("influxd");
  if (path === null) return undefined;
  const directory = temporaryDirectory();
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const config = join(directory, "influxdb.conf");
  await Bun.write(
    config,
    `reporting-disabled = true\nbind-address = "127.0.0.1:${port + 1}"\n[meta]\ndir = "${directory}/meta"\n[data]\ndir = "${directory}/data"\nwal-dir = "${directory}/wal"\nquery-log-enabled = false\ncompact-full-write-cold-duration = "1s"\ncache-snapshot-write-cold-duration = "1s"\n[http]\nbind-address = "127.0.0.1:${port}"\nlog-enabled = false\nmax-body-size = 0\n[monitor]\nstore-enabled = false\n`,
  );
  const child = Bun.spawn([path, "-config", config], { stdout: "ignore", stderr: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${url}/ping`)
      .then(({ ok }) => ok)
      .catch(() => false);
  for (let attempt = 0; attempt < START_ATTEMPTS && !(await isUp()); attempt++) await Bun.sleep(100);
  if (!(await isUp())) {
    // Another program may have the port.
    child.kill();
    await child.exited;
    remove(directory);
    return startInflux();
  }
  const query = async (statement: string) => {
    const response = await fetch(`${url}/query?db=${DATABASE}&epoch=ms`, {
      method: "POST",
      body: new URLSearchParams({ q: statement }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`InfluxDB refused: ${JSON.stringify(answer)}`);
    return answer;
  };
  await query(`CREATE DATABASE ${DATABASE} WITH DURATION INF SHARD DURATION 52w`);
  return {
    url,
    async write(lines) {
      const response = await fetch(`${url}/write?db=${DATABASE}&precision=ms`, {
        method: "POST",
        body: lines,
      });
      if (!response.ok) throw new Error(`InfluxDB refused: ${await response.text()}`);
    },
    query,
    async stop() {
      await Bun.sleep(4_000); // its cache is written to files when it has been cold for a second
      child.kill();
      await child.exited;
      const bytes = sizeOf(join(directory, "data")) + sizeOf(join(directory, "wal"));
      remove(directory);
      return bytes;
    },
  };
}

const escapeName = (name: string) => name.replace(/[ ,=]/g, "_");

/** Readings as line protocol, one line a reading, in pieces of a few thousand lines. */
export function* toLines(data: DataSet): Generator<string> {
  let lines: string[] = [];
  for (const [device, readings] of data)
    for (const { ts, values } of readings) {
      const fields = Object.entries(values).map(
        ([key, value]) =>
          `${escapeName(key)}=${typeof value === "string" ? JSON.stringify(value) : String(value)}`,
      );
      lines.push(`m,device=${escapeName(device)} ${fields.join(",")} ${ts}`);
      if (lines.length < LINES_PER_WRITE) continue;
      yield lines.join("\n");
      lines = [];
    }
  if (lines.length > 0) yield lines.join("\n");
}

/** Bytes on disk of a data set in InfluxDB; undefined when it is not installed. */
export async function influxBytes(data: DataSet): Promise<number | undefined> {
  const influx = await startInflux();
  if (influx === undefined) return undefined;
  for (const lines of toLines(data)) await influx.write(lines);
  return influx.stop();
}

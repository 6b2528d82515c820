import { existsSync } from "node:fs";
import { join } from "node:path";
import { sizeOf, toLines } from "./influx.ts";
import { remove, temporaryDirectory, untilIdle } from "./processes.ts";
import type { DataSet } from "./sensor-data.ts";

const START_ATTEMPTS = 100;

/** VictoriaMetrics as one program, with its data in a directory of its own. */
export interface VictoriaMetrics {
  readonly url: string;
  /** Stores points of a series; resolves when queries find them. */
  write(series: { readonly key: string; readonly device: string; readonly points: PointList }): Promise<void>;
  /** Stores lines of InfluxDB's protocol, times in ms; texts are left out. */
  writeLines(lines: string): Promise<void>;
  /** Merges what it has into the form that it reads fastest. */
  merge(): Promise<void>;
  /** Returns the bytes of its data files, without those of its index. */
  bytes(): number;
  stop(): Promise<void>;
}

export interface PointList {
  readonly ts: readonly number[];
  readonly values: readonly number[];
}

async function ensureOk(response: Response): Promise<void> {
  if (!response.ok) throw new Error(`VictoriaMetrics refused: ${await response.text()}`);
  await response.arrayBuffer();
}

/** Returns `undefined` without the program: `victoria-metrics` on the path, or the file named. */
export async function startVictoriaMetrics(binary: string | undefined): Promise<VictoriaMetrics | undefined> {
  const path = binary ?? Bun.which("victoria-metrics");
  if (path === null || !existsSync(path)) return undefined;
  const directory = temporaryDirectory();
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const args = [
    `-storageDataPath=${directory}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    "-retentionPeriod=100y",
    "-loggerLevel=ERROR",
  ];
  const child = Bun.spawn([path, ...args], { stdout: "ignore", stderr: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${url}/health`)
      .then(({ ok }) => ok)
      .catch(() => false);
  for (let attempt = 0; attempt < START_ATTEMPTS && !(await isUp()); attempt++) await Bun.sleep(100);
  return {
    url,
    async write({ key, device, points: { ts, values } }) {
      const body = JSON.stringify({ metric: { __name__: key, device }, values, timestamps: ts });
      await ensureOk(await fetch(`${url}/api/v1/import`, { method: "POST", body }));
    },
    async writeLines(lines) {
      await ensureOk(await fetch(`${url}/write?precision=ms`, { method: "POST", body: lines }));
    },
    async merge() {
      await ensureOk(await fetch(`${url}/internal/force_flush`));
      await ensureOk(await fetch(`${url}/internal/force_merge`));
      await untilIdle(child.pid); // it merges after it has answered
    },
    bytes: () => sizeOf(join(directory, "data")),
    async stop() {
      child.kill();
      await child.exited;
      remove(directory);
    },
  };
}

/** Returns the bytes a point that a data set takes in VictoriaMetrics, which keeps numbers and booleans; undefined when it is not installed. */
export async function victoriaBytesPerPoint(
  binary: string | undefined,
  data: DataSet,
): Promise<number | undefined> {
  const victoria = await startVictoriaMetrics(binary);
  if (victoria === undefined) return undefined;
  for (const lines of toLines(data)) await victoria.writeLines(lines);
  await victoria.merge();
  const bytes = victoria.bytes();
  await victoria.stop();
  let points = 0;
  for (const readings of data.values())
    for (const { values } of readings)
      for (const value of Object.values(values))
        if (typeof value === "number" || typeof value === "boolean") points++;
  return bytes / points;
}

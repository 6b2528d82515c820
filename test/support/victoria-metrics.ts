import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

const path = Bun.which("victoria-metrics");

export const hasVictoriaMetrics = path !== null;

export interface ExportedSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly number[];
  readonly timestamps: readonly number[];
}

/** VictoriaMetrics on loopback, which keeps its data over a restart. */
export interface VictoriaMetrics {
  readonly url: string;
  start(): Promise<void>;
  /** SIGKILL loses what it has acknowledged in the last seconds: it writes that to the disk later. */
  kill(signal: "SIGINT" | "SIGKILL"): Promise<void>;
  series(selector: string): Promise<ExportedSeries[]>;
  stop(): Promise<void>;
}

export async function createVictoriaMetrics(): Promise<VictoriaMetrics> {
  const directory = mkdtempSync(join(tmpdir(), "lineside-victoria-metrics-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: Bun.Subprocess | undefined;
  const victoria: VictoriaMetrics = {
    url,
    async start() {
      const flags = [
        `-storageDataPath=${directory}`,
        `-httpListenAddr=127.0.0.1:${port}`,
        "-retentionPeriod=100y",
        "-dedup.minScrapeInterval=1ms",
        "-memory.allowedBytes=128MB",
      ];
      child = Bun.spawn([path ?? "victoria-metrics", ...flags], { stdout: "ignore", stderr: "ignore" });
      await until(() =>
        fetch(`${url}/health`).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
    },
    async kill(signal) {
      child?.kill(signal);
      await child?.exited;
      child = undefined;
    },
    async series(selector) {
      await fetch(`${url}/internal/force_flush`);
      const body = new URLSearchParams({ "match[]": selector });
      const text = await (await fetch(`${url}/api/v1/export`, { method: "POST", body })).text();
      return text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line));
    },
    async stop() {
      await victoria.kill("SIGKILL");
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await victoria.start();
  return victoria;
}

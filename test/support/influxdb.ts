import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

const path = Bun.which("influxd");
if (path === null && process.env.CI) throw new Error("influxdb must be installed in CI");

export const hasInfluxdb = path !== null;

/** InfluxDB 1 on loopback, which keeps its data over a restart. */
export interface Influxdb {
  readonly port: number;
  readonly url: string;
  start(): Promise<void>;
  kill(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** Rows of the first series of the answer, as objects. */
  query(text: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

const administrator = { user: "root", password: "root" };

export async function createInfluxdb(): Promise<Influxdb> {
  const directory = mkdtempSync(join(tmpdir(), "lineside-influxdb-"));
  const [port, rpcPort] = [await freePort(), await freePort()];
  const config = join(directory, "influxdb.conf");
  writeFileSync(
    config,
    `reporting-disabled = true
bind-address = "127.0.0.1:${rpcPort}"
[meta]
  dir = "${directory}/meta"
[data]
  dir = "${directory}/data"
  wal-dir = "${directory}/wal"
  query-log-enabled = false
[monitor]
  store-enabled = false
[http]
  bind-address = "127.0.0.1:${port}"
  auth-enabled = true
  log-enabled = false
[logging]
  level = "error"
`,
  );
  let child: Bun.Subprocess | undefined;
  const url = `http://127.0.0.1:${port}`;

  async function ask(text: string): Promise<Response> {
    const authorization = `Basic ${btoa(`${administrator.user}:${administrator.password}`)}`;
    return fetch(`${url}/query?db=plant&epoch=ms`, {
      method: "POST",
      headers: { authorization, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ q: text }).toString(),
    });
  }

  const influxdb: Influxdb = {
    port,
    url,
    async start() {
      child = Bun.spawn([path ?? "influxd", "-config", config], { stdout: "ignore", stderr: "ignore" });
      await until(() =>
        fetch(`${url}/ping`).then(
          ({ status }) => status === 204,
          () => false,
        ),
      );
    },
    async kill(signal) {
      child?.kill(signal);
      await child?.exited;
      child = undefined;
    },
    async query(text) {
      const response = await (await ask(text)).json();
      const { series, error } = response.results?.[0] ?? response;
      if (error !== undefined) throw new Error(error);
      const { columns = [], values = [] } = series?.[0] ?? {};
      return values.map((row: unknown[]) =>
        Object.fromEntries(columns.map((column: string, index: number) => [column, row[index]])),
      );
    },
    async stop() {
      await influxdb.kill("SIGKILL");
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await influxdb.start();
  // It answers before it can store users: what is refused at first is asked again.
  const createUser = `CREATE USER "${administrator.user}" WITH PASSWORD '${administrator.password}' WITH ALL PRIVILEGES`;
  await until(async () => (await (await ask(createUser)).json()).results?.[0]?.error === undefined);
  return influxdb;
}

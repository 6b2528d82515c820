// The programs that read /metrics: Prometheus and its checker from Debian, and the Grafana dashboard in docs.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addOwnMetrics } from "../../src/modules/system/own-metrics.ts";
import { Metrics } from "../../src/platform/core/metrics.ts";
import { freePort } from "../support/free-port.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const TOKEN = "scrape me";
const dashboardFile = join(import.meta.dir, "../../docs/grafana-dashboard.json");
const monitoring = join(import.meta.dir, "../../docs/monitoring");
const promtool = Bun.which("promtool");
const prometheus = Bun.which("prometheus");
if ((promtool === null || prometheus === null) && process.env.CI)
  throw new Error("prometheus must be installed in CI");
if (promtool === null || prometheus === null) console.warn("not run: Prometheus is not installed");

let fixture: TestApp;
let directory: string;
beforeAll(async () => {
  fixture = await createTestApp({ config: { metrics_token: TOKEN } });
  directory = mkdtempSync(join(tmpdir(), "lineside-prometheus-"));
});
afterAll(async () => {
  await fixture.stop();
  rmSync(directory, { recursive: true, force: true });
});

test.if(promtool !== null)("promtool finds nothing to complain about", async () => {
  const { text } = await fixture.call("GET", "/metrics", { token: TOKEN });
  const { exitCode, stdout, stderr } = Bun.spawnSync([promtool ?? "", "check", "metrics"], {
    stdin: Buffer.from(text),
  });
  expect([stdout.toString() + stderr.toString(), exitCode]).toEqual(["", 0]);
});

test.if(prometheus !== null)("Prometheus scrapes the gateway with its token", async () => {
  const port = await freePort();
  const configFile = join(directory, "prometheus.yml");
  const config = {
    global: { scrape_interval: "1s" },
    scrape_configs: [
      {
        job_name: "lineside",
        authorization: { credentials: TOKEN },
        static_configs: [{ targets: [`127.0.0.1:${new URL(fixture.app.url).port}`] }],
      },
    ],
  };
  writeFileSync(configFile, JSON.stringify(config)); // JSON is YAML, too
  const child = Bun.spawn(
    [
      prometheus ?? "",
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${join(directory, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ["ignore", "ignore", "ignore"] },
  );
  const resultOf = async (query: string): Promise<string | undefined> => {
    const path = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`;
    const answer = await fetch(path).then(
      (response) => (response.ok ? response.json() : undefined),
      () => undefined,
    );
    return answer?.data?.result?.[0]?.value?.[1];
  };
  try {
    await until(async () => (await resultOf("up")) === "1");
    expect(await resultOf("lineside_ready")).toBe("1");
    expect(await resultOf('lineside_database_bytes{database="telemetry"} > 0')).toBeDefined();
  } finally {
    child.kill();
    await child.exited;
  }
});

test.if(promtool !== null)("the configuration and the alert rules in the docs are valid", () => {
  const page = readFileSync(join(import.meta.dir, "../../docs/monitoring.md"), "utf8");
  const [config = ""] = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, text]) => text ?? "");
  const rules = readFileSync(join(monitoring, "lineside-rules.yml"), "utf8");
  writeFileSync(join(directory, "lineside-rules.yml"), rules);
  writeFileSync(join(directory, "documented.yml"), config);
  const { exitCode, stdout, stderr } = Bun.spawnSync([
    promtool ?? "",
    "check",
    "config",
    join(directory, "documented.yml"),
  ]);
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  const count = rules.match(/- alert:/g)?.length ?? 0;
  expect(count).toBeGreaterThan(10);
  expect(stdout.toString()).toContain(`${count} rules found`);
  expect(rules.match(/lineside_\w+/g)?.filter((name) => !metricNames().has(name))).toEqual([]);
});

test.if(promtool !== null)("every alert fires when it should, and none of a healthy gateway", () => {
  const { exitCode, stderr } = Bun.spawnSync([promtool ?? "", "test", "rules", "lineside-rules.test.yml"], {
    cwd: monitoring,
  });
  expect([stderr.toString(), exitCode]).toEqual(["", 0]);
  const [rules, tests] = ["lineside-rules.yml", "lineside-rules.test.yml"].map((name) =>
    readFileSync(join(monitoring, name), "utf8"),
  );
  const alerts = [...(rules ?? "").matchAll(/- alert: (\w+)/g)].map(([, name]) => name ?? "");
  expect(alerts.filter((name) => !tests?.includes(`alertname="${name}"`))).toEqual([]);
});

test.if(promtool !== null)("the tests of the alerts notice a rule that never fires", () => {
  const read = (name: string) => readFileSync(join(monitoring, name), "utf8");
  writeFileSync(
    join(directory, "lineside-rules.yml"),
    read("lineside-rules.yml").replace(
      "lineside_uplink_lag_seconds > 900",
      "lineside_uplink_lag_seconds < 0",
    ),
  );
  writeFileSync(join(directory, "lineside-rules.test.yml"), read("lineside-rules.test.yml"));
  const { exitCode } = Bun.spawnSync([promtool ?? "", "test", "rules", "lineside-rules.test.yml"], {
    cwd: directory,
  });
  expect(exitCode).toBe(1);
});

/** Collects the names of the metrics, also of those without a value on this machine. */
class MetricNames extends Metrics {
  readonly names = new Set<string>();

  override gauge(name: string): void {
    this.names.add(`lineside_${name}`);
  }

  override counter(name: string): void {
    this.names.add(`lineside_${name}_total`);
  }
}

function metricNames(): ReadonlySet<string> {
  const metrics = new MetricNames();
  // Nothing is read of the sources, so that they may be empty.
  const nothing = { sources: {}, readings: {} } as Parameters<typeof addOwnMetrics>[2];
  addOwnMetrics(metrics, { version: "", commit: "" }, nothing);
  return metrics.names;
}

test("the Grafana dashboard shows every metric, and no other", () => {
  const dashboard: { panels: Array<{ targets: Array<{ expr: string }> }> } = JSON.parse(
    readFileSync(dashboardFile, "utf8"),
  );
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const shown = new Set(expressions.flatMap((expression) => expression.match(/lineside_\w+/g) ?? []));
  expect([...shown].sort()).toEqual([...metricNames()].sort());
});

test.if(promtool !== null)("Prometheus understands every expression of the dashboard", () => {
  const { panels } = JSON.parse(readFileSync(dashboardFile, "utf8"));
  const expressions: string[] = panels.flatMap(({ targets }: { targets: Array<{ expr: string }> }) =>
    targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*")),
  );
  const file = join(directory, "rules.yml");
  const rules = expressions.map((expr, index) => ({ record: `panel_${index}`, expr }));
  writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
  const { exitCode, stdout, stderr } = Bun.spawnSync([promtool ?? "", "check", "rules", file]);
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  expect(stdout.toString()).toContain(`${expressions.length} rules found`);
});

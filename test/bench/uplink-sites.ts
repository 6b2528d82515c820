import { parseArgs } from "node:util";
import { Consumer } from "@platformatic/kafka";
import { Value } from "@sinclair/typebox/value";
import { kafkaSettings } from "../../src/modules/uplinks/targets/kafka/kafka.schemas.ts";
import { postgresqlSettings } from "../../src/modules/uplinks/targets/postgresql/postgresql.schemas.ts";
import type { TargetSettings } from "../../src/modules/uplinks/targets/targets.schemas.ts";
import { createKafka } from "../support/kafka.ts";
import { createPostgres, postgresOwner } from "../support/postgres.ts";
import { machine, thousands } from "./report.ts";
import { FIRST_TS, KEYS, SiteData, SiteUplink } from "./uplink-site.ts";

/*
 * `bun test/bench/uplink-sites.ts [--sites 1000] [--interval 10] [--seconds 60] [--outageRows 360]`: many gateways, each with an uplink to one
 * PostgreSQL and one to one Kafka on this machine. A tenth of them is away for a while, loses its newest confirmations, and sends what it has
 * written meanwhile. Prints the lag, and what the targets hold too often or not at all.
 */

const { values } = parseArgs({
  options: {
    sites: { type: "string", default: "1000" },
    interval: { type: "string", default: "10" },
    seconds: { type: "string", default: "60" },
    outageRows: { type: "string", default: "360" },
  },
});
const siteCount = Number(values.sites);
const intervalMs = Number(values.interval) * 1_000;
const phaseMs = Number(values.seconds) * 1_000;
const outageRows = Number(values.outageRows);

const DEVICES_PER_SITE = 4;
const OUTAGE_SHARE = 0.1;
/** Rows whose confirmations a loss of power takes back. */
const FORGOTTEN_ROWS = 5;
const TOPIC = "sites";
const PARTITIONS = 12;
const KAFKA_SILENCE_MS = 5_000;
const CATCH_UP_MS_MAX = 600_000;

const postgres = await createPostgres({
  settings: [`max_connections=${siteCount + 20}`, "shared_buffers=512MB", "max_wal_size=4GB"],
});
const kafka = await createKafka();
const targets: Record<string, TargetSettings> = {
  PostgreSQL: Value.Default(postgresqlSettings, {
    type: "POSTGRESQL",
    host: "127.0.0.1",
    port: postgres.port,
    database: "postgres",
    ...postgresOwner,
    tls: null,
  }) as TargetSettings, // as the schema says
  Kafka: Value.Default(kafkaSettings, {
    type: "KAFKA",
    brokers: [`127.0.0.1:${kafka.port}`],
    topic: TOPIC,
    eventTopic: TOPIC,
    partitions: PARTITIONS,
    tls: null,
  }) as TargetSettings, // as the schema says
};

interface Site {
  readonly data: SiteData;
  /** By the name of the target. */
  readonly uplinks: ReadonlyMap<string, SiteUplink>;
  isAway: boolean;
}

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, "0");
const sites = Array.from({ length: siteCount }, (_, site): Site => {
  const devices = Array.from(
    { length: DEVICES_PER_SITE },
    (__, device) => `00000000-0000-7000-8000-${hex(site, 8)}${hex(device, 4)}`,
  );
  const data = new SiteData(devices, intervalMs);
  const uplinks = new Map(
    Object.entries(targets).map(([name, target]) => [
      name,
      new SiteUplink(`${name}-${site}`, `site ${site}`, { data, target }),
    ]),
  );
  return { data, uplinks, isAway: false };
});
const uplinksTo = (name: string) => sites.flatMap(({ uplinks }) => uplinks.get(name) ?? []);

/** Each site writes at an offset of its own, as clocks of sites do. */
function startWriting(): () => void {
  const timers: Timer[] = [];
  for (const [index, site] of sites.entries())
    timers.push(
      setTimeout(
        () => {
          const write = () => {
            if (site.isAway) return;
            site.data.write(1);
            for (const uplink of site.uplinks.values()) uplink.wake();
          };
          write();
          timers.push(setInterval(write, intervalMs));
        },
        (index * intervalMs) / siteCount,
      ),
    );
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** Samples the lag of all uplinks to each target for a while, and prints its quantiles. */
async function watch(phase: string, until: () => boolean): Promise<void> {
  const lags = new Map(Object.keys(targets).map((name) => [name, [] as number[]]));
  const startedAt = performance.now();
  while (!until()) {
    await Bun.sleep(1_000);
    for (const [name, list] of lags) for (const uplink of uplinksTo(name)) list.push(uplink.lagMs);
  }
  const seconds = inSeconds(performance.now() - startedAt);
  for (const [name, list] of lags) {
    list.sort((a, b) => a - b);
    const cells = [quantile(list, 0.5), quantile(list, 0.99), list[list.length - 1] ?? 0].map(inSeconds);
    console.log(`| ${phase}, ${seconds} | ${name} | ${cells.join(" | ")} |`);
  }
}

const after = (ms: number) => {
  const end = performance.now() + ms;
  return () => performance.now() >= end;
};

async function checkPostgres(): Promise<void> {
  const rows = await postgres.query<{ points: number; wrong: number; bytes: number }>(
    `SELECT pg_total_relation_size('lineside.telemetry')::float8 AS bytes, count(*)::float8 AS points, count(*) FILTER (WHERE number IS DISTINCT FROM
      round(extract(epoch FROM ts) * 1000 - ${FIRST_TS}) / ${intervalMs} + substr(key, 4)::float8 / 16)::float8 AS wrong
      FROM lineside.telemetry`,
  );
  const { points = 0, wrong = 0, bytes = 0 } = rows[0] ?? {};
  console.log(
    `PostgreSQL: ${thousands(points)} of ${thousands(expectedRows() * KEYS)} points, ${wrong} with another value, duplicates 0 (primary key), ${(bytes / points).toFixed(0)} bytes a point with indexes`,
  );
}

const expectedRows = (): number =>
  sites.reduce((sum, { data }) => sum + data.writtenAt.length * data.devices.length, 0);

/** A consumer recognizes a row that came again by device and timestamp. */
async function checkKafka(): Promise<void> {
  /** Device → timestamps that have come. */
  const seen = new Map<string, Set<number>>();
  const newest = new Map<string, number>();
  const counts = { rows: 0, duplicates: 0, disordered: 0, wrong: 0 };
  const consumer = new Consumer({
    clientId: "reader",
    groupId: `reader-${crypto.randomUUID()}`,
    bootstrapBrokers: [`127.0.0.1:${kafka.port}`],
  });
  const stream = await consumer.consume({ topics: [TOPIC], mode: "earliest", maxWaitTime: 50 });
  let lastMs = performance.now();
  stream.on("data", ({ value }) => {
    lastMs = performance.now();
    const { device, ts, values: numbers } = JSON.parse(value.toString());
    counts.rows++;
    if (numbers.key1 !== (ts - FIRST_TS) / intervalMs + 1 / 16) counts.wrong++;
    const stamps = seen.get(device) ?? new Set();
    seen.set(device, stamps);
    if (stamps.has(ts)) counts.duplicates++;
    else if (ts < (newest.get(device) ?? 0)) counts.disordered++;
    stamps.add(ts);
    newest.set(device, Math.max(ts, newest.get(device) ?? 0));
  });
  while (performance.now() - lastMs < KAFKA_SILENCE_MS) await Bun.sleep(100);
  await consumer.close(true);
  const found = [...seen.values()].reduce((sum, stamps) => sum + stamps.size, 0);
  console.log(
    `Kafka: ${thousands(found)} of ${thousands(expectedRows())} rows, ${counts.wrong} with another value, ${thousands(counts.duplicates)} duplicates, ${counts.disordered} out of order within their device`,
  );
}

console.log(`${new Date().toISOString().slice(0, 10)}, ${machine()}`);
console.log(
  `${thousands(siteCount)} sites, ${DEVICES_PER_SITE} devices each, ${KEYS} keys a row, a row every ${inSeconds(intervalMs)}\n`,
);
console.log("| phase | target | lag p50 | p99 | most |\n|---|---|---|---|---|");
// One prepares the tables and the topic; all at once would only wait for its locks.
for (const uplink of sites[0]?.uplinks.values() ?? []) uplink.start();
const stopWriting = startWriting();
await Bun.sleep(3_000);
for (const [index, { uplinks }] of sites.entries()) {
  if (index > 0) for (const uplink of uplinks.values()) uplink.start();
  if (index % 20 === 0) await Bun.sleep(100);
}
await watch("start", () =>
  Object.keys(targets).every((name) => uplinksTo(name).every(({ lagMs }) => lagMs < intervalMs)),
);
await watch("all sites", after(phaseMs));
const away = sites.filter((_, index) => index % (1 / OUTAGE_SHARE) === 0);
await Promise.all(
  away.map(async (site) => {
    site.isAway = true;
    for (const uplink of site.uplinks.values()) {
      await uplink.stop();
      uplink.forget(FORGOTTEN_ROWS);
    }
  }),
);
for (const { data } of away) data.write(outageRows);
await watch(`${away.length} sites away`, after(phaseMs / 2));
for (const site of away) {
  site.isAway = false;
  for (const uplink of site.uplinks.values()) uplink.start();
}
const isDone = () =>
  away.every(({ uplinks }) => [...uplinks.values()].every(({ lagMs }) => lagMs < intervalMs));
const deadline = after(CATCH_UP_MS_MAX);
await watch(
  `${thousands(away.length * outageRows * DEVICES_PER_SITE * KEYS)} points of history`,
  () => isDone() || deadline(),
);
await watch("all sites again", after(phaseMs / 2));
stopWriting();
const finished = after(60_000);
while (!finished() && sites.some(({ uplinks }) => [...uplinks.values()].some(({ lagMs }) => lagMs > 0)))
  await Bun.sleep(100);
await Promise.all(sites.flatMap(({ uplinks }) => [...uplinks.values()].map((uplink) => uplink.stop())));
console.log("");
await checkPostgres();
await checkKafka();
await postgres.stop();
await kafka.stop();
process.exit(0);

import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchAggregates } from "./aggregates.ts";
import { benchAlarmLatency } from "./alarm-latency.ts";
import { benchAlarmStorm } from "./alarm-storm.ts";
import { benchBackups } from "./backups.ts";
import { benchConsole } from "./console.ts";
import { benchDisk } from "./disk.ts";
import { benchDiskFaults } from "./disk-faults.ts";
import { benchExport } from "./export.ts";
import { benchFieldOpcUa } from "./field-opcua.ts";
import { benchFieldPeers } from "./field-trials.ts";
import { benchFleet } from "./fleet.ts";
import { benchFootprint } from "./footprint.ts";
import { benchFuzz } from "./fuzz.ts";
import { benchGrowth } from "./growth.ts";
import { benchHttpQueries } from "./http-queries.ts";
import { benchIngest } from "./ingest.ts";
import { benchIntegrations } from "./integrations.ts";
import { fillDirectory, runKillRounds } from "./kill-rounds.ts";
import { benchPowerCuts } from "./power-cuts.ts";
import { remove, temporaryDirectory } from "./processes.ts";
import { benchQueries } from "./queries.ts";
import { fixed, machine, type Row, renderRows, thousands } from "./report.ts";
import { benchMessageCost, benchRules } from "./rules.ts";
import { benchSmallBoard } from "./small-board.ts";
import { benchSoak } from "./soak.ts";
import { benchStorage } from "./storage.ts";
import { benchTopics } from "./topics.ts";
import { benchUplinks } from "./uplinks.ts";

/*
 * `npm run bench [-- --only ingest,storage --seconds 5 --data FOLDER --rounds 200 --states 10000 --faults 20 --minutes 10 --rate 20000
 * --victoria FILE --write]`: measures the product beside what a user would install instead, on this machine, in this run. `--victoria` names
 * the program of VictoriaMetrics, if it is not on the path; `--rate` the messages a second of `soak`, which runs only where `--only` names it;
 * `--write` puts the tables into docs/benchmarks.md.
 */

const { values } = parseArgs({
  options: {
    only: {
      type: "string",
      default:
        "ingest,topics,disk,storage,queries,http,aggregates,growth,footprint,fleet,fuzz,rules,alarms,integrations,uplinks,console,backups,safety,faults",
    },
    seconds: { type: "string", default: "5" },
    data: { type: "string" },
    rounds: { type: "string", default: "200" },
    states: { type: "string", default: "10000" },
    faults: { type: "string", default: "20" },
    minutes: { type: "string", default: "10" },
    rate: { type: "string" },
    victoria: { type: "string" },
    write: { type: "boolean", default: false },
  },
});

const LARGE_STORE_BYTES = 1_000_000_000;
const READY_MS_MAX = 300;

async function benchKills(rounds: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  await fillDirectory(directory, LARGE_STORE_BYTES);
  const result = await runKillRounds(rounds, { directory });
  remove(directory);
  return [
    {
      section: "Safety",
      measure: `SIGKILL under MQTT QoS 1 and 2 and HTTP load, ${rounds} rounds on a store of 1 GB`,
      value: `${thousands(result.acknowledged)} acknowledged, ${result.lost} lost, ${result.doubled} duplicated`,
      goal: "0 lost, 0 duplicated",
      met: result.lost === 0 && result.doubled === 0,
    },
    {
      section: "Safety",
      measure: "ready again after such a kill, process start included: median, slowest",
      value: `${fixed(result.readyMsMedian, 0)} ms, ${fixed(result.readyMsMax, 0)} ms`,
      goal: "≤ 300 ms",
      met: result.readyMsMax <= READY_MS_MAX,
    },
  ];
}

const seconds = Number(values.seconds);
const sections: Record<string, () => Promise<Row[]>> = {
  ingest: () => benchIngest(seconds),
  topics: () => benchTopics(seconds),
  disk: () => benchDisk(seconds),
  storage: () => benchStorage(values.data, values.victoria),
  queries: async () => [...(await benchQueries()), ...(await benchExport())],
  http: () => benchHttpQueries(values.victoria),
  aggregates: benchAggregates,
  growth: () => benchGrowth({ draw: values.write }),
  footprint: () => benchFootprint(seconds),
  fleet: benchFleet,
  rules: async () => [...(await benchRules(seconds)), ...(await benchMessageCost(seconds))],
  opcua: () => benchFieldOpcUa(seconds),
  field: () => benchFieldPeers(seconds, Number(values.rounds)),
  alarms: async () => [...(await benchAlarmLatency(seconds)), ...(await benchAlarmStorm())],
  integrations: () => benchIntegrations(seconds),
  uplinks: () => benchUplinks(seconds),
  console: () => benchConsole(Number(values.minutes)),
  backups: () => benchBackups(seconds),
  fuzz: () => benchFuzz(Number(values.minutes)),
  soak: () =>
    benchSoak(Number(values.minutes), seconds, values.rate === undefined ? undefined : Number(values.rate)),
  board: () => benchSmallBoard(Number(values.minutes)),
  safety: () => benchKills(Number(values.rounds)),
  faults: async () => [
    ...(await benchPowerCuts(Number(values.states))),
    ...(await benchDiskFaults(Number(values.faults))),
  ],
};

const docs = join(import.meta.dir, "..", "..", "docs", "benchmarks.md");
const stamp = `${new Date().toISOString().slice(0, 10)}, ${machine()}`;

/** Puts a section's table between its marks in docs/benchmarks.md; sections can be measured one by one. */
async function write(name: string, table: string): Promise<void> {
  const text = await Bun.file(docs).text();
  const block = `<!-- ${name} -->\n\n${table}\n\nMeasured ${stamp}.\n\n<!-- /${name} -->`;
  await Bun.write(
    docs,
    text.replace(new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`), () => block),
  );
}

console.log(machine());
for (const name of values.only.split(",")) {
  const section = sections[name];
  if (section === undefined)
    throw new Error(`there is not a section ${name}; there are ${Object.keys(sections).join(", ")}`);
  const table = renderRows(await section());
  console.log(`\n${table}`);
  if (values.write) await write(name, table);
}
process.exit(0);

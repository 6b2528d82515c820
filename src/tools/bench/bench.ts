import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchDisk } from "./disk.ts";
import { benchExport } from "./export.ts";
import { benchFootprint } from "./footprint.ts";
import { benchIngest } from "./ingest.ts";
import { runKillRounds } from "./kill-rounds.ts";
import { benchQueries } from "./queries.ts";
import { fixed, machine, type Row, renderRows, thousands } from "./report.ts";
import { benchStorage } from "./storage.ts";

/*
 * `npm run bench [-- --only ingest,storage --seconds 5 --data FOLDER --rounds 200 --write]`: measures the product beside what a
 * user would install instead, on this machine, in this run; `--write` puts the tables into docs/benchmarks.md.
 */

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "ingest,disk,storage,queries,footprint,safety" },
    seconds: { type: "string", default: "5" },
    data: { type: "string" },
    rounds: { type: "string", default: "200" },
    write: { type: "boolean", default: false },
  },
});

async function benchSafety(rounds: number): Promise<Row[]> {
  const { acknowledged, lost, doubled, readyMsMax } = await runKillRounds(rounds);
  return [
    {
      section: "Safety",
      measure: `SIGKILL under QoS 1 load, ${rounds} rounds`,
      value: `${thousands(acknowledged)} acknowledged, ${lost} lost, ${doubled} doubled; slowest start ${fixed(readyMsMax, 0)} ms`,
      goal: "0 lost, 0 doubled",
      met: lost === 0 && doubled === 0,
    },
  ];
}

const seconds = Number(values.seconds);
const sections: Record<string, () => Promise<Row[]>> = {
  ingest: () => benchIngest(seconds),
  disk: () => benchDisk(seconds),
  storage: () => benchStorage(values.data),
  queries: async () => [...(await benchQueries()), ...(await benchExport())],
  footprint: () => benchFootprint(seconds),
  safety: () => benchSafety(Number(values.rounds)),
};

const rows: Row[] = [];
for (const name of values.only.split(",")) {
  const section = sections[name];
  if (section === undefined)
    throw new Error(`there is no section ${name}; there are ${Object.keys(sections).join(", ")}`);
  rows.push(...(await section()));
}
const tables = renderRows(rows);
console.log(`${machine()}\n\n${tables}`);

if (values.write) {
  const file = join(import.meta.dir, "..", "..", "..", "docs", "benchmarks.md");
  const text = await Bun.file(file).text();
  const stamp = `${new Date().toISOString().slice(0, 10)}, ${machine()}`;
  const block = `<!-- results -->\n\n${stamp}\n\n${tables}\n\n<!-- /results -->`;
  await Bun.write(
    file,
    text.replace(/<!-- results -->[\s\S]*<!-- \/results -->/, () => block),
  );
}
process.exit(0);

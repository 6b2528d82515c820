import { join } from "node:path";
import type { Exploration, Findings } from "./power-cut-explorer.ts";
import { buildPreload, remove, temporaryDirectory } from "./processes.ts";
import { type Row, thousands } from "./report.ts";

/*
 * Cuts the power at every moment of a recorded run, on paper: write-recorder.c writes down, below the process, what the store
 * writes and when it syncs; from that come the states in which a disk could be found afterwards, and each is opened. As a control
 * the same run is explored as if it had never synced, which must fail.
 */

const STEPS = 3_000;
const SHARDS = 2;
const CONTROL_STATES = 400;

/** Runs the script under the recorder; false when it failed. */
export function record(
  directory: string,
  library: string,
  { seed, steps }: { seed: number; steps: number },
): string {
  const log = join(directory, `writes-${seed}`);
  const { exitCode, stderr } = Bun.spawnSync(
    [
      process.execPath,
      join(import.meta.dir, "power-cut-child.ts"),
      join(directory, `run-${seed}-telemetry.db`),
      library,
      String(seed),
      String(steps),
    ],
    { env: { ...process.env, LD_PRELOAD: library, POWER_CUT_LOG: log }, stderr: "pipe" },
  );
  if (exitCode !== 0) throw new Error(`the recorded run failed: ${stderr.toString()}`);
  return log;
}

async function exploreInParallel(exploration: Omit<Exploration, "shard" | "shards">): Promise<Findings> {
  const parts = Array.from({ length: SHARDS }, async (_, shard): Promise<Findings> => {
    const argument = JSON.stringify({ ...exploration, shard, shards: SHARDS } satisfies Exploration);
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "power-cut-explorer.ts"), argument], {
      stderr: "inherit",
    });
    return JSON.parse(await child.stdout.text());
  });
  const all = await Promise.all(parts);
  const sum = (name: "states" | "corrupt" | "lost" | "invented") =>
    all.reduce((total, findings) => total + findings[name], 0);
  return {
    states: sum("states"),
    corrupt: sum("corrupt"),
    lost: sum("lost"),
    invented: sum("invented"),
    examples: all.flatMap(({ examples }) => examples),
  };
}

export async function benchPowerCuts(states: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const library = buildPreload(directory, "write-recorder");
  if (library === undefined) return [];
  const seed = 1;
  const log = record(directory, library, { seed, steps: STEPS });
  const run = { log, seed, steps: STEPS };
  const found = await exploreInParallel({ ...run, states, withoutSyncs: false });
  const control = await exploreInParallel({ ...run, states: CONTROL_STATES, withoutSyncs: true });
  remove(directory);
  for (const example of found.examples) console.error(example);
  const failures = (findings: Findings) => findings.corrupt + findings.lost + findings.invented;
  return [
    {
      section: "Faults",
      measure: `power cuts, ${thousands(found.states)} crash states of a recorded run`,
      value: `${found.corrupt} corrupt, ${found.lost} with acknowledged points lost, ${found.invented} with deleted or unsent ones`,
      peer: `control without syncs: ${failures(control)} of ${control.states} states bad`,
      goal: "0, control must fail",
      met: failures(found) === 0 && failures(control) > 0,
    },
  ];
}

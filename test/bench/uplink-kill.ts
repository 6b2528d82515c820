import { parseArgs } from "node:util";
import { machine, thousands } from "./report.ts";
import { runUplinkKillRounds } from "./uplink-kill-rounds.ts";
import { runDayOutage, runFullDisk, runFullGateway, runRestarts, SmallDisk } from "./uplink-outages.ts";
import type { UplinkPeer } from "./uplink-peer.types.ts";
import { uplinkPeers } from "./uplink-peers.ts";
import type { UplinkTrialResult } from "./uplink-trial.ts";

/*
 * `bun test/bench/uplink-kill.ts [--only http,kafka]`: tries what a gateway and the target of its uplink go through, and compares at the end
 * what both hold, point by point.
 *
 * `--scenario kills` (default; `--rounds 10`, `--order OLDEST_FIRST`): both are killed at random moments. With `--new-only` no value is late or
 * written again.
 * `--scenario restarts` (`--rounds 10`): only the gateway is killed, while it sends live values.
 * `--scenario day`: the target is away while the values of a day are written and the gateway is killed.
 * `--scenario full` (as root, on Linux): the disk of the target is full for a while.
 * `--scenario gateway-full` (as root, on Linux): the disk of the gateway is full while the target is away, and when it returns.
 */

const { values } = parseArgs({
  options: {
    scenario: { type: "string", default: "kills" },
    rounds: { type: "string", default: "10" },
    only: { type: "string", default: Object.keys(uplinkPeers).join(",") },
    order: { type: "string", default: "LIVE_FIRST" },
    "new-only": { type: "boolean", default: false },
  },
});

const SMALL_DISK_MB = 256;

interface Outcome {
  readonly result: UplinkTrialResult;
  readonly note: string;
}

async function tryPeer(create: () => Promise<UplinkPeer>): Promise<Outcome> {
  if (values.scenario === "full") return tryFullDisk(create);
  if (values.scenario === "gateway-full") return tryFullGateway(create);
  const peer = await create();
  const result = await runScenario(peer);
  await peer.stop();
  return { result, note: "" };
}

function runScenario(peer: UplinkPeer): Promise<UplinkTrialResult> {
  const rounds = Number(values.rounds);
  if (values.scenario === "restarts") return runRestarts(peer, rounds);
  if (values.scenario === "day") return runDayOutage(peer);
  return runUplinkKillRounds(peer, { rounds, order: values.order, isNewOnly: values["new-only"] });
}

async function tryFullDisk(create: () => Promise<UplinkPeer>): Promise<Outcome> {
  const disk = new SmallDisk(SMALL_DISK_MB);
  try {
    const peer = await disk.hold(create);
    const result = await runFullDisk(peer, disk);
    await peer.stop();
    const { failures, restarts } = result;
    return { result, note: `, ${failures} failures, ${restarts} restarts of the target` };
  } finally {
    disk.free();
    disk.unmount();
  }
}

async function tryFullGateway(create: () => Promise<UplinkPeer>): Promise<Outcome> {
  const disk = new SmallDisk(SMALL_DISK_MB);
  const peer = await create();
  try {
    return { result: await runFullGateway(peer, disk), note: "" };
  } finally {
    await peer.stop();
    disk.free();
    disk.unmount();
  }
}

console.log(`${machine()}\n`);
console.log("| target | kills | points | lost | too many | different | received | repeated | catch-up |");
console.log("|---|---|---|---|---|---|---|---|---|");
let isExact = true;
for (const name of values.only.split(",")) {
  const create = uplinkPeers[name];
  if (!create) {
    console.log(`| ${name} | not installed | | | | | | | |`);
    continue;
  }
  const { result, note } = await tryPeer(create);
  const { kills, points, lost, surplus, different, received, repeated, catchUpMs, examples } = result;
  const counts = [kills, points, lost, surplus, different, received, repeated].map(thousands);
  console.log(`| ${name} | ${counts.join(" | ")} | ${(catchUpMs / 1_000).toFixed(1)} s${note} |`);
  for (const example of examples) console.log(example);
  isExact &&= lost + surplus + different === 0;
}
process.exit(isExact ? 0 : 1);

import { parseArgs } from "node:util";
import { machine, thousands } from "./report.ts";
import { runUplinkKillRounds } from "./uplink-kill-rounds.ts";
import { uplinkPeers } from "./uplink-peers.ts";

/*
 * `bun src/tools/bench/uplink-kill.ts [--rounds 10] [--only http,kafka] [--order OLDEST_FIRST] [--new-only]`: kills a gateway and the target of its
 * uplink at random moments, and compares at the end what both hold, point by point. With `--new-only` no value is late or written again.
 */

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "10" },
    only: { type: "string", default: Object.keys(uplinkPeers).join(",") },
    order: { type: "string", default: "LIVE_FIRST" },
    "new-only": { type: "boolean", default: false },
  },
});

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
  const peer = await create();
  const result = await runUplinkKillRounds(peer, {
    rounds: Number(values.rounds),
    order: values.order,
    isNewOnly: values["new-only"],
  });
  await peer.stop();
  const { kills, points, lost, surplus, different, received, repeated, catchUpMs, examples } = result;
  const counts = [kills, points, lost, surplus, different, received, repeated].map(thousands);
  console.log(`| ${name} | ${counts.join(" | ")} | ${(catchUpMs / 1_000).toFixed(1)} s |`);
  for (const example of examples) console.log(example);
  isExact &&= lost + surplus + different === 0;
}
process.exit(isExact ? 0 : 1);

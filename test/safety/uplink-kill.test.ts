import { expect, test } from "bun:test";
import { runUplinkKillRounds } from "../bench/uplink-kill-rounds.ts";
import { createSink } from "../bench/uplink-peers.ts";

test("a target holds exactly what the gateway holds after both were killed at random moments", async () => {
  const sink = await createSink();
  try {
    const result = await runUplinkKillRounds(sink, { rounds: 2, pauseMsMax: 60 });
    expect(result.points).toBeGreaterThan(0);
    expect(result.examples).toEqual([]);
  } finally {
    await sink.stop();
  }
});

import { expect, test } from "bun:test";
import { runKillRounds } from "../bench/kill-rounds.ts";

test("killed at random moments under MQTT and HTTP load, every acknowledged point is there, once", async () => {
  const result = await runKillRounds(8);
  expect(result).toMatchObject({ rounds: 8, lost: 0, doubled: 0 });
  expect(result.acknowledged).toBeGreaterThan(0);
});

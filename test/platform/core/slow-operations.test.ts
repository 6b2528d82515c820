import { expect, test } from "bun:test";
import { SLOW_AFTER_MS, SlowOperations } from "../../../src/platform/core/slow-operations.ts";
import { FakeClock } from "../../support/fake-clock.ts";

test("keeps the newest operations that took long, and no others", () => {
  const clock = new FakeClock(0);
  const slow = new SlowOperations(clock);
  const operate = (name: string, durationMs: number) => {
    const key = {};
    slow.began(key);
    clock.advance(durationMs);
    slow.ended(key, () => name);
  };
  operate("quick", SLOW_AFTER_MS - 1);
  for (let no = 0; no < 201; no++) operate(`slow ${no}`, SLOW_AFTER_MS + no);
  slow.ended({}, () => "never began");
  const kept = slow.list();
  expect(kept).toHaveLength(200);
  expect(kept[0]).toMatchObject({ name: "slow 1", durationMs: SLOW_AFTER_MS + 1 });
  expect(kept.at(-1)?.name).toBe("slow 200");
});

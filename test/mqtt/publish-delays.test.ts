import { expect, test } from "bun:test";
import { RateMeter } from "../../src/lib/rate-meter.ts";
import { PublishDelays } from "../../src/mqtt/publish-delays.ts";
import { ManualClock } from "./mqtt-fixture.ts";

const limiterOf = (perSecond: number): RateMeter => {
  const limiter = new RateMeter();
  limiter.perSecond = perSecond;
  return limiter;
};

/** Lets everything pass that the rate allows at once. */
function spend(delays: PublishDelays, limiter: RateMeter): Promise<void> {
  for (;;) {
    const delay = delays.pass(limiter, 1);
    if (delay !== undefined) return delay;
  }
}

test("messages beyond a rate wait in their order", async () => {
  const clock = new ManualClock();
  const delays = new PublishDelays(clock);
  const limiter = limiterOf(1);
  const passed: string[] = [];
  const waiting = [
    spend(delays, limiter).then(() => passed.push("first")),
    delays.pass(limiter, 1)?.then(() => passed.push("second")),
  ];
  expect(passed).toEqual([]);
  clock.release();
  await Promise.all(waiting);
  expect(passed).toEqual(["first", "second"]);
  expect(waiting).not.toContain(undefined);
});

test("no more than 16 MB of a client wait", () => {
  const delays = new PublishDelays(new ManualClock());
  const limiter = limiterOf(1);
  void spend(delays, limiter);
  const large = 1024 * 1024;
  const sendLarge = () => {
    for (let count = 0; count < 20; count++) void delays.pass(limiter, large);
  };
  expect(sendLarge).toThrow(/wait for its rate/);
  expect(delays.pass(limiterOf(1), large)).toBeUndefined();
});

test("a new rate does not wait for messages under the old one", () => {
  const delays = new PublishDelays(new ManualClock());
  void spend(delays, limiterOf(1));
  expect(delays.pass(limiterOf(1_000), 1)).toBeUndefined();
});

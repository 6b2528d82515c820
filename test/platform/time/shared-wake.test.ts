// What a gateway at rest wakes for: unhurried work together, MQTT deadlines only while somebody is connected.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { ServerTime, TICK_MS } from "../../../src/mqtt/topics/server-time.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { createPeriodic, untilSharedWake } from "../../../src/platform/time/periodic.ts";
import { FakeClock } from "../../support/fake-clock.ts";

test("a shared wake-up comes no sooner than asked for, but for timers that were late, and less than a second later", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.constantFrom(500, 1_000, 2_000, 5_000, 60_000),
      (now, ms) => {
        const waitMs = untilSharedWake({ monotonic: () => now }, ms);
        expect(waitMs).toBeGreaterThanOrEqual(ms - 50.001);
        expect(waitMs).toBeLessThan(ms + 1_000);
        expect(Math.abs(((now + waitMs + 250) % Math.min(ms, 1_000)) - 250)).toBeLessThan(0.01);
      },
    ),
  );
});

test("work that began at different times runs in the same wake-ups, as often as asked for", () => {
  const clock = new FakeClock(0);
  const wakes = new Map<number, number>();
  const runs = [1_000, 2_000, 5_000].map((intervalMs, index) => {
    clock.advance(137 * index);
    const work = () => wakes.set(clock.monotonic(), (wakes.get(clock.monotonic()) ?? 0) + 1);
    const periodic = createPeriodic({ clock, log: createLogger("test"), intervalMs, work });
    periodic.start();
    return periodic;
  });
  clock.advance(60_000);
  for (const run of runs) run.stop();
  const total = [...wakes.values()].reduce((sum, count) => sum + count, 0);
  expect(total).toBeGreaterThanOrEqual(60 + 30 + 12 - 3);
  expect(wakes.size).toBeLessThanOrEqual(62);
});

test("the server's time is looked at once a second without a connection, and counts from the moment of the first", () => {
  const clock = new FakeClock(0);
  let resting = true;
  let ticks = 0;
  const time = new ServerTime(clock, () => resting);
  time.start(() => ticks++);
  clock.advance(10_000);
  expect(ticks).toBe(10);
  expect(time.now).toBe(10_000);
  clock.advance(900);
  resting = false;
  time.wake();
  expect(time.now).toBe(10_900);
  clock.advance(4 * TICK_MS);
  expect(ticks).toBe(14);
  clock.leap(60_000); // a stalled process expires nobody
  expect(time.now).toBeLessThanOrEqual(11_900 + 2 * TICK_MS);
  time.stop();
  time.wake();
  clock.advance(10_000);
  expect(ticks).toBe(15);
});

import { describe, expect, test } from "bun:test";
import { createRandom } from "../../../src/lib/data/random.ts";
import {
  type ObservedInterval,
  observeGap,
  silenceTimeoutOf,
} from "../../../src/lib/time/observed-interval.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const start = (): ObservedInterval => ({ intervalMs: 0, observedMs: 0 });
/** Observes a gap `count` times. */
function observe(interval: ObservedInterval, gapMs: number, count: number): ObservedInterval {
  for (let index = 0; index < count; index++) observeGap(interval, gapMs);
  return interval;
}
const timeoutOf = (interval: ObservedInterval): number => silenceTimeoutOf(interval).timeoutMs;

describe("the timeout follows the observed interval", () => {
  test("is ten minutes before anything was observed", () => {
    expect(silenceTimeoutOf(start())).toEqual({ timeoutMs: 10 * MINUTE, intervalMs: undefined });
    expect(silenceTimeoutOf(observe(start(), 10 * SECOND, 5))).toEqual({
      timeoutMs: 10 * MINUTE,
      intervalMs: undefined,
    });
  });

  test.each([
    [30 * SECOND, 90 * SECOND],
    [5 * MINUTE, 15 * MINUTE],
    [HOUR, 3 * HOUR],
    [DAY, 3 * DAY],
  ])("is three times a regular interval of %i ms", (gapMs, timeoutMs) => {
    expect(timeoutOf(observe(start(), gapMs, 30))).toBeCloseTo(timeoutMs, 3);
  });

  test("is at least one minute and at most 30 days", () => {
    expect(timeoutOf(observe(start(), 100, 10_000))).toBe(MINUTE);
    expect(timeoutOf(observe(start(), 20 * DAY, 10))).toBe(30 * DAY);
  });

  test("covers an hourly sensor from its second message on", () => {
    expect(timeoutOf(observe(start(), HOUR, 1))).toBe(3 * HOUR);
    expect(timeoutOf(observe(start(), HOUR, 2))).toBe(3 * HOUR);
  });

  test("covers jitter and lost messages", () => {
    const random = createRandom(1);
    const interval = start();
    let silences = 0;
    for (let index = 0; index < 5_000; index++) {
      const lost = random() < 0.1 ? 2 : 1;
      const gapMs = lost * 15 * MINUTE * (0.9 + 0.2 * random());
      if (index > 10 && gapMs > timeoutOf(interval)) silences++;
      observeGap(interval, gapMs);
    }
    expect(silences).toBe(0);
    expect(timeoutOf(interval)).toBeLessThan(90 * MINUTE);
  });
});

describe("what is not a new interval", () => {
  test("a burst of messages every hour keeps the hour", () => {
    const interval = start();
    for (let hour = 0; hour < 48; hour++) {
      observe(interval, 20, 100);
      observeGap(interval, HOUR - 2 * SECOND);
    }
    expect(timeoutOf(interval)).toBeGreaterThan(2.9 * HOUR);
    expect(timeoutOf(interval)).toBeLessThan(3.1 * HOUR);
  });

  test("an upload of old readings after an outage keeps the interval", () => {
    const interval = observe(start(), MINUTE, 60);
    observeGap(interval, 6 * HOUR);
    observe(interval, 5, 360);
    observe(interval, MINUTE, 30);
    expect(timeoutOf(interval)).toBeCloseTo(3 * MINUTE, -3);
  });

  test("a machine that is off every night and at weekends keeps its interval", () => {
    const interval = start();
    for (let day = 0; day < 21; day++) {
      observe(interval, 10 * SECOND, 8 * 360);
      observeGap(interval, day % 7 === 4 ? 64 * HOUR : 16 * HOUR);
    }
    observe(interval, 10 * SECOND, 30);
    expect(timeoutOf(interval)).toBe(MINUTE);
  });

  test("a gap of days before the device works does not count for long", () => {
    const interval = observe(start(), 2 * DAY, 1);
    observe(interval, 10 * SECOND, 100);
    expect(timeoutOf(interval)).toBe(MINUTE);
  });
});

describe("a device that changes its interval", () => {
  test("is learned with the second silence when it becomes slower", () => {
    const interval = observe(start(), 10 * SECOND, 1_000);
    observeGap(interval, HOUR);
    expect(timeoutOf(interval)).toBe(MINUTE);
    observeGap(interval, HOUR);
    expect(timeoutOf(interval)).toBe(3 * HOUR);
  });

  test("is learned as slower although each message comes as a burst", () => {
    const interval = observe(start(), 10 * SECOND, 1_000);
    for (let hour = 0; hour < 2; hour++) {
      observe(interval, 500, 20);
      observeGap(interval, HOUR);
    }
    expect(timeoutOf(interval)).toBe(3 * HOUR);
  });

  test("is learned within hours when it becomes faster", () => {
    const interval = observe(start(), HOUR, 24);
    observe(interval, 10 * SECOND, (6 * HOUR) / (10 * SECOND));
    expect(timeoutOf(interval)).toBe(MINUTE);
  });
});

test("never leaves its limits, whatever comes", () => {
  const random = createRandom(2);
  const interval = start();
  for (let index = 0; index < 20_000; index++) {
    observeGap(interval, Math.floor(10 ** (random() * 11)) - 1);
    const { timeoutMs } = silenceTimeoutOf(interval);
    expect(timeoutMs >= MINUTE && timeoutMs <= 30 * DAY).toBe(true);
  }
});

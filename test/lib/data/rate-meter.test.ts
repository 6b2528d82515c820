import { expect, test } from "bun:test";
import fc from "fast-check";
import { RateMeter } from "../../../src/lib/data/rate-meter.ts";

function limited(perSecond: number): RateMeter {
  const meter = new RateMeter();
  meter.perSecond = perSecond;
  return meter;
}

test("without a limit everything passes and is counted", () => {
  const meter = new RateMeter();
  expect(meter.isLimited).toBe(false);
  for (let index = 0; index < 1_000; index++) expect(meter.take(0)).toBe(0);
  expect([meter.passed, meter.refused]).toEqual([1_000, 0]);
});

test("ten seconds' worth passes at once, then the rate", () => {
  const meter = limited(5);
  for (let index = 0; index < 50; index++) expect(meter.take(1_000)).toBe(0);
  expect(meter.take(1_000)).toBe(200);
  expect(meter.take(1_199)).toBeCloseTo(1);
  expect(meter.take(1_200)).toBe(0);
  expect(meter.take(1_200)).toBe(200);
  expect([meter.passed, meter.refused]).toEqual([51, 3]);
});

test("what was refused costs nothing: who goes on too fast still gets the rate", () => {
  const meter = limited(10);
  let passed = 0;
  for (let now = 0; now < 100_000; now += 10) if (meter.take(now) === 0) passed++;
  expect(passed).toBeGreaterThanOrEqual(1_095);
  expect(passed).toBeLessThanOrEqual(1_105);
});

test("a limit that is lifted, set or lowered counts from the next message on", () => {
  const meter = limited(1);
  for (let index = 0; index < 10; index++) meter.take(0);
  expect(meter.take(0)).toBeGreaterThan(0);
  meter.perSecond = null;
  expect([meter.isLimited, meter.take(0)]).toEqual([false, 0]);
  meter.perSecond = 100;
  expect([meter.isLimited, meter.perSecond]).toEqual([true, 100]);
});

test("never more than rate and burst together pass, whenever messages come", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 500 }),
      fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 400 }),
      (perSecond, gaps) => {
        const meter = limited(perSecond);
        let now = 5;
        for (const gap of gaps) {
          now += gap;
          meter.take(now);
        }
        expect(meter.passed + meter.refused).toBe(gaps.length);
        expect(meter.passed).toBeLessThanOrEqual(perSecond * (10 + (now - 5) / 1000) + 1);
      },
    ),
  );
});

test("after the wait that was told, one passes", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), (perSecond) => {
      const meter = limited(perSecond);
      let waitMs = 0;
      while (waitMs === 0) waitMs = meter.take(0);
      expect(meter.take(Math.ceil(waitMs) + 0.001)).toBe(0);
    }),
  );
});

test("counts amounts, and lets what is larger than a whole burst pass when nothing is spent", () => {
  const meter = limited(100);
  expect(meter.take(0, 600)).toBe(0);
  expect(meter.take(0, 600)).toBe(2_000);
  expect(meter.take(2_000, 600)).toBe(0);
  expect(meter.take(12_000, 5_000)).toBe(0);
  expect(meter.take(12_000, 1)).toBe(40_010);
  expect(meter.passed).toBe(6_200);
});

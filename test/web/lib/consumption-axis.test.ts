import { expect, test } from "bun:test";
import fc from "fast-check";
import { amountMarks, changeOf, comparable, isRunning } from "../../../src/web/lib/consumption.ts";

test("the marks of an axis begin at 0, reach the amount in even steps, and are few", () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1e12, noNaN: true }), (high) => {
      const marks = amountMarks(high);
      const [first, step = 0] = marks;
      expect(first).toBe(0);
      expect(marks.length).toBeGreaterThanOrEqual(3);
      expect(marks.length).toBeLessThanOrEqual(6);
      expect(marks.at(-1)).toBeGreaterThanOrEqual(high * (1 - 1e-9));
      expect(marks.at(-2)).toBeLessThan(high);
      for (const [index, mark] of marks.entries()) expect(mark / step).toBeCloseTo(index, 6);
    }),
  );
  expect(amountMarks(0)).toEqual([0, 1]);
  expect(amountMarks(0.33)).toEqual([0, 0.1, 0.2, 0.3, 0.4]);
});

test("a running interval is compared with the same part of the one before", () => {
  const bar = (from: number, amount: number) => ({ from, to: from + 10, amount });
  const before = [bar(0, 5), bar(10, 8), bar(20, 6)];
  // 5 in the first interval, 3 of the 8 in the part of the second one.
  expect(comparable(before, 8, 14)).toEqual([bar(0, 5), bar(10, 3), bar(20, 6)]);
  expect(comparable(before, undefined, 14)).toEqual(before);
  expect(comparable(before, 19, 30)).toEqual(before);
  expect([9, 10, 19, 20].map((nowMs) => isRunning(bar(10, 8), nowMs))).toEqual([false, true, true, false]);
});

const HOUR_MS = 3_600_000;
const starts = (other: number) => ({ current: 0, other, intervalMs: HOUR_MS });
test.each([
  ["a change is a share of the other amount", changeOf(15, 10, starts(0)), 0.5],
  ["data that starts in the next interval is complete", changeOf(15, 10, starts(HOUR_MS)), 0.5],
  ["an amount of a part of the period is not compared", changeOf(15, 10, starts(2 * HOUR_MS)), "incomplete"],
  ["a period without data is not compared", changeOf(15, 0, starts(Number.POSITIVE_INFINITY)), "incomplete"],
  ["a bar is compared wherever the data starts", changeOf(15, 10), 0.5],
  ["an almost empty bar is not compared", changeOf(764, 1), "tooLittle"],
  ["an empty bar is not compared", changeOf(764, 0), "tooLittle"],
  ["two empty bars have no change", changeOf(0, 0), "none"],
  ["a bar without counterpart has no change", changeOf(3, undefined), "none"],
] as const)("%s", (_, change, expected) => {
  expect(change).toBe(expected);
});

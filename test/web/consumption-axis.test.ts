import { expect, test } from "bun:test";
import fc from "fast-check";
import { amountMarks } from "../../src/web/lib/consumption.ts";

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

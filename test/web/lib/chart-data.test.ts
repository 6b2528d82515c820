import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { TelemetryValue } from "../../../src/web/lib/api-types.ts";
import {
  alignColumns,
  isGap,
  skippedIn,
  sparkPath,
  statsOf,
  tableRows,
} from "../../../src/web/lib/chart-data.ts";
import { SeriesBuffer, thinningOf } from "../../../src/web/lib/series-buffer.ts";

function bufferOf(points: [number, TelemetryValue][]): SeriesBuffer {
  const buffer = new SeriesBuffer();
  buffer.addAll(points.map(([ts, value]) => ({ ts, value })));
  return buffer;
}

const ALL = { from: 0, to: 1e9 };

describe("a series buffer", () => {
  test("ends up sorted and without repeats, whatever order points come in", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer())), (points) => {
        const buffer = bufferOf(points);
        expect([...buffer.ts.entries()].map(([i, ts]) => [ts, buffer.values[i]!])).toEqual(
          [...new Map(points)].sort((a, b) => a[0] - b[0]),
        );
      }),
    );
  });

  test("forgets old points in bulk and never one that is still in the window", () => {
    const buffer = bufferOf(Array.from({ length: 2000 }, (_, i) => [i + 1, i] as [number, number]));
    buffer.trimBefore(11);
    expect(buffer.ts.length).toBe(2000);
    buffer.trimBefore(1001);
    expect(buffer.ts[0]).toBe(1001);
    expect(buffer.ts.length).toBe(1000);
  });
});

describe("aligned columns", () => {
  test("break the line where a device was silent for much longer than usual", () => {
    const buffer = bufferOf([1000, 2000, 3000, 60_000, 61_000].map((ts) => [ts, ts]));
    expect(alignColumns([buffer], ALL)).toEqual([
      [1000, 2000, 3000, 3001, 60_000, 61_000],
      [1000, 2000, 3000, null, 60_000, 61_000],
    ]);
  });

  test("do not take another series' rhythm for gaps", () => {
    const often = bufferOf([1000, 2000, 3000].map((ts) => [ts, 1]));
    const seldom = bufferOf([[2500, true]]);
    expect(alignColumns([often, seldom], ALL)).toEqual([
      [1000, 2000, 2500, 3000],
      [1, 1, undefined, 1],
      [undefined, undefined, 1, undefined],
    ]);
  });

  test("keep one point on either side of the window, so that lines reach its edges", () => {
    const buffer = bufferOf([1000, 2000, 3000, 4000, 5000].map((ts) => [ts, ts]));
    expect(alignColumns([buffer], { from: 2500, to: 3500 })[0]).toEqual([2000, 3000, 4000]);
  });

  test("let a device change its rhythm without a gap, and need a rhythm before they see one", () => {
    const slowThenFast = [0, 60_000, 120_000, 180_000, 181_000, 182_000, 183_000];
    expect(slowThenFast.map((_, i) => i > 0 && isGap(slowThenFast, i))).not.toContain(true);
    expect(isGap([0, 1_000_000], 1)).toBe(false);
  });

  test("compare a step with those before it and those after it, and never with itself", () => {
    const fastThenSlow = [0, 1_000, 2_000, 3_000, 63_000, 123_000, 183_000];
    expect(fastThenSlow.map((_, i) => i > 0 && isGap(fastThenSlow, i))).not.toContain(true);
    expect(isGap([0, 1_000, 2_000, 3_000, 60_000], 4)).toBe(true);
  });

  test("take more than three intervals without a value for a gap", () => {
    const after = (ms: number) => [0, 60_000, 120_000, 120_000 + ms, 180_000 + ms, 240_000 + ms];
    expect([170_000, 180_000, 190_000].map((ms) => isGap(after(ms), 3))).toEqual([false, false, true]);
  });

  test("see a gap beside a single point in the middle of nothing", () => {
    const ts = [0, 1000, 2000, 3000, 100_000, 200_000, 201_000, 202_000, 203_000];
    expect(ts.flatMap((_, i) => (i > 0 && isGap(ts, i) ? [i] : []))).toEqual([4, 5]);
  });

  test("do not tear history that the server has thinned, and still show its real gaps", () => {
    const points = Array.from({ length: 2_000 }, (_, ts) => ({ ts, value: 1 }));
    const thinned = thinningOf({ points, thinned: true }, { from: 0, to: 1_000_000 });
    const ts = [0, 100, 200, 2100, 2200, 4000, 4100, 60_000, 60_100, 60_200];
    expect(ts.flatMap((_, i) => (i > 0 && isGap(ts, i, thinned) ? [i] : []))).toEqual([7]);
    expect(thinningOf({ points }, { from: 0, to: 1_000_000 })).toEqual({ until: 0, stepMs: 0 });
  });
});

test("statistics cover the window only and skip text", () => {
  const buffer = bufferOf([
    [1, 100],
    [2, 10],
    [3, "text"],
    [4, 20],
    [5, 500],
  ]);
  expect(statsOf(buffer, { from: 2, to: 4 })).toEqual({ min: 10, max: 20, avg: 15, count: 2, decimals: 0 });
  expect(statsOf(buffer, { from: 6, to: 9 })).toBeUndefined();
});

test("statistics have the decimals of the values, also of few", () => {
  const few = bufferOf([
    [1, 20],
    [2, 20.25],
  ]);
  expect(statsOf(few, ALL)?.decimals).toBe(2);
  const many = bufferOf(Array.from({ length: 1_000 }, (_, i) => [i + 1, i + 0.5] as [number, number]));
  expect(statsOf(many, ALL)?.decimals).toBe(1);
});

test("table rows join the keys of one timestamp, newest first", () => {
  const a = bufferOf([
    [1, 10],
    [2, 20],
  ]);
  const b = bufferOf([[2, "on"]]);
  expect(tableRows([a, b], ALL)).toEqual([
    { ts: 2, values: [20, "on"] },
    { ts: 1, values: [10, undefined] },
  ]);
});

test("a small curve stays within its box, also when nothing changes, and breaks at a gap", () => {
  const box = { width: 100, height: 20 };
  const points = (...values: [number, number][]) => values.map(([ts, value]) => ({ ts, value }));
  expect(sparkPath(points([1, 5]), box)).toBe("");
  expect(sparkPath(points([1, 5], [2, 5]), box)).toBe("M0.0 10.0L100.0 10.0");
  expect(sparkPath(points([1, 1], [2, 2]), box)).toBe("M0.0 19.0L100.0 1.0");
  const broken = sparkPath(points([0, 1], [1000, 1], [2000, 2], [99_000, 1], [100_000, 1]), box);
  expect(broken.match(/M/g)?.length).toBe(2);
});

test("values that are no numbers are counted in a series of numbers, and no others", () => {
  const mixed = bufferOf([
    [1, 20],
    [2, "jammed"],
    [3, true],
    [4, { state: "off" }],
  ]);
  expect(skippedIn(mixed, ALL)).toBe(2);
  expect(skippedIn(mixed, { from: 3, to: 3 })).toBe(0);
  expect(skippedIn(bufferOf([[1, "on"]]), ALL)).toBe(0);
  // Those that an aggregate of the server left out are not in the buffer.
  const averages = bufferOf([[1, 20]]);
  averages.skipped = 3;
  expect(skippedIn(averages, ALL)).toBe(3);
});

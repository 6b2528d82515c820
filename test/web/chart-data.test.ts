import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { alignColumns, gapThresholdMs, sparkPath, statsOf, tableRows } from "../../src/web/lib/chart-data.ts";
import { SeriesBuffer } from "../../src/web/lib/series-buffer.ts";
import type { TelemetryValue } from "../../src/web/state/api-types.ts";

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

  test("need a rhythm before they see a gap", () => {
    expect(gapThresholdMs([0, 1_000_000])).toBe(Number.POSITIVE_INFINITY);
    expect(gapThresholdMs([0, 10_000, 20_000, 30_000])).toBe(40_000);
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
  expect(statsOf(buffer, { from: 2, to: 4 })).toEqual({ min: 10, max: 20, avg: 15, count: 2 });
  expect(statsOf(buffer, { from: 6, to: 9 })).toBeUndefined();
});

test("table rows join the keys of one time stamp, newest first", () => {
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

test("a small curve stays within its box, also when nothing changes", () => {
  expect(sparkPath([{ ts: 1, value: 5 }], 100, 20)).toBe("");
  expect(
    sparkPath(
      [1, 2].map((ts) => ({ ts, value: 5 })),
      100,
      20,
    ),
  ).toBe("M0.0 10.0L100.0 10.0");
  expect(
    sparkPath(
      [1, 2].map((ts) => ({ ts, value: ts })),
      100,
      20,
    ),
  ).toBe("M0.0 19.0L100.0 1.0");
});

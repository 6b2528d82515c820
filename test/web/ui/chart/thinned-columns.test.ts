import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { alignColumns } from "../../../../src/web/lib/chart-data.ts";
import { SeriesBuffer } from "../../../../src/web/lib/series-buffer.ts";
import { ColumnThinner } from "../../../../src/web/ui/chart/thinned-columns.ts";

const bufferOf = (points: readonly (readonly [number, number | boolean])[]) => {
  const buffer = new SeriesBuffer();
  for (const [ts, value] of points) buffer.add(ts, value);
  return buffer;
};
const wave = (count: number, stepMs = 10) =>
  bufferOf(Array.from({ length: count }, (_, n) => [n * stepMs, Math.sin(n / 7) * 100] as const));
const numbers = (column: readonly (number | null | undefined)[]) =>
  column.filter((value) => typeof value === "number");

describe("columns for a chart that is narrower than its points are many", () => {
  test("few points stay as they are", () => {
    const buffer = wave(100);
    const bounds = { from: 0, to: 1_000 };
    expect(new ColumnThinner().columns([buffer], bounds, 800)).toEqual(alignColumns([buffer], bounds));
  });

  test("many become two rows a pixel, with every peak, on one axis that rises", () => {
    const buffer = wave(100_000);
    buffer.add(500_005, 4_711);
    const bounds = { from: 0, to: 1_000_000 };
    const [axis, column = []] = new ColumnThinner().columns([buffer], bounds, 1_000);
    expect(axis.length).toBeLessThanOrEqual(2 * 1_003);
    expect(axis.every((ts, position) => position === 0 || ts > (axis[position - 1] ?? 0))).toBe(true);
    expect(Math.max(...numbers(column))).toBe(4_711);
    const index = column.indexOf(4_711);
    expect(Math.abs((axis[index] ?? 0) - 500_005)).toBeLessThan(1_000);
  });

  test("what is missing is seen as missing", () => {
    const buffer = wave(50_000);
    for (let n = 0; n < 50_000; n++) buffer.add(700_000 + n * 10, 5);
    const [axis, column = []] = new ColumnThinner().columns([buffer], { from: 0, to: 1_200_000 }, 600);
    const gap = column.indexOf(null);
    expect(axis[gap]).toBeGreaterThan(500_000);
    expect(axis[gap]).toBeLessThan(700_000);
    expect(column.filter((value) => value === null)).toHaveLength(1);
  });

  test("a switch ends each slot as it last was", () => {
    const buffer = bufferOf(
      Array.from({ length: 9_999 }, (_, n) => [n, n % 2 === 0] as const), // the last one is true
    );
    const [, column = []] = new ColumnThinner().columns([buffer], { from: 0, to: 9_999 }, 10);
    expect(numbers(column).at(-1)).toBe(1);
    expect(new Set(numbers(column))).toEqual(new Set([0, 1]));
  });

  test("two series share an axis, each with its own values", () => {
    const [seriesBuffer, two] = [
      wave(9_000),
      bufferOf(Array.from({ length: 9_000 }, (_, n) => [n * 10 + 3, 7])),
    ];
    const columns = new ColumnThinner().columns([seriesBuffer, two], { from: 0, to: 90_000 }, 300);
    expect(new Set(columns.map((column) => column.length)).size).toBe(1);
    expect(new Set(numbers(columns[2] ?? []))).toEqual(new Set([7]));
  });

  test("whatever is added, late, twice or trimmed, it shows what one made anew would", () => {
    const step = fc.record({
      ts: fc.integer({ min: 0, max: 5_000 }),
      value: fc.integer({ min: -50, max: 50 }),
      trim: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 50, maxLength: 300 }), (steps) => {
        const buffer = new SeriesBuffer();
        const kept = new ColumnThinner();
        const bounds = { from: 0, to: 5_000 };
        for (const { ts, value, trim } of steps) {
          // Written over at its end, a point leaves its former value in its slot: here it keeps it.
          buffer.add(
            ts,
            ts === buffer.lastTs && buffer.ts.length > 0 ? (buffer.values.at(-1) ?? value) : value,
          );
          if (trim) buffer.trimBefore(ts / 4);
          expect(kept.columns([buffer], bounds, 20)).toEqual(
            new ColumnThinner().columns([buffer], bounds, 20),
          );
        }
      }),
      { numRuns: 50 },
    );
  });
});

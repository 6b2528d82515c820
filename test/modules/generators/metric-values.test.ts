import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createRandom } from "../../../src/lib/data/random.ts";
import { checkConfig } from "../../../src/modules/generators/generator-config.ts";
import { type Metric, PATTERNS } from "../../../src/modules/generators/generators.types.ts";
import { createMetricValues } from "../../../src/modules/generators/metric-values.ts";

const START = Date.parse("2026-03-01T00:00:00Z");

function take(metric: Metric, count: number, { last, seed = 1 }: { last?: number; seed?: number } = {}) {
  const next = createMetricValues(metric, {
    intervalSeconds: 10,
    offset: 0,
    last,
    random: createRandom(seed),
  });
  return Array.from({ length: count }, (_, index) => next(START + index * 10_000));
}

const decimalsOf = (value: number) => {
  const [digits = "", exponent = "0"] = String(value).split("e");
  return Math.max(0, (digits.split(".")[1] ?? "").length - Number(exponent));
};

describe("whatever a metric says", () => {
  const bound = fc.oneof(
    fc.integer({ min: -1_000, max: 1_000 }),
    fc.integer({ min: -100_000, max: 100_000 }).map((units) => units / 1_000),
    fc.double({ min: -1e15, max: 1e15, noNaN: true }),
    fc.double({ min: -1, max: 1, noNaN: true }),
  );
  const metrics = fc
    .record({
      bounds: fc.tuple(bound, bound),
      decimals: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
      pattern: fc.constantFrom(...PATTERNS),
      step: fc.option(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { nil: undefined }),
      last: fc.option(bound, { nil: undefined }),
      seed: fc.nat(),
    })
    .map(({ bounds: [item, other], decimals, pattern, step, last, seed }) => ({
      metric: {
        key: "a",
        min: Math.min(item, other),
        max: Math.max(item, other),
        pattern,
        ...(decimals !== undefined && { decimals }),
        ...(step !== undefined && { step }),
      },
      last,
      seed,
    }));

  test("what is allowed gives values from min to max, with no more decimals than were asked for", () => {
    let allowed = 0;
    fc.assert(
      fc.property(metrics, ({ metric, last, seed }) => {
        if (checkConfig({ intervalSeconds: 10, metrics: [metric] }).config === undefined) return;
        allowed++;
        for (const value of take(metric, 50, { ...(last !== undefined && { last }), seed })) {
          expect(value).toBeGreaterThanOrEqual(metric.min);
          expect(value).toBeLessThanOrEqual(metric.max);
          if ("decimals" in metric) expect(decimalsOf(value)).toBeLessThanOrEqual(metric.decimals as number);
          expect(Object.is(value, -0)).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
    expect(allowed).toBeGreaterThan(100);
  });

  test("no config, however wild, is more than refused", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true }), (config) => {
        const { config: checked, errors } = checkConfig(config);
        expect(checked === undefined).toBe(errors.length > 0);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the patterns", () => {
  test("random values reach both ends and everything between", () => {
    const values = new Set(take({ key: "a", min: -2, max: 2, decimals: 0 }, 500));
    expect([...values].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2]);
  });

  test("a walk goes on from the last value, by no more than three steps at once", () => {
    const values = take({ key: "a", min: 0, max: 100, decimals: 1, pattern: "walk", step: 2 }, 2_000, {
      last: 40,
    });
    let before = 40;
    for (const value of values) {
      expect(Math.abs(value - before)).toBeLessThanOrEqual(6.1);
      before = value;
    }
    expect(Math.min(...values)).toBeLessThan(20);
    expect(Math.max(...values)).toBeGreaterThan(80);
  });

  test("a walk whose last value lies outside begins anywhere inside", () => {
    const [first = Number.NaN] = take({ key: "a", min: 0, max: 10, pattern: "walk" }, 1, { last: 90 });
    expect(first).toBeGreaterThanOrEqual(0);
    expect(first).toBeLessThanOrEqual(10);
  });

  test("a wave comes to its ends once a period, and is where it should be whenever it is asked", () => {
    const metric: Metric = {
      key: "a",
      min: 10,
      max: 30,
      decimals: 3,
      pattern: "sine",
      periodSeconds: 3_600,
    };
    const values = take(metric, 361);
    expect(values[0]).toBe(20);
    expect(values[90]).toBe(30);
    expect(values[180]).toBe(20);
    expect(values[270]).toBe(10);
    expect(values[360]).toBe(20);
  });

  test("a wave is 60 readings long unless told otherwise", () => {
    const values = take({ key: "a", min: 0, max: 1, pattern: "sine" }, 61);
    expect(values[15]).toBe(1);
    expect(values[45]).toBe(0);
  });

  test("a counter begins at min, goes up by one, and begins again after max", () => {
    expect(take({ key: "a", min: 5, max: 8, pattern: "counter" }, 6)).toEqual([5, 6, 7, 8, 5, 6]);
  });

  test("a counter goes up by its step, with the decimals that the step needs", () => {
    const metric: Metric = { key: "a", min: 0, max: 1_000_000, pattern: "counter", step: 0.25 };
    expect(take(metric, 3, { last: 17.75 })).toEqual([18, 18.25, 18.5]);
  });

  test("a counter begins again where the next value would be beyond max, or the last was", () => {
    const metric: Metric = { key: "a", min: 0, max: 10, pattern: "counter", step: 4 };
    expect(take(metric, 4)).toEqual([0, 4, 8, 0]);
    expect(take(metric, 2, { last: 400 })).toEqual([0, 4]);
  });

  test("a counter within one goes up by the smallest step there is", () => {
    expect(take({ key: "a", min: 0, max: 0.3, decimals: 1, pattern: "counter" }, 5)).toEqual([
      0, 0.1, 0.2, 0.3, 0,
    ]);
  });

  test("min and max that are the same give that value, in any pattern", () => {
    for (const pattern of PATTERNS)
      expect(take({ key: "a", min: 1 / 3, max: 1 / 3, pattern }, 3)).toEqual([1 / 3, 1 / 3, 1 / 3]);
  });
});

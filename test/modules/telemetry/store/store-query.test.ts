import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Aggregation } from "../../../../src/modules/telemetry/telemetry.types.ts";
import { deviceId, failureOf, StoreFixture } from "./store-fixture.ts";

const day = 86_400_000;
const start = Date.UTC(2024, 2, 30);
const count = 5_000;
const stepMs = 60_000;
const level = (i: number) =>
  i === 3_333 ? 999 : i === 1_234 ? -999 : Math.round(50 * Math.sin(i / 40)) / 10;

for (const sealed of [false, true]) {
  describe(`queries over ${sealed ? "blocks" : "hot points"}`, () => {
    let fixture: StoreFixture;

    beforeAll(async () => {
      fixture = await StoreFixture.start({ blockRowsTarget: 256 });
      for (let i = 0; i < count; i++) fixture.put("d", "level", start + i * stepMs, level(i));
      for (let i = 0; i < 10; i++) fixture.put("d", "state", start + i * stepMs, i % 2 === 0 ? "on" : "off");
      await fixture.put("d", "flag", start, true);
      if (sealed) await fixture.store.compact();
    });

    afterAll(() => fixture.dispose());

    test("the range is closed at both ends", async () => {
      const points = await fixture.points("d", "level", { from: start + stepMs, to: start + 3 * stepMs });
      expect(points.map(([ts]) => ts)).toEqual([1, 2, 3].map((i) => start + i * stepMs));
    });

    test("thinning never exceeds the limit, and keeps the ends and the peaks", async () => {
      for (const maxDataPoints of [1, 2, 3, 4, 5, 7, 100, 500, 4_999]) {
        const points = await fixture.points("d", "level", { maxDataPoints });
        expect(points.length).toBeLessThanOrEqual(maxDataPoints);
        expect(points.map(([ts]) => ts)).toEqual(points.map(([ts]) => ts).sort((a, b) => a - b));
        for (const [ts, value] of points) expect(value).toBe(level((ts - start) / stepMs));
        expect(points.at(-1)?.[0]).toBe(start + (count - 1) * stepMs);
        if (maxDataPoints < 4) continue;
        const values = points.map(([, value]) => value);
        expect(values).toContain(999);
        expect(values).toContain(-999);
        expect(points[0]?.[0]).toBe(start);
      }
    });

    test("what fits is not thinned, and what is thinned says so", async () => {
      expect(await fixture.points("d", "level", { maxDataPoints: count })).toHaveLength(count);
      const thinnedAt = async (maxDataPoints: number, aggregation: Aggregation = "none") =>
        (await fixture.query({ device: "d", keys: ["level"], maxDataPoints, aggregation }))[0]?.series[0]
          ?.thinned;
      expect([await thinnedAt(count), await thinnedAt(count - 1), await thinnedAt(1)]).toEqual([
        undefined,
        true,
        true,
      ]);
      expect(await thinnedAt(10, "avg")).toBeUndefined();
    });

    test("calendar days follow the wall clock across a change of the clocks", async () => {
      const points = await fixture.points("d", "level", {
        from: start,
        to: start + 3 * day - 1,
        aggregation: "count",
        interval: { kind: "calendar", unit: "day", timezone: "Europe/Berlin" },
      });
      expect(points).toEqual([
        [Date.parse("2024-03-29T23:00:00Z"), 23 * 60],
        [Date.parse("2024-03-30T23:00:00Z"), 23 * 60],
        [Date.parse("2024-03-31T22:00:00Z"), 24 * 60],
        [Date.parse("2024-04-01T22:00:00Z"), 2 * 60],
      ]);
    });

    test("fixed intervals align to their multiples", async () => {
      const points = await fixture.points("d", "level", {
        from: start + 90 * stepMs,
        to: start + 149 * stepMs,
        aggregation: "count",
        interval: { kind: "ms", ms: 3_600_000 },
      });
      expect(points).toEqual([
        [start + 3_600_000, 30],
        [start + 7_200_000, 30],
      ]);
    });

    test("more intervals than points are allowed is an error that says so", async () => {
      const query = { aggregation: "avg", interval: { kind: "ms", ms: 1_000 }, maxDataPoints: 10 } as const;
      const asked = fixture.points("d", "level", { ...query, from: start, to: start + day });
      expect(await failureOf(asked)).toMatchObject({ kind: "invalid", code: "telemetry.too_many_intervals" });
    });

    test("an unknown time zone is an error that says so", async () => {
      const interval = { kind: "calendar", unit: "day", timezone: "Mars/Olympus" } as const;
      const asked = fixture.points("d", "level", {
        from: start,
        to: start + day,
        aggregation: "avg",
        interval,
      });
      expect(await failureOf(asked)).toMatchObject({ kind: "invalid", code: "telemetry.timezone" });
    });

    test("aggregates of a key that holds no numbers are refused when asked for, else left out", async () => {
      for (const key of ["state", "flag"]) {
        const asked = fixture.points("d", key, { aggregation: "avg" });
        expect(await failureOf(asked)).toMatchObject({ kind: "invalid", code: "telemetry.not_numeric" });
        expect(await fixture.points("d", key, { aggregation: "count", maxDataPoints: 1 })).toHaveLength(1);
      }
      const [response] = await fixture.query({ device: "d", aggregation: "max", maxDataPoints: 1 });
      expect(response?.series.map(({ key, points }) => [key, points[0]?.value])).toEqual([["level", 999]]);
    });

    test("a known device without points in the range has no series; an unknown one has no entry", async () => {
      const nothing = { from: 0, to: 1 };
      expect(await fixture.query({ device: "d", ...nothing })).toEqual([
        { deviceId: deviceId("d"), series: [] },
      ]);
      expect(await fixture.query({ device: "nobody" })).toEqual([]);
    });

    test("an aborted query rejects with the reason, and later ones work", async () => {
      const controller = new AbortController();
      const query = { deviceIds: [deviceId("d")], keys: [], from: 0, to: 8e15, maxDataPoints: 10 };
      const asked = fixture.store.query({ ...query, aggregation: "none" }, controller.signal);
      controller.abort(new Error("gone"));
      expect(await failureOf(asked)).toMatchObject({ message: "gone" });
      expect(await fixture.points("d", "level", { maxDataPoints: count })).toHaveLength(count);
    });
  });
}

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { RateMeter } from "../../../src/web/features/overview/site-pulse.ts";
import { toCsv } from "../../../src/web/lib/csv.ts";
import { blocksOf, rowsWindow } from "../../../src/web/lib/rows-window.ts";
import {
  boundsOf,
  firstWindow,
  fittedTo,
  moved,
  panned,
  windowFromQuery,
  windowOfImport,
  windowToQuery,
  zoomed,
  zoomedAt,
} from "../../../src/web/lib/time-window.ts";

describe("the window of a long list", () => {
  test("always holds every visible row and never one that does not exist", () => {
    const position = fc.record({ scrollTop: fc.nat(300_000), height: fc.integer({ min: 1, max: 3000 }) });
    fc.assert(
      fc.property(position, fc.nat(5000), ({ scrollTop, height }, count) => {
        const { start, end } = rowsWindow({ scrollTop, height, rowHeight: 44 }, count);
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(count);
        const lastVisible = Math.min(count, Math.ceil((scrollTop + height) / 44));
        if (Math.floor(scrollTop / 44) < count) {
          expect(start).toBeLessThanOrEqual(Math.floor(scrollTop / 44));
          expect(end).toBeGreaterThanOrEqual(lastVisible);
        }
      }),
    );
  });

  test("names the blocks to fetch", () => {
    expect(blocksOf({ start: 190, end: 410 }, 200)).toEqual([0, 1, 2]);
    expect(blocksOf({ start: 0, end: 0 }, 200)).toEqual([]);
  });
});

describe("time windows", () => {
  test("the first one has the newest value, with room for those before it", () => {
    const now = Date.UTC(2026, 10, 27);
    const minute = 60_000;
    expect(firstWindow(0, now)).toEqual({ kind: "live", id: "15m" });
    for (const [minutes, id] of [
      [-5, "15m"],
      [7, "15m"],
      [8, "1h"],
      [40, "6h"],
      [14 * 1_440, "30d"],
      [60 * 1_440, "1y"],
    ] as const)
      expect(firstWindow(now - minutes * minute, now)).toEqual({ kind: "live", id });
    const old = Date.UTC(2020, 0, 1);
    const { from, to } = boundsOf(firstWindow(old, now), now);
    expect([from < old, old < to, to - from]).toEqual([true, true, 30 * 86_400_000]);
  });

  test("change after an import only if they do not show its newest value", () => {
    const now = Date.UTC(2026, 10, 27);
    const day = 86_400_000;
    const week = { kind: "live", id: "7d" } as const;
    expect(windowOfImport(now - 3 * day, week, now)).toBeUndefined();
    expect(windowOfImport(now + day, week, now)).toBeUndefined();
    expect(windowOfImport(now - 8 * day, week, now)).toEqual({ kind: "live", id: "30d" });
    const past = { kind: "fixed", from: now - 9 * day, to: now - 8 * day } as const;
    expect(windowOfImport(now - 8.5 * day, past, now)).toBeUndefined();
    expect(windowOfImport(now - 3 * day, past, now)).toEqual(week);
    expect(windowOfImport(now + day, past, now)).toEqual({ kind: "live", id: "15m" });
  });

  test("survive the way through the address", () => {
    for (const window of [
      { kind: "live", id: "24h" },
      { kind: "fixed", from: 1000, to: 9000 },
    ] as const) {
      expect(windowFromQuery(windowToQuery(window))).toEqual(window);
    }
  });

  test("fall back to the last quarter of an hour for nonsense", () => {
    for (const query of [
      {},
      { window: "toString" },
      { window: "2h" },
      { from: "9", to: "1" },
      { from: "x", to: "5" },
    ]) {
      expect(windowFromQuery(query as Record<string, string>)).toEqual({ kind: "live", id: "15m" });
    }
  });

  test("zoom about the middle, and never move past the present", () => {
    expect(zoomed({ from: 0, to: 10_000 }, 0.5)).toEqual({ kind: "fixed", from: 2500, to: 7500 });
    expect(panned({ from: 0, to: 10_000 }, 0.5, 12_000)).toEqual({ kind: "fixed", from: 2000, to: 12_000 });
    expect(boundsOf({ kind: "live", id: "15m" }, 1_000_000)).toEqual({ from: 100_000, to: 1_000_000 });
  });

  test("move back from a time to come, but not further into it", () => {
    const ahead = { from: 0, to: 10_000 };
    expect(moved(ahead, 3_000, 8_000)).toEqual(ahead);
    expect(moved(ahead, -3_000, 8_000)).toEqual({ from: -3_000, to: 7_000 });
  });

  test("keep the time at which they are zoomed in its place, between a second and ten years", () => {
    const bounds = { from: 0, to: 100_000 };
    expect(zoomedAt(bounds, 25_000, 0.4)).toEqual({ from: 15_000, to: 55_000 });
    expect(zoomedAt(bounds, 100_000, 0)).toEqual({ from: 99_000, to: 100_000 });
    const { from, to } = zoomedAt(bounds, 0, 1e9);
    expect(to - from).toBe(10 * 365 * 86_400_000);
  });

  test("begin with the first value of a new device, but keep two minutes", () => {
    const bounds = { from: 0, to: 900_000 };
    expect(fittedTo(bounds, 600_000)).toEqual({ from: 600_000, to: 900_000 });
    expect(fittedTo(bounds, 890_000)).toEqual({ from: 780_000, to: 900_000 });
    expect(fittedTo(bounds, undefined)).toEqual(bounds);
    expect(fittedTo(bounds, -5)).toEqual(bounds);
    expect(fittedTo(bounds, 500_000, 400_000)).toEqual({ from: 280_000, to: 900_000 });
  });
});

test("CSV cells are quoted where needed and never start a formula", () => {
  expect(
    toCsv([
      ["time", 'a "b", c'],
      [-1.5, "=1+1"],
      [true, undefined],
    ]),
  ).toBe('time,"a ""b"", c"\r\n-1.5,\'=1+1\r\ntrue,\r\n');
});

test("the rate meter forgets what is older than a minute, also after a pause", () => {
  const meter = new RateMeter();
  meter.add(50, 100_000);
  meter.add(30, 105_500);
  expect(meter.perSecond(106_000)).toBe(6);
  expect(meter.rates(106_000).reduce((a, b) => a + b)).toBe(80);
  expect(meter.rates(163_000).reduce((a, b) => a + b)).toBe(30);
  expect(meter.perSecond(10_000_000)).toBe(0);
});

test("the rate is right from the second second on, not only when ten have been counted", () => {
  const meter = new RateMeter();
  meter.add(2, 100_800);
  meter.add(12, 101_500);
  expect(meter.perSecond(102_000)).toBe(12);
  meter.add(6, 102_500);
  expect(meter.perSecond(103_000)).toBe(9);
});

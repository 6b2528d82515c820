import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { calendarStarts } from "../../../src/lib/time/calendar-interval.ts";
import { shownWindow } from "../../../src/modules/dashboards/window-of.ts";
import { pairIntervals, pairWithNextYear } from "../../../src/modules/telemetry/telemetry.service.ts";

const DAY_MS = 86_400_000;
const BERLIN = "Europe/Berlin";

type Unit = "hour" | "day" | "week" | "month";
const intervals: Readonly<Record<Unit, string>> = { hour: "1h", day: "1d", week: "1w", month: "1mo" };

/** Returns the starts of the intervals of a window, and where those of the period before it are put. */
function paired(
  spec: Record<string, unknown>,
  now: number,
  { unit, timezone }: { unit: Unit; timezone: string },
) {
  const window = shownWindow(spec, now);
  const startsOf = (range: { from: number; to: number }) => [
    ...(calendarStarts(range, { unit, timezone }, Number.POSITIVE_INFINITY) ?? []),
  ];
  const before = window.before ?? window;
  const move = pairIntervals({ interval: intervals[unit], timezone }, before, window);
  return { current: startsOf(window), moved: startsOf(before).map(move) };
}

const calendar = (unit: string) => ({ mode: "calendar", unit, timezone: BERLIN });

describe("the interval of the previous period is put at that of the same position", () => {
  test.each([
    ["weeks of 30 days", { mode: "live", durationMs: 30 * DAY_MS }, "2026-06-10T12:00Z", "week", [5, 6]],
    ["months of a leap year", calendar("year"), "2028-06-10T12:00Z", "month", [12, 12]],
    ["days of the year after a leap year", calendar("year"), "2029-06-10T12:00Z", "day", [365, 366]],
    [
      "days of the month in which summer time begins",
      calendar("month"),
      "2026-03-10T12:00Z",
      "day",
      [31, 28],
    ],
    ["days of the month after it", calendar("month"), "2026-04-10T12:00Z", "day", [30, 31]],
    ["hours of the day on which summer time ends", calendar("day"), "2026-10-25T12:00Z", "hour", [25, 24]],
    ["hours of the day after it", calendar("day"), "2026-10-26T12:00Z", "hour", [24, 25]],
  ] as const)("%s", (_, spec, now, unit, [current, before]) => {
    const found = paired(spec, Date.parse(now), { unit, timezone: BERLIN });
    expect([found.current.length, found.moved.length]).toEqual([current, before]);
    const both = Math.min(current, before);
    expect(found.moved.slice(0, both)).toEqual(found.current.slice(0, both));
  });

  test("whatever the period, and surplus intervals behind its end", () => {
    const specs = fc.oneof(
      fc.constantFrom("day", "week", "month", "year").map(calendar),
      fc.integer({ min: 3_600_000, max: 400 * DAY_MS }).map((durationMs) => ({ mode: "live", durationMs })),
    );
    const times = fc.integer({ min: Date.UTC(2005), max: Date.UTC(2040) });
    fc.assert(
      fc.property(specs, times, fc.constantFrom("day", "week", "month"), (spec, now, unit) => {
        const { current, moved } = paired(spec, now, { unit, timezone: BERLIN });
        const both = Math.min(current.length, moved.length);
        expect(moved.slice(0, both)).toEqual(current.slice(0, both));
        const surplus = moved.slice(current.length);
        const end = shownWindow(spec, now).to;
        expect(surplus.every((ts, index) => Number.isFinite(ts) && ts > (surplus[index - 1] ?? end))).toBe(
          true,
        );
      }),
    );
  });
});

test("intervals of a fixed length keep their grid, and values without intervals their distance", () => {
  const [source, target] = [
    { from: 0, to: 24 },
    { from: 25, to: 50 },
  ];
  const move = pairIntervals({ interval: "10ms" }, source, target);
  expect([0, 10, 20].map(move)).toEqual([20, 30, 40]);
  expect([0, 7, 24].map(pairIntervals({}, source, target))).toEqual([25, 32, 49]);
});

describe("bars of the previous year are put at those of the same local date", () => {
  // Santiago, Beirut and Cairo skip midnight, Lord Howe changes by half an hour.
  const zones = [
    ...["UTC", BERLIN, "America/New_York", "America/Santiago", "Asia/Beirut", "Africa/Cairo"],
    ...["Australia/Lord_Howe", "Asia/Kolkata", "America/Havana"],
  ];
  const anyZone = fc.constantFrom(...zones);
  const times = fc.integer({ min: Date.UTC(2009), max: Date.UTC(2029) });
  const localAt = (ts: number, timezone: string) =>
    new Temporal.ZonedDateTime(BigInt(ts) * 1_000_000n, timezone).toPlainDateTime();
  const windows = fc.oneof(
    fc.constantFrom("day", "week", "month", "year").map(calendar),
    fc.integer({ min: 3_600_000, max: 400 * DAY_MS }).map((durationMs) => ({ mode: "live", durationMs })),
  );

  test.each([
    ["day", "1d"],
    ["month", "1mo"],
  ] as const)("%ss, whatever zone the window has", (unit, interval) => {
    fc.assert(
      fc.property(windows, times, anyZone, anyZone, (spec, now, windowZone, timezone) => {
        const window = shownWindow({ ...spec, timezone: windowZone }, now, timezone);
        if (window.before === undefined) return;
        const startsOf = (range: { from: number; to: number }) => [
          ...(calendarStarts(range, { unit, timezone }, Number.POSITIVE_INFINITY) ?? []),
        ];
        const dateOf = (ts: number) => String(localAt(ts, timezone).toPlainDate());
        const byDate = new Map(startsOf(window).map((ts) => [dateOf(ts), ts]));
        const move = pairWithNextYear({ interval, timezone }, window, windowZone);
        for (const start of startsOf(window.before)) {
          const nextYear = Number(dateOf(start).slice(0, 4)) + 1;
          expect(move(start)).toBe(byDate.get(`${nextYear}${dateOf(start).slice(4)}`));
        }
      }),
      { numRuns: 200 },
    );
  });

  test("hours, by the local time of the window's zone, and only within the window", () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 72 }), anyZone, anyZone, (now, hours, zone, timezone) => {
        const window = shownWindow({ mode: "live", durationMs: hours * 3_600_000 }, now, zone);
        if (window.before === undefined) return;
        const of = { unit: "hour", timezone } as const;
        const current = new Set(calendarStarts(window, of, Number.POSITIVE_INFINITY));
        const move = pairWithNextYear({ interval: "1h", timezone }, window, zone);
        for (const start of calendarStarts(window.before, of, Number.POSITIVE_INFINITY) ?? []) {
          const moved = move(start);
          if (moved === undefined) continue;
          expect(current.has(moved)).toBe(true);
          // In time and not on the wall: where clocks change within the hour, they differ.
          const wanted = localAt(start, zone).add({ years: 1 }).toZonedDateTime(zone).epochMilliseconds;
          expect(wanted - moved).toBeWithin(0, 3_600_000);
        }
      }),
      { numRuns: 200 },
    );
  });

  type Pair = readonly [before: string, after: string | undefined];
  const cases: Array<[string, { interval: string; timezone?: string }, readonly Pair[]]> = [
    [
      "days of UTC in a window of Berlin between the clock changes",
      { interval: "1d" },
      [["2025-10-26T00:00Z", "2026-10-26T00:00Z"]],
    ],
    [
      "a day whose midnight is skipped",
      { interval: "1d", timezone: "America/Santiago" },
      [
        ["2024-09-08T04:00Z", "2025-09-08T03:00Z"],
        ["2025-09-07T04:00Z", "2026-09-07T03:00Z"],
        ["2025-09-06T04:00Z", "2026-09-06T04:00Z"],
      ],
    ],
    ["29 February", { interval: "1d" }, [["2028-02-29T00:00Z", undefined]]],
    [
      "a shift that begins in a skipped hour",
      { interval: "02:30,14:00", timezone: BERLIN },
      [
        ["2025-03-29T01:30Z", "2026-03-29T01:00Z"],
        ["2025-03-30T01:00Z", "2026-03-30T00:30Z"],
      ],
    ],
    ["a skipped hour", { interval: "1h", timezone: BERLIN }, [["2025-03-29T01:00Z", undefined]]],
  ];
  test.each(cases)("%s", (_, spec, pairs) => {
    for (const [before, after] of pairs) {
      const ts = after === undefined ? Date.parse(before) + 365 * DAY_MS : Date.parse(after);
      const window = { from: ts - 3 * DAY_MS, to: ts + 3 * DAY_MS };
      expect(pairWithNextYear(spec, window, BERLIN)(Date.parse(before))).toBe(
        after === undefined ? after : ts,
      );
    }
  });
});

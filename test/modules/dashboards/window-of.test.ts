import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { zoneOffset } from "../../../src/lib/time/calendar-interval.ts";
import { yearsLater } from "../../../src/lib/time/same-time.ts";
import { shownWindow, windowOf } from "../../../src/modules/dashboards/window-of.ts";

const DAY_MS = 86_400_000;
const zones = [
  ...[
    "Europe/Berlin",
    "America/New_York",
    "America/Sao_Paulo",
    "Asia/Beirut",
    "Africa/Cairo",
    "America/Asuncion",
  ],
  ...["Australia/Lord_Howe", "America/Havana", "Asia/Tehran", "Asia/Amman"],
];

test("a day begins when the clocks first show it, also where they skip midnight", () => {
  const now = Date.parse("2018-11-04T12:00:00Z");
  const day = windowOf({ mode: "calendar", unit: "day", timezone: "America/Sao_Paulo" }, now);
  expect(day.from).toBe(Date.parse("2018-11-04T03:00:00Z"));
  const before = windowOf({ mode: "calendar", unit: "day", offset: -1, timezone: "America/Sao_Paulo" }, now);
  expect(before).toEqual({
    from: Date.parse("2018-11-03T03:00:00Z"),
    to: Date.parse("2018-11-04T03:00:00Z") - 1,
  });
});

test("calendar windows hold exactly the moments of their days, in ten zones", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: Date.UTC(2008, 0, 1), max: Date.UTC(2026, 0, 1) }),
      fc.integer({ min: -3, max: 3 }),
      (timezone, now, back) => {
        const offset = zoneOffset(timezone);
        const dayOf = (ts: number) => Math.floor((ts + offset(ts)) / DAY_MS);
        const { from, to } = windowOf({ mode: "calendar", unit: "day", offset: back, timezone }, now);
        const wanted = dayOf(now) + back;
        expect([dayOf(from), dayOf(to)]).toEqual([wanted, wanted]);
        expect(dayOf(from - 1)).toBeLessThan(wanted);
        expect(dayOf(to + 1)).toBeGreaterThan(wanted);
      },
    ),
    { numRuns: 1_000 },
  );
});

describe("the period before", () => {
  test.each([
    ["of a live window is as long", { mode: "live", durationMs: 3_600_000 }, "2026-03-01T10:00:00.000Z"],
    ["of a month is the month before", { mode: "calendar", unit: "month" }, "2026-02-01T00:00:00.000Z"],
    [
      "of a day with an offset is the day before it",
      { mode: "calendar", unit: "day", offset: -1 },
      "2026-02-27T00:00:00.000Z",
    ],
    [
      "of a day after the change to summer time is a short one",
      { mode: "calendar", unit: "day", offset: 29, timezone: "Europe/Berlin" },
      "2026-03-28T23:00:00.000Z",
    ],
  ] as const)("%s", (_, input, from) => {
    const now = Date.UTC(2026, 2, 1, 12);
    const window = shownWindow(input, now);
    expect(new Date(window.before?.from ?? 0).toISOString()).toBe(from);
    expect(windowOf(input, now)).toEqual({ from: window.from, to: window.to });
    expect(window.from - (window.before?.to ?? 0)).toBeLessThanOrEqual(1);
  });

  test("of the earliest period is that period", () => {
    const input = { mode: "calendar", unit: "year", offset: -1_000 };
    expect(shownWindow(input, 0).before?.from).toBe(0);
  });
});

describe("the same time of the previous year", () => {
  const HOUR = 3_600_000;
  const timeOf = (text: string) => Date.parse(text);
  const berlin = (input: unknown, now: string) => {
    const { before, beforeSoFar } = shownWindow(input, timeOf(now), "Europe/Berlin");
    const times = [...(before ? [before.from, before.to] : []), ...(beforeSoFar ? [beforeSoFar.to] : [])];
    return times.map((ts) => new Date(ts).toISOString());
  };

  test("has the same wall clock, whatever the offset was", () => {
    // Summer time began on 29 March 2026 and on 30 March 2025.
    const window = { from: timeOf("2026-03-29T10:00:00Z"), to: timeOf("2026-03-29T12:00:00Z") };
    expect(berlin(window, "2026-04-01T00:00:00Z")).toEqual([
      "2025-03-29T11:00:00.000Z",
      "2025-03-29T13:00:00.000Z",
    ]);
  });

  const calendar = (unit: string, offset = 0) => ({ mode: "calendar", unit, offset, timezone: "UTC" });

  test("of 29 February is nothing; a window that reaches into it ends on 28 February", () => {
    const endOf = (date: string) => `${date}T23:59:59.999Z`;
    expect(berlin(calendar("day"), "2028-02-29T06:00:00Z")).toEqual([]);
    expect(berlin({ mode: "live", durationMs: 6 * HOUR }, "2028-02-29T12:00:00Z")).toEqual([]);
    expect(berlin(calendar("month"), "2028-02-29T06:00:00Z")).toEqual([
      "2027-02-01T00:00:00.000Z",
      endOf("2027-02-28"),
      endOf("2027-02-28"),
    ]);
    // A day of Berlin begins an hour earlier.
    expect(berlin({ mode: "live", durationMs: 24 * HOUR }, "2028-02-29T12:00:00Z")).toEqual([
      "2027-02-28T12:00:00.000Z",
      "2027-02-28T22:59:59.999Z",
    ]);
    // On Monday, 29 February, the week has nothing to compare yet.
    expect(berlin(calendar("week"), "2044-02-29T06:00:00Z")).toEqual([]);
    expect(berlin(calendar("week"), "2044-03-01T06:00:00Z")).toEqual([
      "2043-03-01T00:00:00.000Z",
      endOf("2043-03-06"),
      "2043-03-01T06:00:00.000Z",
    ]);
  });

  test("of a month or a year is the whole one", () => {
    expect(berlin(calendar("month", -1), "2029-03-10T06:00:00Z")).toEqual([
      "2028-02-01T00:00:00.000Z",
      "2028-02-29T23:59:59.999Z",
    ]);
    expect(berlin(calendar("year", -1), "2029-03-10T06:00:00Z")[0]).toBe("2027-01-01T00:00:00.000Z");
  });

  test("of calendar windows has the same local dates from their first to their last moment, in ten zones", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom("day", "week", "month", "year"),
        fc.integer({ min: timeOf("2008-01-01T00:00:00Z"), max: timeOf("2026-12-31T00:00:00Z") }),
        (timezone, unit, now) => {
          const { from, to, before } = shownWindow({ mode: "calendar", unit, timezone }, now, "UTC");
          const dateAt = (ts: number) =>
            new Temporal.ZonedDateTime(BigInt(ts) * 1_000_000n, timezone).toPlainDate();
          const [first, last] = [dateAt(from), dateAt(to)];
          const isLeapDay = (date: Temporal.PlainDate) => date.month === 2 && date.day === 29;
          if (isLeapDay(first) && isLeapDay(last)) return expect(before).toBeUndefined();
          // A week that has just begun on 29 February, or a day whose first hour the clocks skipped a year before, has nothing to compare yet.
          if (before === undefined) return expect(yearsLater(now, -1, timezone).isExact).toBe(false);
          const firstBefore = isLeapDay(first) ? first.add({ days: 1 }) : first;
          expect(String(dateAt(before.from))).toBe(String(firstBefore.subtract({ years: 1 })));
          expect(dateAt(before.from - 1).equals(dateAt(before.from))).toBe(false);
          const nextBefore = dateAt(before.to + 1);
          expect(nextBefore.equals(dateAt(before.to))).toBe(false);
          const next = last.add({ days: 1 });
          const wanted = (isLeapDay(next) ? next.add({ days: 1 }) : next).subtract({ years: 1 });
          expect(String(nextBefore)).toBe(String(wanted));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("an unknown zone is refused", () => {
    expect(() => shownWindow({ from: 0, to: 1 }, 2, "Moon/Base")).toThrow(/timezone/);
  });

  test("every time leads back to itself, or has no counterpart", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: timeOf("2001-01-01T00:00:00Z"), max: timeOf("2040-01-01T00:00:00Z") }),
        fc.constantFrom("UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu"),
        (ts, zone) => {
          const earlier = yearsLater(ts, -1, zone);
          const again = yearsLater(earlier.ts, 1, zone);
          expect([365, 366]).toContain(Math.round((ts - earlier.ts) / (24 * HOUR)));
          // In the hour that comes twice, both occurrences lead to the first.
          if (earlier.isExact && again.isExact) expect([0, HOUR / 2, HOUR]).toContain(ts - again.ts);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

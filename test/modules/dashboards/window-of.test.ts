import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { zoneOffset } from "../../../src/lib/time/calendar-interval.ts";
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
    expect(new Date(window.before.from).toISOString()).toBe(from);
    expect(windowOf(input, now)).toEqual({ from: window.from, to: window.to });
    expect(window.from - window.before.to).toBeLessThanOrEqual(1);
  });

  test("of the earliest period is that period", () => {
    const input = { mode: "calendar", unit: "year", offset: -1_000 };
    expect(shownWindow(input, 0).before.from).toBe(0);
  });
});

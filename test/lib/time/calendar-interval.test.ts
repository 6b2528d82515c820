import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type CalendarUnit, calendarStarts, zoneOffset } from "../../../src/lib/time/calendar-interval.ts";

function starts(unit: CalendarUnit, timezone: string, from: string, to: string): string[] {
  const found = calendarStarts({ from: Date.parse(from), to: Date.parse(to) }, { unit, timezone }, 10_000);
  return [...(found ?? [])].map((ts) => new Date(ts).toISOString());
}

describe("calendar intervals", () => {
  test("the day the clocks go forward has 23 hours", () => {
    expect(starts("day", "Europe/Berlin", "2024-03-30T12:00:00Z", "2024-04-01T12:00:00Z")).toEqual([
      "2024-03-29T23:00:00.000Z",
      "2024-03-30T23:00:00.000Z",
      "2024-03-31T22:00:00.000Z",
    ]);
    expect(starts("hour", "Europe/Berlin", "2024-03-30T23:00:00Z", "2024-03-31T21:59:59Z")).toHaveLength(23);
  });

  test("the day the clocks go back has 25 hours", () => {
    expect(starts("day", "America/New_York", "2024-11-03T04:00:00Z", "2024-11-04T05:00:00Z")).toEqual([
      "2024-11-03T04:00:00.000Z",
      "2024-11-04T05:00:00.000Z",
    ]);
    expect(starts("hour", "America/New_York", "2024-11-03T04:00:00Z", "2024-11-04T04:59:59Z")).toHaveLength(
      25,
    );
  });

  test("a day whose midnight is skipped starts when the clocks have moved", () => {
    expect(starts("day", "America/Sao_Paulo", "2018-11-03T12:00:00Z", "2018-11-04T12:00:00Z")).toEqual([
      "2018-11-03T03:00:00.000Z",
      "2018-11-04T03:00:00.000Z",
    ]);
  });

  test("a day whose midnight comes twice starts at the first", () => {
    expect(starts("day", "America/Sao_Paulo", "2018-02-17T12:00:00Z", "2018-02-18T12:00:00Z")).toEqual([
      "2018-02-17T02:00:00.000Z",
      "2018-02-18T03:00:00.000Z",
    ]);
  });

  test("weeks start on Monday and months on the first", () => {
    expect(starts("week", "UTC", "2024-01-03T00:00:00Z", "2024-01-15T00:00:00Z")).toEqual([
      "2024-01-01T00:00:00.000Z",
      "2024-01-08T00:00:00.000Z",
      "2024-01-15T00:00:00.000Z",
    ]);
    expect(starts("month", "Asia/Kolkata", "2024-01-31T19:00:00Z", "2024-03-31T18:30:00Z")).toEqual([
      "2024-01-31T18:30:00.000Z",
      "2024-02-29T18:30:00.000Z",
      "2024-03-31T18:30:00.000Z",
    ]);
  });

  test("hours follow a zone that is half an hour off, also when its clocks move by half an hour", () => {
    expect(starts("hour", "Asia/Kolkata", "2024-01-01T00:00:00Z", "2024-01-01T01:00:00Z")).toEqual([
      "2023-12-31T23:30:00.000Z",
      "2024-01-01T00:30:00.000Z",
    ]);
    const lordHowe = starts("hour", "Australia/Lord_Howe", "2024-04-06T12:00:00Z", "2024-04-06T18:00:00Z");
    expect(lordHowe).toEqual(
      ["12:00", "13:00", "14:00", "15:00", "15:30", "16:30", "17:30"].map(
        (time) => `2024-04-06T${time}:00.000Z`,
      ),
    );
    expect(starts("hour", "Australia/Lord_Howe", "2024-10-05T14:30:00Z", "2024-10-05T17:00:00Z")).toEqual(
      ["14:30", "15:30", "16:00", "17:00"].map((time) => `2024-10-05T${time}:00.000Z`),
    );
  });

  test("dates before 1970 and before the year 100 work", () => {
    expect(starts("month", "UTC", "1969-12-31T00:00:00Z", "1970-01-01T00:00:00Z")).toEqual([
      "1969-12-01T00:00:00.000Z",
      "1970-01-01T00:00:00.000Z",
    ]);
    expect(starts("day", "UTC", "0050-05-05T12:00:00Z", "0050-05-05T13:00:00Z")).toEqual([
      "0050-05-05T00:00:00.000Z",
    ]);
  });

  test("too many intervals are refused, not cut off", () => {
    const range = { from: 0, to: 86_400_000 };
    expect(calendarStarts(range, { unit: "minute", timezone: "UTC" }, 1_440)).toBeNull();
    expect(calendarStarts(range, { unit: "minute", timezone: "UTC" }, 1_441)).toHaveLength(1_441);
  });

  test("shifts begin at the same times of day on days with a clock change", () => {
    const shifts = (times: readonly number[], from: string, to: string) =>
      [
        ...(calendarStarts(
          { from: Date.parse(from), to: Date.parse(to) },
          { times, timezone: "Europe/Berlin" },
          100,
        ) ?? []),
      ].map((ts) => new Date(ts).toISOString());
    // Clocks go back on 25 October 2026 at 03:00, and the night shift has nine hours.
    expect(shifts([360, 840, 1_320], "2026-10-24T22:30:00Z", "2026-10-25T13:00:00Z")).toEqual([
      "2026-10-24T20:00:00.000Z",
      "2026-10-25T05:00:00.000Z",
      "2026-10-25T13:00:00.000Z",
    ]);
    // 02:30 does not exist on 29 March 2026: the interval begins when clocks go on, and takes the place of the one from 03:00.
    expect(shifts([150, 180], "2026-03-29T00:00:00Z", "2026-03-30T00:59:59Z")).toEqual([
      "2026-03-28T02:00:00.000Z",
      "2026-03-29T01:00:00.000Z",
      "2026-03-30T00:30:00.000Z",
    ]);
  });

  test("shifts cover the range, and too many are refused", () => {
    const range = { from: 86_400_000, to: 2 * 86_400_000 };
    const daily = (times: readonly number[], most: number) =>
      calendarStarts(range, { times, timezone: "UTC" }, most);
    expect([...(daily([720], 10) ?? [])]).toEqual([43_200_000, 129_600_000]);
    expect([...(daily([0], 10) ?? [])]).toEqual([86_400_000, 172_800_000]);
    expect(daily([0, 720], 2)).toBeNull();
    expect(daily([0, 720], 3)).toHaveLength(3);
  });

  test("an unknown time zone is a RangeError", () => {
    expect(() => zoneOffset("Mars/Olympus")).toThrow(RangeError);
  });

  test("starts ascend, cover the range, and show the wall clock's unit in every zone", () => {
    const zones = ["Europe/Berlin", "America/St_Johns", "Africa/Casablanca", "Pacific/Apia", "Asia/Tehran"];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2037, 0) }),
        fc.integer({ min: 0, max: 40 * 86_400_000 }),
        (timezone, from, length) => {
          const found = [
            ...(calendarStarts({ from, to: from + length }, { unit: "day", timezone }, 100) ?? []),
          ];
          expect(found[0]!).toBeLessThanOrEqual(from);
          for (let i = 1; i < found.length; i++) expect(found[i]!).toBeGreaterThan(found[i - 1]!);
          const offset = zoneOffset(timezone);
          const wallDay = (ts: number) => Math.floor((ts + offset(ts)) / 86_400_000);
          for (const start of found) expect(wallDay(start - 1)).toBeLessThan(wallDay(start));
        },
      ),
      { numRuns: 60 },
    );
  });
});

test("hours begin at full hours of the clocks or when these change, in ten zones and twenty years", () => {
  const zones = [
    ...["Europe/Berlin", "America/New_York", "America/St_Johns", "America/Sao_Paulo", "Australia/Lord_Howe"],
    ...["Asia/Kathmandu", "Asia/Tehran", "Pacific/Apia", "Africa/Casablanca", "Antarctica/Troll"],
  ] as const;
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      // In earlier years, clocks of St. John's changed a minute after midnight.
      fc.integer({ min: Date.UTC(2012, 0, 1) / 900_000, max: Date.UTC(2032, 0, 1) / 900_000 }),
      (timezone, quarter) => {
        const offset = zoneOffset(timezone);
        const [from, to] = [quarter * 900_000, quarter * 900_000 + 10 * 3_600_000];
        // By trying every quarter of an hour: one begins where the hour that the clocks show is another one, or they change.
        const expected: number[] = [];
        for (let ts = from - 4_500_000; ts <= to; ts += 900_000) {
          const [before, now] = [ts - 900_000, ts].map((each) =>
            Math.floor((each + offset(each)) / 3_600_000),
          );
          if (before !== now || offset(ts - 1) !== offset(ts)) expected.push(ts);
        }
        while ((expected[1] ?? Number.POSITIVE_INFINITY) <= from) expected.shift();
        expect([...(calendarStarts({ from, to }, { unit: "hour", timezone }, 100) ?? [])]).toEqual(expected);
      },
    ),
    { numRuns: 2_000 },
  );
});

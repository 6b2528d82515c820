import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { calendarStarts } from "../../../src/lib/time/calendar-interval.ts";
import { shownWindow } from "../../../src/modules/dashboards/window-of.ts";
import { pairIntervals } from "../../../src/modules/telemetry/telemetry.service.ts";

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
  const move = pairIntervals({ interval: intervals[unit], timezone }, window.before, window);
  return { current: startsOf(window), moved: startsOf(window.before).map(move) };
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

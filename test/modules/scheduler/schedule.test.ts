import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { latestTime, nextTime, parseSchedule } from "../../../src/modules/scheduler/schedule.ts";
import type { Schedule } from "../../../src/modules/scheduler/scheduler.types.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const iso = (timeMs: number | undefined) =>
  timeMs === undefined ? undefined : new Date(timeMs).toISOString();

function times(schedule: Schedule, from: string, count: number): string[] {
  const found: string[] = [];
  let timeMs: number | undefined = Date.parse(from);
  while (found.length < count) {
    timeMs = nextTime(schedule, timeMs as number);
    if (timeMs === undefined) break;
    found.push(new Date(timeMs).toISOString().replace(":00.000Z", "Z"));
  }
  return found;
}

const cron = (expression: string, timezone = "UTC") =>
  parseSchedule({ kind: "cron", expression, timezone }, NOW);

describe("cron in a time zone", () => {
  const rows: Array<[why: string, expression: string, timezone: string, from: string, expected: string[]]> = [
    [
      "a time in the gap of spring is due when the gap ends",
      "30 2 * * *",
      "Europe/Berlin",
      "2026-03-28T12:00Z",
      ["2026-03-29T01:00Z", "2026-03-30T00:30Z"],
    ],
    [
      "a time in the doubled hour of autumn is due once, the first time",
      "30 2 * * *",
      "Europe/Berlin",
      "2026-10-24T12:00Z",
      ["2026-10-25T00:30Z", "2026-10-26T01:30Z"],
    ],
    [
      "every quarter of an hour goes on through the doubled hour",
      "*/15 * * * *",
      "Europe/Berlin",
      "2026-10-25T00:30Z",
      ["2026-10-25T00:45Z", "2026-10-25T01:00Z", "2026-10-25T01:15Z", "2026-10-25T01:30Z"],
    ],
    [
      "every hour leaves out the one that is not there",
      "30 * * * *",
      "Europe/Berlin",
      "2026-03-29T00:00Z",
      ["2026-03-29T00:30Z", "2026-03-29T01:30Z"],
    ],
    [
      "the gap at two in New York",
      "30 2 * * *",
      "America/New_York",
      "2026-03-07T12:00Z",
      ["2026-03-08T07:00Z", "2026-03-09T06:30Z"],
    ],
    [
      "the doubled hour in New York",
      "30 1 * * *",
      "America/New_York",
      "2026-10-31T12:00Z",
      ["2026-11-01T05:30Z", "2026-11-02T06:30Z"],
    ],
    [
      "a gap of half an hour at Lord Howe",
      "15 2 * * *",
      "Australia/Lord_Howe",
      "2026-10-03T00:00Z",
      ["2026-10-03T15:30Z", "2026-10-04T15:15Z"],
    ],
    [
      "the south changes the other way round",
      "30 2 * * *",
      "Australia/Sydney",
      "2026-10-03T00:00Z",
      ["2026-10-03T16:00Z", "2026-10-04T15:30Z"],
    ],
    [
      "a gap at midnight in Chile",
      "0 0 * * *",
      "America/Santiago",
      "2026-09-05T05:00Z",
      ["2026-09-06T04:00Z", "2026-09-07T03:00Z"],
    ],
    [
      "an offset of three quarters of an hour, without daylight saving",
      "0 6 * * *",
      "Asia/Kathmandu",
      "2026-06-01T00:00Z",
      ["2026-06-01T00:15Z", "2026-06-02T00:15Z"],
    ],
    [
      "a day that is already tomorrow",
      "0 8 * * MON",
      "Pacific/Kiritimati",
      "2026-06-01T00:00Z",
      ["2026-06-07T18:00Z", "2026-06-14T18:00Z"],
    ],
    [
      "the 29th of February comes every fourth year",
      "0 0 29 2 *",
      "UTC",
      "2026-01-01T00:00Z",
      ["2028-02-29T00:00Z", "2032-02-29T00:00Z"],
    ],
    ["and not in 2100", "0 0 29 2 *", "UTC", "2096-03-01T00:00Z", ["2104-02-29T00:00Z"]],
    [
      "the 31st leaves out shorter months",
      "0 0 31 * *",
      "UTC",
      "2026-01-31T00:00Z",
      ["2026-03-31T00:00Z", "2026-05-31T00:00Z", "2026-07-31T00:00Z", "2026-08-31T00:00Z"],
    ],
    [
      "the last day of the month",
      "0 12 L * *",
      "UTC",
      "2026-01-31T12:00Z",
      ["2026-02-28T12:00Z", "2026-03-31T12:00Z"],
    ],
    [
      "workdays between eight and five",
      "0 8-17/3 * * MON-FRI",
      "UTC",
      "2026-01-02T16:00Z",
      ["2026-01-02T17:00Z", "2026-01-05T08:00Z"],
    ],
    ["a nickname", "@weekly", "UTC", "2026-01-01T00:00Z", ["2026-01-04T00:00Z"]],
    ["a day that no month has never comes", "0 0 30 2 *", "UTC", "2026-01-01T00:00Z", []],
  ];
  test.each(rows)("%s: %s in %s", (_why, expression, timezone, from, expected) => {
    expect(times(cron(expression, timezone), from, expected.length || 1)).toEqual(expected);
  });
});

describe("intervals and single times", () => {
  test("an interval stays on its grid, whenever it is asked", () => {
    const schedule = parseSchedule({ kind: "interval", everyMs: 90_000 }, NOW);
    expect(nextTime(schedule, NOW)).toBe(NOW + 90_000);
    expect(nextTime(schedule, NOW + 89_999)).toBe(NOW + 90_000);
    expect(nextTime(schedule, NOW + 90_000)).toBe(NOW + 180_000);
    expect(nextTime(schedule, NOW + 90_000 * 1_000_000 + 17)).toBe(NOW + 90_000 * 1_000_001);
  });

  test("an interval with a start never comes before it", () => {
    const schedule = parseSchedule({ kind: "interval", everyMs: 60_000, at: "2026-06-01T00:00:30Z" }, NOW);
    expect(iso(nextTime(schedule, NOW))).toBe("2026-06-01T00:00:30.000Z");
    expect(iso(nextTime(schedule, Date.parse("2026-06-01T00:00:30Z")))).toBe("2026-06-01T00:01:30.000Z");
  });

  test("an interval that was begun while the clock was decades ahead goes on now", () => {
    const schedule = parseSchedule({ kind: "interval", everyMs: 3_600_000 }, Date.parse("2083-01-01T00:10Z"));
    expect(iso(nextTime(schedule, NOW))).toBe("2026-01-01T00:10:00.000Z");
  });

  test("a single time is due once", () => {
    const schedule = parseSchedule({ kind: "once", at: "2026-12-24T18:00:00+01:00" }, NOW);
    expect(iso(nextTime(schedule, NOW))).toBe("2026-12-24T17:00:00.000Z");
    expect(nextTime(schedule, Date.parse("2026-12-24T17:00:00Z"))).toBeUndefined();
  });

  test.each([
    ["2026-12-24T18:00", "Europe/Berlin", "2026-12-24T17:00:00.000Z"],
    ["2026-07-01T18:00:30", "America/New_York", "2026-07-01T22:00:30.000Z"],
    ["2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00.000Z"],
  ])("a time without an offset, %s, is meant in %s", (time, timezone, expected) => {
    const schedule = parseSchedule({ kind: "once", at: time, timezone }, NOW);
    expect(iso(nextTime(schedule, NOW))).toBe(expected);
  });
});

test.each<[field: string, schedule: unknown]>([
  ["kind", { kind: "hourly" }],
  ["kind", null],
  ["kind", []],
  ["expression", { kind: "cron" }],
  ["expression", { kind: "cron", expression: "" }],
  ["expression", { kind: "cron", expression: "* * * * * *" }],
  ["expression", { kind: "cron", expression: "* * * *" }],
  ["expression", { kind: "cron", expression: "60 * * * *" }],
  ["expression", { kind: "cron", expression: "*/0 * * * *" }],
  ["expression", { kind: "cron", expression: "@reboot" }],
  ["expression", { kind: "cron", expression: "2026-01-01T00:00:00" }],
  ["expression", { kind: "cron", expression: `${"1,".repeat(500)}1 * * * *` }],
  ["timezone", { kind: "cron", expression: "* * * * *", timezone: "Mars/Olympus" }],
  ["timezone", { kind: "cron", expression: "* * * * *", timezone: "+02:00" }],
  ["timezone", { kind: "cron", expression: "* * * * *", timezone: "" }],
  ["timezone", { kind: "cron", expression: "* * * * *", timezone: 1 }],
  ["everyMs", { kind: "interval" }],
  ["everyMs", { kind: "interval", everyMs: 59_999 }],
  ["everyMs", { kind: "interval", everyMs: 60_000.5 }],
  ["everyMs", { kind: "interval", everyMs: Number.NaN }],
  ["everyMs", { kind: "interval", everyMs: 1e15 }],
  ["at", { kind: "once" }],
  ["at", { kind: "once", at: "tomorrow" }],
  ["at", { kind: "once", at: "2026-02-31T00:00:00Z" }],
  ["at", { kind: "once", at: "2026-02-31T00:00" }],
  ["at", { kind: "once", at: "2027-03-28T02:30[Europe/Berlin]" }],
  ["at", { kind: "once", at: "2026-12-24T18:00[Europe/Atlantis]" }],
  ["at", { kind: "once", at: "2026-01-01T25:00:00Z" }],
  ["at", { kind: "interval", everyMs: 60_000, at: "1" }],
])("what cannot be a schedule is refused by its field %s: %j", (field, schedule) => {
  expect(() => parseSchedule(schedule, NOW)).toThrow(`schedule.${field}`);
});

const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/Santiago",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Pacific/Apia",
  "Africa/Casablanca",
];
const anyCron = fc
  .record({
    minute: fc.constantFrom("*", "0", "30", "*/7", "59", "0,45"),
    hour: fc.constantFrom("*", "0", "1", "2", "3", "23", "*/5", "2-3"),
    day: fc.constantFrom("*", "1", "15", "29", "31", "L"),
    month: fc.constantFrom("*", "2", "3", "10", "11"),
    timezone: fc.constantFrom(...zones),
  })
  .map(({ minute, hour, day, month, timezone }) => cron(`${minute} ${hour} ${day} ${month} *`, timezone));
const anyInterval = fc
  .record({ everyMs: fc.integer({ min: 60_000, max: 1e9 }), start: fc.integer({ min: 0, max: 4e12 }) })
  .map(({ everyMs, start }) => parseSchedule({ kind: "interval", everyMs }, start));

test("the next time is later than the moment, no later for an earlier moment, and skips nothing", () => {
  fc.assert(
    fc.property(
      fc.oneof(anyCron, anyInterval),
      fc.integer({ min: 0, max: 4e12 }),
      fc.integer({ min: 1, max: 40 * 86_400_000 }),
      (schedule, now, later) => {
        const next = nextTime(schedule, now);
        if (next === undefined) return;
        expect(next).toBeGreaterThan(now);
        const after = nextTime(schedule, now + later);
        if (after !== undefined) expect(after).toBeGreaterThanOrEqual(next);
        if (now + later < next) expect(after).toBe(next);
        expect(nextTime(schedule, next - 1)).toBe(next);
      },
    ),
    { numRuns: 400 },
  );
});

test("the latest time is the last one of the row that the next times make", () => {
  fc.assert(
    fc.property(
      fc.oneof(anyCron, anyInterval),
      fc.integer({ min: 0, max: 4e12 }),
      fc.integer({ min: 0, max: 6 * 3_600_000 }),
      (schedule, now, span) => {
        const from = nextTime(schedule, now);
        if (from === undefined) return;
        let expected = from;
        for (let next = nextTime(schedule, from); next !== undefined && next <= from + span; ) {
          expected = next;
          next = nextTime(schedule, next);
        }
        expect(latestTime(schedule, from, from + span)).toBe(expected);
      },
    ),
    { numRuns: 200 },
  );
});

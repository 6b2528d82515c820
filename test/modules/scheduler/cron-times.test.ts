import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { zoneOffset } from "../../../src/lib/time/calendar-interval.ts";
import { nextTime, parseSchedule } from "../../../src/modules/scheduler/schedule.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.parse("2026-01-01T00:00:00Z");

const zones = [
  ...["UTC", "Europe/Berlin", "America/New_York", "America/St_Johns", "Australia/Lord_Howe", "Asia/Beirut"],
  ...["America/Santiago", "Africa/Casablanca", "Asia/Kathmandu", "Antarctica/Troll"],
] as const;

const inZone = (expression: string, timezone: string) => {
  const schedule = parseSchedule({ kind: "cron", expression, timezone }, NOW);
  return (from: number, count: number): number[] => {
    const found: number[] = [];
    for (let after: number | undefined = from; found.length < count; ) {
      after = nextTime(schedule, after);
      if (after === undefined) break;
      found.push(after);
    }
    return found;
  };
};

const isoOf = (times: readonly number[]) => times.map((ts) => new Date(ts).toISOString().slice(0, 16));

describe("a list of times of day is not a repetition", () => {
  test.each([
    ["0 2,14 31 10 *", "2027-10-30T12:00Z", ["2027-10-31T00:00", "2027-10-31T13:00"]],
    ["0 2,14 28 3 *", "2027-03-27T12:00Z", ["2027-03-28T01:00", "2027-03-28T12:00"]],
    ["0,30 2 * * *", "2027-03-27T12:00Z", ["2027-03-28T01:00", "2027-03-29T00:00", "2027-03-29T00:30"]],
    ["0 2,3 * * *", "2027-03-27T12:00Z", ["2027-03-28T01:00", "2027-03-29T00:00"]],
    [
      "0 1-3 31 10 *",
      "2027-10-30T12:00Z",
      ["2027-10-30T23:00", "2027-10-31T00:00", "2027-10-31T01:00", "2027-10-31T02:00"],
    ],
    ["*/20 2 31 10 *", "2027-10-31T00:10Z", ["2027-10-31T00:20", "2027-10-31T00:40", "2027-10-31T01:00"]],
    ["@daily", "2027-03-27T12:00Z", ["2027-03-27T23:00", "2027-03-28T22:00"]],
    ["@hourly", "2027-03-28T00:00Z", ["2027-03-28T01:00", "2027-03-28T02:00"]],
  ])("%s in Berlin", (expression, from, expected) => {
    expect(isoOf(inZone(expression, "Europe/Berlin")(Date.parse(from), expected.length))).toEqual(expected);
  });
});

test("a single time that the clocks skip is when the gap ends", () => {
  const once = parseSchedule({ kind: "once", at: "2027-03-28T02:30:00", timezone: "Europe/Berlin" }, NOW);
  expect(once).toMatchObject({ at: Date.parse("2027-03-28T01:00:00Z") });
});

/** One of the two fields of a time of day, as a text and what it matches. */
const field = (max: number) => {
  const value = fc.integer({ min: 0, max });
  const list = fc.uniqueArray(value, { minLength: 1, maxLength: 3 });
  const range = fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  const step = fc.integer({ min: 1, max });
  return fc.oneof(
    {
      weight: 3,
      arbitrary: list.map((values) => ({
        text: values.join(","),
        isRepeating: false,
        fits: (n: number) => values.includes(n),
      })),
    },
    { weight: 1, arbitrary: fc.constant({ text: "*", isRepeating: true, fits: (_: number) => true }) },
    {
      weight: 1,
      arbitrary: step.map((by) => ({
        text: `*/${by}`,
        isRepeating: true,
        fits: (n: number) => n % by === 0,
      })),
    },
    {
      weight: 1,
      arbitrary: range.map(([from, to]) => ({
        text: `${from}-${to}`,
        isRepeating: true,
        fits: (n: number) => n >= from && n <= to,
      })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(range, step).map(([[from, to], by]) => ({
        text: `${from}-${to}/${by}`,
        isRepeating: true,
        fits: (n: number) => n >= from && n <= to && (n - from) % by === 0,
      })),
    },
  );
};

/** Days around the changes of the clocks of a zone, or any days. */
function changesOf(timezone: string): number[] {
  const offset = zoneOffset(timezone);
  const changes: number[] = [];
  for (let day = Date.UTC(2020, 0, 1); day < Date.UTC(2030, 0, 1); day += DAY_MS)
    if (offset(day) !== offset(day + DAY_MS)) changes.push(day);
  return changes.length === 0 ? [Date.UTC(2027, 2, 28)] : changes;
}
const changes = new Map(zones.map((timezone) => [timezone, changesOf(timezone)]));

interface Field {
  readonly isRepeating: boolean;
  fits(value: number): boolean;
}

/** The moments of three days, minute by minute: a repetition at each that shows a matching time, a time of day at the first that shows it or a later one. */
function modelOf(
  minute: Field,
  hour: Field,
  { start, end, offset }: { start: number; end: number; offset: (ts: number) => number },
) {
  const fits = (wall: number) =>
    minute.fits(Math.floor(wall / MINUTE_MS) % 60) && hour.fits(Math.floor(wall / HOUR_MS) % 24);
  const found = new Set<number>();
  if (minute.isRepeating || hour.isRepeating) {
    for (let ts = start; ts <= end; ts += MINUTE_MS) if (fits(ts + offset(ts))) found.add(ts);
    return [...found];
  }
  /** The latest time that clocks have shown so far. */
  let shown = Number.NEGATIVE_INFINITY;
  for (let ts = start - DAY_MS; ts <= end; ts += MINUTE_MS) {
    const wall = ts + offset(ts);
    for (let each = Math.max(shown + MINUTE_MS, wall - DAY_MS); each <= wall; each += MINUTE_MS)
      if (fits(each) && ts >= start) found.add(ts);
    shown = Math.max(shown, wall);
  }
  return [...found];
}

test("the times of any expression are those of a model that looks at every minute, in ten zones", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      field(59),
      field(23),
      fc.nat(1_000),
      fc.integer({ min: -2 * 24 * 60, max: 60 }),
      (timezone, minute, hour, pick, before) => {
        const days = changes.get(timezone) ?? [];
        const start = (days[pick % days.length] ?? 0) + before * MINUTE_MS;
        const end = start + 3 * DAY_MS;
        const expected = modelOf(minute, hour, {
          start: start + MINUTE_MS,
          end,
          offset: zoneOffset(timezone),
        });
        const found = inZone(`${minute.text} ${hour.text} * * *`, timezone)(start, expected.length + 1);
        expect(isoOf(found.filter((ts) => ts <= end))).toEqual(isoOf(expected));
      },
    ),
    { numRuns: 250 },
  );
});

describe("a mistake in an expression is told in the words of the expression", () => {
  test.each([
    ["0 0 0 * *", "is not valid (day of the month): 0 is not between 1 and 31"],
    ["60 * * * *", "is not valid (minute): 60 is not between 0 and 59"],
    ["0 24 * * *", "is not valid (hour): 24 is not between 0 and 23"],
    ["0 0 * 13 *", "is not valid (month): 13 is not between 1 and 12"],
    ["0 0 1-40 * *", "is not valid (day of the month): 40 is not between 1 and 31"],
    ["0 0 L-3 * *", "is not valid (day of the month): “L” has no meaning in a cron expression"],
    ["0 22-2 * * *", "is not valid (hour): 22-2 ends before it begins; write 22-23,0-2"],
    ["H * * * *", "is not valid (minute): “H” has no meaning in a cron expression"],
    ["1/10 * * * *", "is not valid (minute): 1/10 has no end; write 1-59/10"],
    ["*/0 * * * *", "is not valid (minute): the step 0 is not between 1 and 59"],
    ["* * * * FOO", "is not valid (day of the week): “FOO” has no meaning in a cron expression"],
    ["0,,1 * * * *", "is not valid (minute): “” has no meaning"],
    ["* * L", "five parts"],
  ])("%s", (expression, text) => {
    expect(() => parseSchedule({ kind: "cron", expression }, NOW)).toThrow(text);
  });

  test.each([
    "0 0 15W * *",
    "0 0 LW * *",
    "0 0 * * 5L",
    "0 0 * * 5#2",
    "0 0 ? JAN-MAR SUN",
    "*/5 0-10/2 1,15 * 7",
  ])("%s is right", (expression) => {
    expect(parseSchedule({ kind: "cron", expression }, NOW)).toMatchObject({ expression });
  });
});

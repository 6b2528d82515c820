import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  CLOCK_SET_FROM_MS,
  FUTURE_MS_MAX,
  fileRules,
  HELD_MS_MAX,
  liveTimestamp,
  readFileTime,
  readTimestamp,
  TimeFault,
  type WrittenRules,
} from "../../../src/lib/time/timestamp.ts";
import { parseWrittenTime, UsualTime } from "../../../src/lib/time/written-time.ts";
import { ZoneClock } from "../../../src/lib/time/zone-clock.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");
const RUNS = 2_000;
const berlin = new ZoneClock("Europe/Berlin");

/** The time, or the code of the reason why it is none. */
function outcome(value: unknown, rules: Partial<WrittenRules> = {}): number | string {
  const ts = readTimestamp(value, { now: NOW, aheadMsMax: HELD_MS_MAX, ...rules });
  return ts instanceof TimeFault ? ts.reason.code : ts;
}

describe("a number is an epoch in the unit in which it can be one", () => {
  test.each([
    [1767225600, "2026-01-01T00:00:00Z"],
    [1704067200.5, "2024-01-01T00:00:00.500Z"],
    [1767225600000, "2026-01-01T00:00:00Z"],
    [1767225600000.4, "2026-01-01T00:00:00Z"],
    [1795168800123456, "2026-11-20T10:00:00.123Z"],
    [1482669077000000000, "2016-12-25T12:31:17Z"],
    [1795168800123456789n, "2026-11-20T10:00:00.123Z"],
    ["1767225600", "2026-01-01T00:00:00Z"],
    ["1704067200.5", "2024-01-01T00:00:00.500Z"],
    ["1704067200,5", "2024-01-01T00:00:00.500Z"],
    ["1795168800123456789", "2026-11-20T10:00:00.123Z"],
    [946684800, "2000-01-01T00:00:00Z"],
    [946684800000, "2000-01-01T00:00:00Z"],
  ])("%p", (value, time) => {
    expect(outcome(value)).toBe(Date.parse(time));
  });

  test.each([
    [0, "telemetry.ts_number"],
    [-1, "telemetry.ts_number"],
    ["-5", "telemetry.ts_number"],
    [4711, "telemetry.ts_number"],
    [12345, "telemetry.ts_number"],
    [86400000, "telemetry.ts_number"],
    [946684799, "telemetry.ts_number"],
    [4102444800, "telemetry.ts_number"],
    [45292.5, "telemetry.ts_serial"],
    ["45292,5", "telemetry.ts_serial"],
    [20240101, "telemetry.ts_compact"],
    ["202401010010", "telemetry.ts_compact"],
    [20240101001000, "telemetry.ts_compact"],
    [NOW + 11 * 366 * 86_400_000, "telemetry.ts_future"],
    [Number.NaN, "telemetry.ts_invalid"],
    [Number.POSITIVE_INFINITY, "telemetry.ts_invalid"],
  ])("%p is not a time", (value, code) => {
    expect(outcome(value)).toBe(code);
  });

  test("2024010100 is a time in 2034 only where clocks may be so far behind", () => {
    expect(outcome(2024010100)).toBe(2024010100000);
    expect(outcome(2024010100, { aheadMsMax: FUTURE_MS_MAX })).toBe("telemetry.ts_compact");
  });

  test("any moment in any unit is read, and any other number is not", () => {
    const moment = fc.integer({ min: CLOCK_SET_FROM_MS, max: NOW + HELD_MS_MAX });
    fc.assert(
      fc.property(moment, fc.constantFrom(0.001, 1, 1_000, 1_000_000), fc.boolean(), (ms, perMs, isText) => {
        const number = ms * perMs;
        const text = perMs === 0.001 ? String(number) : String(BigInt(ms) * BigInt(perMs));
        const read = outcome(isText ? text : number);
        // Beyond 2^53 a double has no place for every nanosecond.
        expect(Math.abs(Number(read) - ms)).toBeLessThanOrEqual(perMs === 1_000_000 ? 1 : 0);
      }),
      { numRuns: RUNS },
    );
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const read = outcome(number);
        if (typeof read === "number")
          expect(read >= CLOCK_SET_FROM_MS && read <= NOW + HELD_MS_MAX).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("a text is a date", () => {
  test.each([
    ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"],
    ["2026-01-01t00:00:00z", "2026-01-01T00:00:00Z"],
    ["2026-01-01T02:00:00+02:00", "2026-01-01T00:00:00Z"],
    ["2026-01-01T02:00:00+0200", "2026-01-01T00:00:00Z"],
    ["2026-01-01T00:00:00.123456789Z", "2026-01-01T00:00:00.123Z"],
    ["2026-01-01T00:00:00,25Z", "2026-01-01T00:00:00.250Z"],
    ["20260101T000000Z", "2026-01-01T00:00:00Z"],
    ["20260101T0130+0130", "2026-01-01T00:00:00Z"],
    ["2026-01-01T00Z", "2026-01-01T00:00:00Z"],
    ["2026-01-01", "2026-01-01T00:00:00Z"],
    ["2026-01-01Z", "2026-01-01T00:00:00Z"],
    ["2026-01-01 00:00", "2026-01-01T00:00:00Z"],
    ["2026/1/5 10:00", "2026-01-05T10:00:00Z"],
    ["5.1.2026 9:05:07", "2026-01-05T09:05:07Z"],
    ["05.01.2026", "2026-01-05T00:00:00Z"],
    ["05.01.2026, 10:00:30", "2026-01-05T10:00:30Z"],
    ["2023-02-10 15:41:33+01", "2023-02-10T14:41:33Z"],
    ["2023-02-10 15:41:33.895+00", "2023-02-10T15:41:33.895Z"],
    ["2023-07-20 22:02:38 UTC", "2023-07-20T22:02:38Z"],
    ["2023-07-20 22:02:38 GMT+2", "2023-07-20T20:02:38Z"],
    ["2023-07-20T22:02:38\u221202:00", "2023-07-21T00:02:38Z"],
    ["2023-07-20T22:02:38+02:00[Europe/Berlin]", "2023-07-20T20:02:38Z"],
    ["2026-01-01T10:00:00[Europe/Berlin]", "2026-01-01T09:00:00Z"],
    ["2026-07-01 10:00 [America/New_York]", "2026-07-01T14:00:00Z"],
    ["2026-10-25T02:30[Europe/Berlin]", "2026-10-25T00:30:00Z"],
    ["2026-10-25T02:30+01:00[Europe/Berlin]", "2026-10-25T01:30:00Z"],
    ["2026-01-01T10:00:00Z[Europe/Berlin]", "2026-01-01T10:00:00Z"],
    ["2023-07-20T24:00Z", "2023-07-21T00:00:00Z"],
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"],
    ["31/12/2023 10:00", "2023-12-31T10:00:00Z"],
    ["12/31/2023 10:00", "2023-12-31T10:00:00Z"],
    ["12/31/2023 10:00:00 PM", "2023-12-31T22:00:00Z"],
    ["12/31/2023 12:05 am", "2023-12-31T00:05:00Z"],
    ["31-12-2023 10:00", "2023-12-31T10:00:00Z"],
    ["2024-02-29", "2024-02-29T00:00:00Z"],
    ["10.03.2004 18.00.00", "2004-03-10T18:00:00Z"],
    ["5.1.2026, 9.05", "2026-01-05T09:05:00Z"],
  ])("%s", (text, time) => {
    expect(outcome(text)).toBe(Date.parse(time));
  });

  test.each([
    ["", "telemetry.ts_invalid"],
    ["noon", "telemetry.ts_invalid"],
    ["2026-01", "telemetry.ts_invalid"],
    ["2026-01-01T", "telemetry.ts_invalid"],
    ["2026-01-01 10:00 CET", "telemetry.ts_invalid"],
    ["2026-01-01-02:00", "telemetry.ts_invalid"],
    ["05.01.26 10:00", "telemetry.ts_invalid"],
    ["1.2.3", "telemetry.ts_invalid"],
    ["2026-01-05 10.00.00.5", "telemetry.ts_invalid"],
    ["2026-01-05 10.60", "telemetry.ts_missing_day"],
    ["01/02/2026", "telemetry.ts_order"],
    ["2026-02-30", "telemetry.ts_missing_day"],
    ["2026-02-29T10:00:00Z", "telemetry.ts_missing_day"],
    ["31.02.2026", "telemetry.ts_missing_day"],
    ["2026-13-01", "telemetry.ts_missing_day"],
    ["2026-01-05 25:00", "telemetry.ts_missing_day"],
    ["2026-01-05 24:01", "telemetry.ts_missing_day"],
    ["2026-01-05 10:60", "telemetry.ts_missing_day"],
    ["2026-01-05T10:00:00+25:00", "telemetry.ts_missing_day"],
    ["2026-01-01T10:00:00[Europe/Atlantis]", "telemetry.ts_zone"],
    ["2026-03-29T02:30:00[Europe/Berlin]", "telemetry.ts_skipped"],
    ["1970-01-01T00:00:10Z", "telemetry.ts_unset"],
    ["2050-01-01T00:00:00Z", "telemetry.ts_future"],
  ])("%p is not a time", (text, code) => {
    expect(outcome(text)).toBe(code);
  });

  test.each([
    ["2023-07-20 24:00", "2023-07-20T22:00:00Z"],
    ["2026-01-05 10:00", "2026-01-05T09:00:00Z"],
    ["5.7.2026 10:00", "2026-07-05T08:00:00Z"],
    ["20260705T1000", "2026-07-05T08:00:00Z"],
    ["2026-07-05", "2026-07-04T22:00:00Z"],
    ["2026-10-25 02:30", "2026-10-25T00:30:00Z"],
    ["2026-07-05T10:00:00Z", "2026-07-05T10:00:00Z"],
    ["2026-07-05 10:00:00 +0000", "2026-07-05T10:00:00Z"],
    ["2026-07-05T10:00:00[Asia/Tokyo]", "2026-07-05T01:00:00Z"],
  ])("%s in Berlin", (text, time) => {
    expect(outcome(text, { zone: berlin })).toBe(Date.parse(time));
  });

  test("a time of day that the clocks skip is not a time", () => {
    expect(outcome("2025-03-30 02:30", { zone: berlin })).toBe("telemetry.ts_skipped");
    const saoPaulo = new ZoneClock("America/Sao_Paulo");
    expect(outcome("2018-11-04 00:00", { zone: saoPaulo })).toBe("telemetry.ts_skipped");
    expect(outcome("2018-11-04", { zone: saoPaulo })).toBe(Date.parse("2018-11-04T03:00:00Z"));
  });

  test("the order of day and month is what is asked for", () => {
    expect(outcome("11/12/2023", { order: "day-first" })).toBe(Date.parse("2023-12-11"));
    expect(outcome("11/12/2023", { order: "month-first" })).toBe(Date.parse("2023-11-12"));
    expect(outcome("31/12/2023", { order: "month-first" })).toBe("telemetry.ts_missing_day");
  });

  test("files may be of a time before 2000", () => {
    expect(outcome("1970-01-10 00:00", { isPast: true })).toBe(9 * 86_400_000);
    expect(outcome("1971-05-01 00:00", { isPast: true })).toBe(Date.parse("1971-05-01"));
    expect(outcome("1969-12-31", { isPast: true })).toBe("telemetry.ts_before_epoch");
    expect(outcome("20240101", { isPast: true })).toBe("telemetry.ts_compact");
  });

  test("any moment, written in any form and zone, is that moment", () => {
    const pad = (number: number, length = 2) => String(number).padStart(length, "0");
    const dateForms: ReadonlyArray<(date: Date) => string> = [
      (date) => date.toISOString().slice(0, 10),
      (date) => `${date.getUTCFullYear()}/${date.getUTCMonth() + 1}/${date.getUTCDate()}`,
      (date) => `${date.getUTCDate()}.${date.getUTCMonth() + 1}.${date.getUTCFullYear()}`,
    ];
    const offsets = fc.constantFrom(0, 60, 120, -300, 330, 345, 630, -570, 840);
    fc.assert(
      fc.property(
        fc.record({
          seconds: fc.integer({ min: CLOCK_SET_FROM_MS / 1_000, max: NOW / 1_000 }),
          ms: fc.integer({ min: 0, max: 999 }),
          dateForm: fc.constantFrom(...dateForms),
          offset: offsets,
          separator: fc.constantFrom("T", " ", "  ", "t"),
          sign: fc.constantFrom(".", ","),
          zone: fc.constantFrom("colon", "plain", "space", "utc"),
          isBasic: fc.boolean(),
        }),
        ({ seconds, ms, dateForm, offset, separator, sign, zone, isBasic }) => {
          const ts = seconds * 1_000 + ms;
          const date = new Date(ts + (zone === "utc" ? 0 : offset * 60_000));
          const iso = date.toISOString();
          const [hours, minutes] = [pad(Math.floor(Math.abs(offset) / 60)), pad(Math.abs(offset) % 60)];
          const signed = `${offset < 0 ? "-" : "+"}${hours}`;
          const zones = {
            colon: `${signed}:${minutes}`,
            plain: `${signed}${minutes}`,
            space: ` ${signed}:${minutes}`,
            utc: " UTC",
          };
          const time = `${iso.slice(11, 19)}${sign}${pad(ms, 3)}`;
          const text = isBasic
            ? `${iso.slice(0, 10)}T${time}`.replaceAll(/[-:]/g, "") + zones[zone]
            : `${dateForm(date)}${separator}${time}${zones[zone]}`;
          expect([text, outcome(text)]).toEqual([text, ts]);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("any text is a time within the bounds, or is refused", () => {
    const piece = fc.constantFrom(..."0123456789-:/. TZ+".split(""), "2024", "-02-", "31", "UTC", "pm");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const read = outcome(pieces.join(""), { isPast: true, zone: berlin });
        if (typeof read === "number") expect(read >= 0 && read <= NOW + HELD_MS_MAX).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });
});

test.each([[true], [{}], [[1]], [null], [undefined], [() => 1]])("%p is not a time", (value) => {
  expect(outcome(value)).toBe("telemetry.ts_invalid");
});

describe("a time in a file of the past", () => {
  const read = (value: unknown) => {
    const ts = readFileTime(value, fileRules({ now: NOW }));
    return ts instanceof TimeFault ? ts.reason.code : ts;
  };

  test.each([
    [new Date("1971-05-01"), "1971-05-01"],
    ["1971-05-01", "1971-05-01"],
    [1767225600, "2026-01-01"],
    [1767225600000n, "2026-01-01"],
    ["1767225600", "2026-01-01"],
  ])("%p is one", (value, time) => {
    expect(read(value)).toBe(Date.parse(time));
  });

  test.each([
    [true, "telemetry.ts_invalid"],
    [null, "telemetry.ts_invalid"],
    [new Date("1969-12-31"), "telemetry.ts_before_epoch"],
    // Numbers are believed only up to the present: with the limit for dates, this one would lie in 2034.
    [2024010100, "telemetry.ts_compact"],
    ["2024010100", "telemetry.ts_compact"],
  ])("%p is none", (value, code) => {
    expect(read(value)).toBe(code);
  });
});

describe("a live message of a clock that is not set", () => {
  test.each([0, 4711, 86400000, -1, "0", "1970-01-01T00:00:10Z", 20240101])(
    "%p is of now, with a note",
    (value) => {
      const notes: string[] = [];
      expect(liveTimestamp(value, NOW, (reason) => notes.push(reason.code))).toBe(NOW);
      expect(notes).toEqual(["telemetry.ts_replaced"]);
    },
  );

  test.each(["never", "2026-02-30", true, NOW + 11 * 366 * 86_400_000])(
    "%p is refused all the same",
    (value) => {
      expect(() => liveTimestamp(value, NOW, () => undefined)).toThrow();
    },
  );
});

test("the quick reader of usual dates reads nothing else than the other one does", () => {
  const part = fc.constantFrom("2026-01-05", "2026-02-29", "2024-02-29", "2026-13-01", "20260105");
  const clock = fc.constantFrom(
    "10:00",
    "23:59:59",
    "24:00",
    "10:60",
    "1:00",
    "10:00:00.5",
    "10:00:00.123",
    "10:00:00.1234",
    "10:00:00.12",
    "10:00:00.123456789",
    "10:00:00.",
    "10:00:60",
    "",
  );
  const usual = new UsualTime();
  let count = 0;
  fc.assert(
    fc.property(
      part,
      fc.constantFrom("T", " ", "t", "  "),
      clock,
      fc.constantFrom("", "Z", "z", "+01:00", " UTC", "x"),
      (...parts) => {
        const text = parts.join("");
        if (!usual.read(text)) return;
        count++;
        expect([text, parseWrittenTime(text)]).toEqual([
          text,
          { wall: usual.wall, offsetMs: usual.isUtc ? 0 : undefined, hasTime: true },
        ]);
      },
    ),
    { numRuns: 5_000 },
  );
  expect(count).toBeGreaterThan(20);
});

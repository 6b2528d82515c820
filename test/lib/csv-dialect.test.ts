import { describe, expect, test } from "bun:test";
import { createCsvClock, dialectOf } from "../../src/lib/csv-dialect.ts";

test("the header tells the delimiter, and that the decimal sign", () => {
  expect(dialectOf("ts,a\n", {})).toEqual({
    delimiter: ",",
    decimal: "point",
    isDecimalGiven: false,
    timezone: "UTC",
  });
  expect(dialectOf("Zeit;Druck, bar;Zustand\n", {})).toEqual({
    delimiter: ";",
    decimal: "comma",
    isDecimalGiven: false,
    timezone: "UTC",
  });
  expect(dialectOf("ts;a\n", { decimal: "point", delimiter: "," })).toMatchObject({
    delimiter: ",",
    decimal: "point",
  });
});

describe("a time", () => {
  const berlin = createCsvClock("Europe/Berlin");
  test.each([
    ["2026-01-05 10:00", Date.UTC(2026, 0, 5, 9)],
    ["2026-07-05T10:00:30,25", Date.UTC(2026, 6, 5, 8, 0, 30, 250)],
    ["5.1.2026 10:00:00", Date.UTC(2026, 0, 5, 9)],
    ["05.01.2026", Date.UTC(2026, 0, 4, 23)],
    // The hour that comes twice: the first one.
    ["2026-10-25 02:30", Date.UTC(2026, 9, 25, 0, 30)],
  ])("%s without a zone is read in that of the file", (text, ts) => {
    expect(berlin(text)).toBe(ts);
  });

  test.each([
    "2026-01-05T10:00:00Z",
    "2026-01-05T10:00:00+02:00",
    "1767225600",
    "soon",
    "31.02.2026",
    "2026-01-05 25:00",
  ])("%s is left as it is", (text) => {
    expect(berlin(text)).toBe(text);
  });
});

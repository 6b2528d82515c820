import { expect, test } from "bun:test";
import { csvNumber, dialectOf } from "../../../src/lib/csv/csv-dialect.ts";

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

test.each(["\n", "\r\n", "\r"])("only the first line tells the delimiter: lines end with %j", (end) => {
  const lines = ["Zeit;Druck", "2026-01-01 00:00;1,5", "2026-01-01 00:01;1,25"].map(
    (line, row) => line + ",".repeat(row * 5),
  );
  expect(dialectOf(lines.join(end), {})).toMatchObject({ delimiter: ";", decimal: "comma" });
});

test.each(["", ".", "5.", ".5x", "12x", "1.2.3", "x1", "-", "1e", `${"9".repeat(120)}x`])(
  "%j is not a number, whichever reader sees it",
  (cell) => {
    for (const decimal of ["point", "comma"] as const)
      expect(csvNumber(cell, decimal)).toBe(cell === "5." ? 5 : undefined);
  },
);

test("a number of many digits is read like one of few", () => {
  for (const digits of [1, 15, 99, 100, 101, 120])
    expect(csvNumber("1".repeat(digits), "point")).toBe(Number("1".repeat(digits)));
});

import { expect, test } from "bun:test";
import { dialectOf } from "../../../src/lib/csv/csv-dialect.ts";

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

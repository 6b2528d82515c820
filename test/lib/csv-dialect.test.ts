import { expect, test } from "bun:test";
import { dialectOf } from "../../src/lib/csv-dialect.ts";

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

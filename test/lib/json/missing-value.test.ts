import { expect, test } from "bun:test";
import { isMissingMarker } from "../../../src/lib/json/missing-value.ts";

test.each([
  "",
  " ",
  "nan",
  "NaN",
  "-nan",
  "-nan(ind)",
  "NA",
  "N/A",
  "#N/A",
  "null",
  "NULL",
  "?",
  "-",
  "--",
  "unavailable",
  "Unknown",
  "none",
])("%p says that a value is missing", (text) => expect(isMissingMarker(text)).toBe(true));

test.each(["0", "-1", "off", "idle", "nano", "na na", "nullified", "1.5", "x"])("%p is a value", (text) =>
  expect(isMissingMarker(text)).toBe(false),
);

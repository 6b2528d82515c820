import { afterAll, describe, expect, test } from "bun:test";
import { serverText } from "../../../../src/web/platform/i18n/error-texts.ts";
import {
  formatBytes,
  formatDateRange,
  formatMark,
  formatMarks,
  formatNumber,
  zoneName,
} from "../../../../src/web/platform/i18n/format.ts";
import { loadLanguage } from "../../../../src/web/platform/i18n/i18n.ts";
import { language } from "../../../../src/web/platform/preferences.ts";

await loadLanguage("en");
await loadLanguage("de");

const before = language.value;
afterAll(() => {
  language.value = before;
});

describe("numbers", () => {
  test("whole digits are never rounded", () => {
    const numbers = [1_234_561, 1_234_567.89, 9_876_543_210_123, 528_499, -1_234_561];
    expect(numbers.map((n) => formatNumber(n))).toEqual([
      "1,234,561",
      "1,234,567.89",
      "9,876,543,210,123",
      "528,499",
      "-1,234,561",
    ]);
    expect(formatNumber(1_234_561, 5)).toBe("1,234,561");
  });

  test("keep their digits while a person can read them, and become powers of ten beyond", () => {
    language.value = "en";
    expect([1.5e14, 1.5e15, 0.00001, 1e-9, 0].map((n) => formatNumber(n))).toEqual([
      "150,000,000,000,000",
      "1.5E15",
      "0.00001",
      "1E-9",
      "0",
    ]);
  });

  test("are short at an axis in both languages", () => {
    language.value = "en";
    expect([99_999, 1_500_000, -2e6, 4e15].map(formatMark)).toEqual(["99,999", "1.5M", "-2M", "4E15"]);
    expect(formatMarks([1_500_000, 2_000_000])).toEqual(["1.5M", "2M"]);
    expect(formatMarks([21_993_200, 21_993_300])).toEqual(["21,993,200", "21,993,300"]);
    language.value = "de";
    expect(formatMark(1_500_000)).toBe("1,5\u00a0Mio.");
  });
});

describe("amounts of data", () => {
  test("count in powers of 1,024 with three digits", () => {
    language.value = "en";
    expect([0, 999, 1024, 12_345, 64 * 2 ** 20, 98_765_432_100].map((n) => formatBytes(n))).toEqual(
      ["0 B", "999 B", "1 KiB", "12.1 KiB", "64 MiB", "92 GiB"].map((text) => text.replace(" ", "\u202f")),
    );
    language.value = "de";
    expect(formatBytes(1_500_000)).toBe("1,43\u202fMiB");
    language.value = "en";
  });

  test("of the marks of an axis have the unit that fits, unless that makes two of them the same", () => {
    expect(formatMarks([0, 16_384, 32_768], "MiB")).toEqual(["0\u202fMiB", "16\u202fGiB", "32\u202fGiB"]);
    const near = ["77\u202fGiB", "76.94\u202fGiB", "76.88\u202fGiB"];
    expect(formatMarks([78_848, 78_784, 78_720], "MiB")).toEqual(near);
    const fine = ["1,024\u202fMiB", "1,024.1\u202fMiB"];
    expect(formatMarks([1_024, 1_024.1], "MiB")).toEqual(fine);
    expect(formatMarks([1, 2], "kW")).toEqual(["1\u202fkW", "2\u202fkW"]);
  });
});

test("a stretch of one day names the day and the zone once", () => {
  language.value = "en";
  const from = new Date(2026, 10, 21, 10, 2, 30).getTime();
  const range = formatDateRange(from, from + 900_000);
  expect(range).toStartWith("21 Nov 2026");
  expect(range.match(/2026/g)).toHaveLength(1);
  expect(range.split(zoneName(from))).toHaveLength(2);
  expect(range).toEndWith(zoneName(from));
});

test("a refusal is told in the reader's language, an unknown one as the server says it", () => {
  language.value = "de";
  expect(serverText({ code: "telemetry.ts_future", params: {} })).toContain("Uhr des Geräts");
  expect(serverText({ code: "something.new", params: {} }, "as the server says")).toBe("As the server says.");
});

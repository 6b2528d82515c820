import { describe, expect, test } from "bun:test";
import { alignHeader, cellsOf, plainCells, settleLayout, toReading } from "../../src/cli/csv-readings.ts";
import { dialectOf } from "../../src/lib/csv-dialect.ts";

describe("the columns of a file of sensor data", () => {
  test("the first column that looks like a time is the time", () => {
    const names = ["id", "date", "temperature"];
    const layout = settleLayout(names, ["140", "2015-02-02 14:19:00", "23.7"], {});
    expect(layout).toMatchObject({ timeColumn: 1, valueColumns: [0, 2], deviceColumn: undefined });
  });

  test("a header one shorter than its rows leaves out the row names", () => {
    const names = alignHeader(["date", "value"], ["1", "2015-02-02 14:19:00", "5"]);
    expect(names).toEqual(["row", "date", "value"]);
    expect(settleLayout(names, ["1", "2015-02-02 14:19:00", "5"], {}).valueColumns).toEqual([2]);
  });

  test("columns are named by name or number, and a wrong one is a sentence", () => {
    const names = ["a", "b", "c"];
    expect(settleLayout(names, ["1", "2", "3"], { time: "2", device: "c" })).toMatchObject({
      timeColumn: 1,
      deviceColumn: 2,
      valueColumns: [0],
    });
    expect(() => settleLayout(names, ["1", "2", "3"], { time: "d" })).toThrow('There is no column "d"');
    expect(() => settleLayout(names, ["x", "y", "z"], {})).toThrow("--time");
  });
});

describe("rows become readings", () => {
  const layout = settleLayout(["ts", "a", "b", "c", "d"], ["1458031648545", "1", "2", "3", "4"], {});

  test("numbers, texts, truth values, and nothing for what is missing", () => {
    expect(toReading(["1458031648545", "20.48", "true", "idle", "NA"], layout, plainCells)).toEqual({
      ts: 1458031648545,
      values: { a: 20.48, b: true, c: "idle" },
    });
  });

  test("seconds, dates and zones", () => {
    for (const text of [
      "1767225600",
      "1767225600000",
      "2026-01-01 00:00:00",
      "2026-01-01T00:00:00Z",
      "2026-01-01T01:00:00+01:00",
      "2026-01-01",
    ])
      expect(toReading([text, "1"], layout, plainCells)?.ts).toBe(1767225600000);
  });

  test("decimal commas, and times in the file's zone", () => {
    const german = cellsOf(dialectOf("", { decimal: "comma", timezone: "Europe/Berlin" }));
    expect(toReading(["01.07.2026 12:00", "21,5", "1.234,5", "-0,25"], layout, german)).toEqual({
      ts: Date.UTC(2026, 6, 1, 10),
      values: { a: 21.5, b: 1234.5, c: -0.25 },
    });
    expect(settleLayout(["a", "Zeit"], ["1", "01.07.2026 12:00"], {}).timeColumn).toBe(1);
  });

  test("a cell that looks like a number and is none is a sentence, and no text", () => {
    expect(() => toReading(["1767225600", "21,5"], layout, plainCells)).toThrow("--decimal");
  });

  test("a row without a time or a value is none", () => {
    expect(toReading(["soon", "1"], layout, plainCells)).toBeUndefined();
    expect(toReading(["1767225600", "", "NA"], layout, plainCells)).toBeUndefined();
  });
});

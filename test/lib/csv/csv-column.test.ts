import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CsvColumn, CsvColumns, MISSING } from "../../../src/lib/csv/csv-column.ts";
import { type DecimalSign, dialectOf, UnclearNumber } from "../../../src/lib/csv/csv-dialect.ts";

function readColumn(cells: readonly string[], decimal?: DecimalSign) {
  const column = new CsvColumn(dialectOf("a;b", { decimal }));
  for (const cell of cells) column.observe(cell);
  return cells.map((cell) => column.read(cell));
}

const alone = (cell: string, decimal: DecimalSign) => readColumn([cell], decimal)[0];

/** The values of a column, with `?` for a cell that is refused. */
const read = (...cells: string[]) =>
  readColumn(cells).map((value) => (value instanceof UnclearNumber ? "?" : value));

describe("a cell", () => {
  test.each([
    ["21.5", "point", 21.5],
    ["21.5", "comma", 21.5],
    ["21,5", "comma", 21.5],
    ["1.234,5", "comma", 1234.5],
    ["1,234.5", "point", 1234.5],
    ["1,234,567", "point", 1234567],
    ["1.234.567", "comma", 1234567],
    ["1'234.5", "point", 1234.5],
    ["2'000", "point", 2000],
    ["1\u2019234,5", "comma", 1234.5],
    ["1 234,5", "comma", 1234.5],
    ["12\u00a0345", "comma", 12345],
    ["45%", "point", 45],
    ["45,5 %", "comma", 45.5],
    ["9007199254740993", "point", "9007199254740993"],
    ["9007199254740992", "point", 9007199254740992],
    ["53462825187581690", "point", 53462825187581690],
    ["-12345678901234567890", "point", "-12345678901234567890"],
    ["007", "point", "007"],
    ["0", "point", 0],
    ["0.5", "point", 0.5],
    ["00.5", "point", 0.5],
    ["-1e3", "point", -1000],
    ["true", "point", true],
    ["", "point", undefined],
    ["run", "point", "run"],
    ["1.2.3", "point", "1.2.3"],
    ["1/2", "point", "1/2"],
    ["10:30", "point", "10:30"],
    ["10.0.0.1", "comma", "10.0.0.1"],
    ["2026-01-05", "point", "2026-01-05"],
    ["'=1+1", "point", "=1+1"],
  ] as const)("%p with a decimal %s is %p", (cell, decimal, value) => {
    expect(alone(cell, decimal)).toBe(value);
  });

  test.each([
    ["21,5", "point"],
    ["1,234", "point"],
    ["1.234,5", "point"],
    ["1,234.5", "comma"],
  ] as const)("%p with a decimal %s is unclear", (cell, decimal) => {
    expect(alone(cell, decimal)).toBeInstanceOf(UnclearNumber);
  });
});

describe("a point before three digits", () => {
  test.each([
    [
      ["1.234,5", "1.234"],
      [1234.5, 1234],
    ],
    [
      ["1.234", "12,5", "-2.500"],
      [1234, 12.5, -2500],
    ],
    [
      ["1.234", "21.5"],
      [1.234, 21.5],
    ],
    [
      ["1.234", "0.500"],
      [1.234, 0.5],
    ],
    [
      ["1.234", "1234.500"],
      [1.234, 1234.5],
    ],
    [["1.234"], ["?"]],
    [
      ["1.234", "7", "1200"],
      ["?", 7, 1200],
    ],
    [
      ["1.234", "21.5", "21,5"],
      ["?", 21.5, 21.5],
    ],
  ])("%p is read as %p", (cells, values) => {
    expect(read(...cells)).toEqual(values);
  });

  test("is what the given decimal sign says", () => {
    expect(readColumn(["1.234"], "point")).toEqual([1.234]);
    expect(readColumn(["1.234"], "comma")).toEqual([1234]);
  });

  test("names both readings when it is refused", () => {
    const [value] = readColumn(["1.234"]);
    expect(value).toMatchObject({
      rule: {
        code: "rule.number_two_ways",
        params: { cell: "1.234", decimal: 1.234, grouped: 1234, decimalText: "1,234", groupedText: "1234" },
      },
    });
  });
});

describe("a number with a tail", () => {
  test.each([
    [
      ["12,5", "12,3abc", "13"],
      [12.5, "?", 13],
    ],
    [
      ["12,5", "13 °C", "13"],
      [12.5, "?", 13],
    ],
    [
      ["12A", "12B", "13"],
      ["12A", "12B", 13],
    ],
    [
      ["1,2", "1.2.3", "1,3"],
      [1.2, "1.2.3", 1.3],
    ],
    [
      ["12", "13", "error"],
      [12, 13, "error"],
    ],
    [
      ["12", "13", "2026-01-05"],
      [12, 13, "2026-01-05"],
    ],
  ])("%p is read as %p", (cells, values) => {
    expect(read(...cells)).toEqual(values);
  });
});

test("a stream gives all rows back in order, the first ones once the columns are known", () => {
  const columns = new CsvColumns(dialectOf("a;b", {}));
  const rows = Array.from({ length: 1_500 }, (_, index) => [index === 900 ? "1.234,5" : "1.234"]);
  const values: unknown[] = [];
  const take = (ready: Iterable<string[]>) => {
    for (const [cell = ""] of ready) values.push(columns.read(cell, 0));
  };
  for (const row of rows) take(columns.add(row));
  take(columns.rest());
  expect(values).toEqual(rows.map(([cell]) => (cell === "1.234" ? 1234 : 1234.5)));
});

describe("what the column settles", () => {
  const values = (...cells: string[]) =>
    readColumn(cells, "point").map((value) =>
      value instanceof UnclearNumber ? "?" : value === MISSING ? "missing" : value,
    );

  test.each(["NA", "NaN", "nan", "null", "?", "-", "N/A", "unavailable", "unknown"])(
    "%p is not a value among numbers, and a text among texts",
    (marker) => {
      expect(values("1", marker, "2")).toEqual([1, "missing", 2]);
      expect(values("on", marker, "off")).toEqual(["on", marker, "off"]);
      expect(values(marker, marker)).toEqual(["missing", "missing"]);
    },
  );

  test("zeros in front belong to identifiers, unless the column has measured values", () => {
    expect(values("0012", "1234", "0001")).toEqual(["0012", "1234", "0001"]);
    expect(values("0012", "-3", "1.5")).toEqual([12, -3, 1.5]);
  });

  test("percentages are numbers if nearly all are", () => {
    expect(values("45 %", "50%", "")).toEqual([45, 50, undefined]);
    expect(values("45 %", "50%", "0.5")).toEqual([45, 50, "?"]);
    expect(values("0.45", "0.5", "50%")).toEqual([0.45, 0.5, "?"]);
  });

  test("digits are never changed: a number is read back as it was written, or the cell is kept as a text", () => {
    const digits = fc.stringMatching(/^-?\d{1,25}$/);
    fc.assert(
      fc.property(fc.array(digits, { minLength: 1, maxLength: 8 }), (cells) => {
        for (const [index, value] of values(...cells).entries()) {
          const cell = cells[index] ?? "";
          if (typeof value === "number" && String(value) !== cell) expect(BigInt(value)).toBe(BigInt(cell));
          else if (typeof value === "number") expect(value).toBe(Number(cell));
          else expect(value).toBe(cell);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

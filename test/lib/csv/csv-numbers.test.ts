import { expect, test } from "bun:test";
import fc from "fast-check";
import { NumberRows } from "../../../src/lib/csv/csv-numbers.ts";

const form = { columns: 2, timeColumn: 0, delimiter: ",", decimal: "point" } as const;

function open(text: string): NumberRows {
  const rows = new NumberRows(form);
  rows.open(new TextEncoder().encode(text));
  return rows;
}

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength });

test("a number has the bits that the runtime reads", () => {
  fc.assert(
    fc.property(fc.boolean(), digits(9), fc.option(digits(9)), (isNegative, whole, decimals) => {
      const cell = `${isNegative ? "-" : ""}${whole}${decimals === null ? "" : `.${decimals}`}`;
      const rows = open(`1,${cell}\n`);
      // Zeros in front may belong to an identifier.
      const isPadded = whole.length > 1 && whole.startsWith("0");
      expect(rows.next()).toBe(!isPadded && whole.length + (decimals?.length ?? 0) <= 15);
      if (rows.position > 0) expect(rows.cells[1]).toBe(Number(cell));
    }),
    { numRuns: 2_000 },
  );
});

test("stops before the first row that has another form", () => {
  for (const row of [
    "2",
    "2,3,4",
    "2,x",
    "2,",
    "2, 3",
    "2,3.",
    "2,.3",
    "2,03",
    "2,1e3",
    "é,3",
    '"2",3',
    "",
  ]) {
    const rows = open(`1,2\n${row}\n`);
    expect([row, rows.next(), rows.next(), rows.position]).toEqual([row, true, false, 4]);
  }
});

test("leaves a row alone whose end has not come", () => {
  expect(open("1,2").next()).toBe(false);
  expect(open("1,2\r").next()).toBe(false);
  expect(open("1,2\n").next()).toBe(true);
  expect(open("1,2\r\n").next()).toBe(true);
});

test("gives a time that is no whole number as it is written", () => {
  const rows = open("2026-01-05 10:00,1\n17,2\n,3\n");
  const times: unknown[] = [];
  while (rows.next()) times.push(rows.time);
  expect(times).toEqual(["2026-01-05 10:00", 17, ""]);
});

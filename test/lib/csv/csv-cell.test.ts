import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { csvCell, unguarded } from "../../../src/lib/csv/csv-cell.ts";

test("a text comes back from a CSV as it went in, and no cell begins as a formula does", () => {
  const hostile = fc.constantFrom(
    "=1+1",
    "'=1",
    "''-x",
    "+49 30",
    "-5",
    "@cmd",
    "\tx",
    "\rx",
    "\nx",
    "＝1+1",
    "＋1",
    "－1",
    "＠cmd",
    "'＝1",
    'a"b',
    "a,b\r\nc",
    "'",
    "'a",
  );
  fc.assert(
    fc.property(fc.oneof(hostile, fc.string({ minLength: 1 })), (text) => {
      const cell = csvCell(text);
      const [[read]] = parse(`${cell},end\r\n`) as [[string, string]];
      expect(unguarded(read)).toBe(text);
      expect(read).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
    }),
  );
});

import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { decodeCsv, parseCsvTable } from "../../../../src/web/features/device-import/csv-rows.ts";

test("a file as a German spreadsheet writes it is read cell by cell", () => {
  const text =
    '\uFEFFname;deviceType;label\r\n"Presse; links";press;"sagt ""an"""\r\n;;\r\n\r\nOfen;oven;\r\n';
  expect(parseCsvTable(decodeCsv(new TextEncoder().encode(text)))).toEqual({
    columns: ["name", "deviceType", "label"],
    rows: [
      ["Presse; links", "press", 'sagt "an"'],
      ["Ofen", "oven", ""],
    ],
  });
});

test("what is no UTF-8 is read as what Windows writes", () => {
  expect(decodeCsv(new Uint8Array([0x4b, 0xfc, 0x68, 0x6c, 0x65, 0x72]))).toBe("Kühler");
});

test("an empty file has no rows", () => {
  expect(parseCsvTable("")).toEqual({ columns: [], rows: [] });
});

test("rows are told apart as the gateway tells them apart", () => {
  const cell = fc.constantFrom("", "a", "b c", '"', "x,y", "line\nbreak", "ä", "-1");
  const line = fc.array(cell, { minLength: 2, maxLength: 3 });
  const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.constantFrom("\n", "\r\n"), (lines, end) => {
      const text = [["name", "label"], ...lines].map((cells) => cells.map(quoted).join(",")).join(end);
      const existing = parse(text, {
        trim: true,
        skip_empty_lines: true,
        relax_column_count: true,
      }) as string[][];
      const expected = existing.slice(1).filter((row) => row.some((value) => value !== ""));
      expect(parseCsvTable(text).rows).toEqual(expected);
    }),
  );
});

import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import type { CsvDelimiter } from "../../../src/lib/csv/csv-dialect.ts";
import { csvRecords, type TakenRows } from "../../../src/lib/csv/csv-records.ts";

const RECORD_BYTES_MAX = 200;

async function* inPieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (let turn = 0; start < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

const takeNone = () => ({ rows: [], end: 0 });

/** Takes lines that are one cell of digits. */
function takeDigits(bytes: Uint8Array): TakenRows<string[]> {
  const text = new TextDecoder("latin1").decode(bytes);
  const [taken = ""] = /^(?:\d+\r?\n)*/.exec(text) ?? [];
  const rows = taken.split(/\r?\n/).slice(0, -1);
  return { rows: rows.map((row) => [row]), end: taken.length };
}

const rowsOf = (group: Iterable<string[]> | TakenRows<string[]>): Iterable<string[]> =>
  "rows" in group ? group.rows : group;

async function read(
  text: string,
  delimiter: CsvDelimiter,
  sizes: readonly number[],
): Promise<string[][] | "malformed"> {
  const records: string[][] = [];
  const body = inPieces(new TextEncoder().encode(text), sizes);
  try {
    for await (const group of csvRecords(body, { delimiter, recordBytesMax: RECORD_BYTES_MAX }, takeDigits))
      records.push(...rowsOf(group));
  } catch {
    return "malformed";
  }
  return records;
}

function expected(text: string, delimiter: CsvDelimiter): string[][] | "malformed" {
  try {
    return parse(text, {
      ...{ delimiter, trim: true, skip_empty_lines: true, relax_column_count: true },
      record_delimiter: ["\r\n", "\n", "\r"],
      max_record_size: RECORD_BYTES_MAX,
    });
  } catch {
    return "malformed";
  }
}

const plain = ["1", "23", "2.5", "a", "é", "°", "\u00a0", ".", "-", ",", ";", ",", " ", "\t", "\f", "\ufeff"];
const cells = (more: readonly string[]) =>
  fc.array(fc.constantFrom(...plain, ...more), { maxLength: 60 }).map((parts) => parts.join(""));
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const delimiter = fc.constantFrom<CsvDelimiter>(",", ";", "\t");

test.each([
  ["lines that end with LF", ["\n", "\n"]],
  ["lines that end with CR LF", ["\r\n", "\r\n"]],
  ["lines of digits", ["\n1", "\n12\n", "34\n", "\n"]],
  ["lines of digits that end with CR LF", ["\r\n1", "\r\n12\r\n", "34\r\n"]],
  ["lines that end in any way", ["\n", "\r\n", "\r"]],
  ["quotes", ["\n", '"', '"', ',"', '",', '""']],
])("reads the same as csv-parse: %s", async (_name, more) => {
  await fc.assert(
    fc.asyncProperty(cells(more), delimiter, sizes, async (text, sign, pieces) => {
      expect(await read(text, sign, pieces)).toEqual(expected(text, sign));
    }),
    { numRuns: 1_000 },
  );
});

test("a record that is longer than allowed is malformed, with or without quotes", async () => {
  const long = "x".repeat(2 * RECORD_BYTES_MAX);
  for (const text of [`a,b\n${long}\n`, `a,b\n"${long}"\n`, long])
    expect([text.length, await read(text, ",", [64])]).toEqual([text.length, "malformed"]);
});

test("a file of one piece is read in groups, between which the event loop may turn", async () => {
  const text = "1,2\n".repeat(100_000);
  const bytes = new TextEncoder().encode(text);
  const groups: number[] = [];
  const options = { delimiter: ",", recordBytesMax: 1_000 } as const;
  for await (const group of csvRecords(inPieces(bytes, [bytes.length]), options, takeNone))
    groups.push([...rowsOf(group)].length);
  expect(groups.reduce((sum, count) => sum + count, 0)).toBe(100_000);
  expect(Math.max(...groups)).toBeLessThan(20_000);
});

test("a long line that comes in small pieces is searched once", async () => {
  const long = "7".repeat(1_000_000);
  const groups: number[] = [];
  const body = inPieces(new TextEncoder().encode(`a\n${long}\n`), [2]);
  for await (const group of csvRecords(body, { delimiter: ",", recordBytesMax: 2_000_000 }, takeNone))
    for (const [cell = ""] of rowsOf(group)) groups.push(cell.length);
  expect(groups).toEqual([1, long.length]);
});

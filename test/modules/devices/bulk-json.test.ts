import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseRows } from "../../../src/modules/devices/bulk/bulk-json.ts";

const parsed = (text: string) => parseRows(new TextEncoder().encode(text));
const codeOf = (text: string) =>
  parsed(text).then(
    () => "taken",
    ({ code }) => code,
  );
const listOf = (rows: readonly string[]) => `{"rows":[${rows.join(",")}]}`;

test("a list is what JSON.parse makes of it, however long its rows are and whatever stands around it", async () => {
  const row = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 });
  const long = fc
    .record({ row, length: fc.constantFrom(0, 10, 20_000, 40_000) })
    .map(({ row: fields, length }) => ({ ...fields, long: '["rows":[{,'.repeat(length / 10) }));
  const body = fc.record({ before: fc.jsonValue(), rows: fc.array(long, { maxLength: 8 }), after: row });
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom(undefined, 1), async (content, indent) => {
      expect(await parsed(JSON.stringify(content, null, indent))).toEqual(
        JSON.parse(JSON.stringify(content.rows)),
      );
    }),
  );
});

test("long integers keep their digits", async () => {
  const [row] = await parsed(listOf(['{"attributes.shared.serial":12345678901234567890}']));
  expect(row).toEqual({ "attributes.shared.serial": "12345678901234567890" });
});

test.each([
  ["body.malformed", "{"],
  ["body.malformed", '{"rows":['],
  ["body.malformed", '{"rows":[{}]'],
  ["body.malformed", '{"rows":[{},]}'],
  ["body.malformed", `{"rows":[${"{},".repeat(20_000)}]}`],
  ["body.malformed", '{"rows":[{}}'],
  ["body.malformed", '{"rows":[{}],"a":"'],
  ["body.malformed", '{"rows":[{}]} x'],
  ["bulk.rows_missing", "[]"],
  ["bulk.rows_missing", '{"a":{"rows":[{}]}}'],
  ["bulk.rows_missing", '{"rows":{}}'],
  ["bulk.rows_missing", '{"rows":[1]}'],
  ["bulk.rows_missing", '{"rows":[{}],"rows":[{"name":"x"}]}'],
  ["bulk.row_too_large", listOf([`{"a":"${"x".repeat(1_100_000)}"}`])],
  ["body.too_many_objects", listOf(['{"a":[]}', ...Array(125_000).fill('{"a":[]}')])],
  ["taken", '{"rows":[]}'],
  ["taken", listOf(Array(100_000).fill('{"name":"x"}'))],
])("%s: %#", async (code, text) => {
  expect(await codeOf(text)).toBe(code);
});

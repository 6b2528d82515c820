import { expect, test } from "bun:test";
import fc from "fast-check";
import { isLongerJson, jsonPieces, ReadList } from "../../../src/lib/json/json-pieces.ts";

const textOf = (value: unknown): string => [...jsonPieces(value)].join("");

/** More than one piece. */
const long = "x".repeat(40_000);

test("pieces of any value are its JSON", () => {
  const leaf = fc.oneof(
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined, long, new Date(0), Number.NaN, "é".repeat(20_000)),
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie("value"), { maxLength: 6 }),
      fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("__proto__", "toString")), tie("value"), {
        maxKeys: 6,
      }),
    ),
  }));
  fc.assert(
    fc.property(value, (any) => expect(textOf(any)).toBe(JSON.stringify(any) ?? "null")),
    { numRuns: 500 },
  );
});

test("a large value of small parts is many pieces of bounded length", () => {
  const value = { rows: Array.from({ length: 20_000 }, (_, index) => ({ index, name: `row ${index}` })) };
  const pieces = [...jsonPieces(value)];
  expect(pieces.join("")).toBe(JSON.stringify(value));
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(64 * 1024);
});

test("a list that is read has the text of its items, which are created piece by piece", () => {
  let created = 0;
  class Numbers extends ReadList<{ item: number }> {
    readonly length = 20_000;
    *[Symbol.iterator]() {
      for (let item = 0; item < this.length; item++, created++) yield { item };
    }
  }
  const value = { before: 1, list: new Numbers(), empty: [] };
  const text = JSON.stringify(value);
  expect(JSON.parse(text).list).toHaveLength(20_000);
  expect(textOf(value)).toBe(text);
  created = 0;
  const pieces = jsonPieces(value);
  for (let piece = 0; piece < 3; piece++) pieces.next();
  expect(created).toBeLessThan(10_000);
});

test("the length of a text is judged without making it", () => {
  expect(isLongerJson({ a: [1, 2, 3] }, 100)).toBe(false);
  expect(isLongerJson(Array(1_000).fill("ten letters"), 10_000)).toBe(true);
});

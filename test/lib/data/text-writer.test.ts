import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { TextWriter } from "../../../src/lib/data/text-writer.ts";

function written(write: (writer: TextWriter) => void): string {
  const writer = new TextWriter();
  write(writer);
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(writer.bytes());
}
const exactText = (value: number) => (Object.is(value, -0) ? "-0" : String(value));

describe("a number is written as its shortest text", () => {
  const edges = [
    0,
    -0,
    1e15,
    999_999_999_999_999,
    2 ** 53,
    1e21,
    1e-7,
    1e-6,
    0.1 + 0.2,
    5e-324,
    1.7976931348623157e308,
    123_456_789.123456,
    999_999_999.999999,
    1_000_000_000,
    1_764_000_000_000,
    Number.NaN,
    Number.NEGATIVE_INFINITY,
  ];
  test.each(edges)("%p", (value) => {
    expect(written((writer) => writer.number(value))).toBe(exactText(value));
  });

  test("whatever its bits", () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        expect(written((writer) => writer.number(value))).toBe(exactText(value));
      }),
      { numRuns: 2_000 },
    );
  });

  test("with few decimals, as sensors send them", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.integer({ min: 0, max: 9 }), (whole, decimals) => {
        const value = whole / 10 ** decimals;
        expect(written((writer) => writer.number(value))).toBe(exactText(value));
      }),
      { numRuns: 2_000 },
    );
  });
});

test("texts of every script and length follow one another", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 200 })), (texts) => {
      const text = written((writer) => {
        for (const part of texts) writer.text(part);
      });
      expect(text).toBe(texts.join(""));
    }),
  );
});

test("the buffer grows and can be taken back", () => {
  const writer = new TextWriter();
  writer.text("kept");
  writer.text("ä".repeat(100_000));
  writer.truncate(4);
  for (let count = 0; count < 100_000; count++) writer.byte(0x2e);
  writer.raw(new TextEncoder().encode("end"));
  expect(new TextDecoder().decode(writer.bytes())).toBe(`kept${".".repeat(100_000)}end`);
  writer.truncate();
  expect(writer.length).toBe(0);
});

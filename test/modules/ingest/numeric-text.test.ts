import { expect, test } from "bun:test";
import fc from "fast-check";
import { withNumbers } from "../../../src/modules/ingest/ingest.service.ts";

const convert = (value: unknown) => withNumbers([{ ts: 1, values: { a: value as string } }])[0]?.values.a;

test("a finite number written without an exponent is itself again, up to 2^53", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      const text = String(number);
      fc.pre(
        !/e/.test(text) &&
          Math.abs(number) <= Number.MAX_SAFE_INTEGER &&
          (text.split(".")[1] ?? "").length <= 20,
      );
      expect(convert(text)).toBe(Number(text));
    }),
  );
});

test("whatever else stays as it is, to the character", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const converted = convert(text);
      if (typeof converted === "number") expect(text).toMatch(/^-?(0|[1-9][0-9]*)([.][0-9]+)?$/);
      else expect(converted).toBe(text);
    }),
  );
});

test("a whole number beyond 2^53 stays a text", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n }), (number) => {
      expect(convert(String(number))).toBe(String(number));
      expect(convert(String(-number))).toBe(String(-number));
    }),
  );
});

test("a key that is called __proto__ is only a name", () => {
  const values = JSON.parse('{"__proto__": "1", "b": "2"}');
  const [reading] = withNumbers([{ ts: 1, values }]);
  expect(Object.entries(reading?.values ?? {})).toEqual([
    ["__proto__", 1],
    ["b", 2],
  ]);
});

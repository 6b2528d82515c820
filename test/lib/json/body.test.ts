import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DomainError } from "../../../src/lib/core/domain-error.ts";
import { decodeBody, EncodedObject, encodeBody, encodeStored } from "../../../src/lib/json/body.ts";

const lenient = (text: string) => decodeBody(Buffer.from(text), "LENIENT_JSON");

describe("lenient JSON", () => {
  const rows: [string, string, unknown][] = [
    ["a trailing comma", '{"a":1,}', { a: 1 }],
    ["single quotes", "{'a':'b'}", { a: "b" }],
    ["names without quotes", "{temperature: 21.5}", { temperature: 21.5 }],
    ["NaN and infinities as null", "{a: NaN, b: -Infinity, c: 1}", { a: null, b: null, c: 1 }],
    ["NULs at the end", '{"a":1}\0\0', { a: 1 }],
    ["a number with a plus sign and a bare point", "{a:+1, b:.5}", { a: 1, b: 0.5 }],
  ];
  for (const [name, text, value] of rows)
    test(`has ${name}`, () => {
      expect(lenient(text)).toEqual(value);
      expect(() => decodeBody(Buffer.from(text), "JSON")).toThrow(DomainError);
    });

  test("reads all JSON as it is", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(lenient(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test("refuses everything else as malformed, however deep or long", () => {
    for (const text of ["{", "'", "[".repeat(60_000), `{a:${"1".repeat(70_000)},}`, "{a:1}{b:2}", "\0"])
      expect(() => lenient(text)).toThrow(DomainError);
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          lenient(text);
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError);
        }
      }),
    );
  });
});

test("an object of encoded members is the same as the object encoded whole", () => {
  const stored: Array<[string, string]> = [
    ["plain", '{"a":[1,null,"ä"]}'],
    ["list", "[{},{}]"],
    ['a "quoted" name', "-1.5"],
  ];
  const many = Array.from({ length: 300 }, (_, index): [string, string] => [`key ${index}`, String(index)]);
  for (const encoding of ["JSON", "CBOR", "AUTO"] as const)
    for (const members of [[], stored, many]) {
      const encoded = members.map(([name, text]) => [name, encodeStored(encoding, text)] as const);
      const bytes = encodeBody(encoding, new EncodedObject(encoding, encoded));
      const decoded = decodeBody(bytes, encoding) as Record<string, unknown>;
      expect(Object.entries(decoded)).toEqual(members.map(([name, text]) => [name, JSON.parse(text)]));
    }
});

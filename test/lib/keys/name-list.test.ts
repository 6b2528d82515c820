import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseNames, writeNames } from "../../../src/lib/keys/name-list.ts";

test.each([
  ["a,b", ["a", "b"]],
  ['"U L1,L2",b', ["U L1,L2", "b"]],
  ['a,"say ""hi"""', ["a", 'say "hi"']],
  ['5" pipe,b', ['5" pipe', "b"]],
  ['"a,b', ['"a', "b"]],
  [",", []],
  ["", []],
  ["a,,b,", ["a", "b"]],
])("%s is read", (text, names) => expect(parseNames(text)).toEqual(names));

test("every list of names is read back", () => {
  const names = fc.array(fc.string({ minLength: 1, unit: fc.constantFrom('"', ",", "a", " ", "é") }));
  fc.assert(
    fc.property(names, (list) => expect(parseNames(writeNames(list))).toEqual(list)),
    { numRuns: 1_000 },
  );
});

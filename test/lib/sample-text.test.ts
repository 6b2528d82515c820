import { expect, test } from "bun:test";
import { sampleText } from "../../src/lib/sample-text.ts";

test.each([
  ["UTF-8", '{"t":"21 °C"}', '{"t":"21 °C"}'],
  ["a NUL at the end", '{"nul":1}\0', '{"nul":1}\\x00'],
  ["Latin-1", Buffer.from('{"unit":"\xb0C"}', "latin1"), '{"unit":"\\xb0C"}'],
  ["UTF-16", Buffer.from('\ufeff{"a":1}', "utf16le"), '{"a":1}'],
  ["a character that is cut", `${"a".repeat(255)}é`, "a".repeat(255)],
  ["bytes", Buffer.from([1, 2, 3, 250]), "hex 010203fa"],
])("%s", (_, body, text) => expect(sampleText(Buffer.from(body))).toBe(text));

import { expect, test } from "bun:test";
import { encode as cbor } from "cbor-x";
import { sampleText } from "../../src/lib/sample-text.ts";

test.each([
  ["UTF-8", '{"t":"21 °C"}', '{"t":"21 °C"}'],
  ["a NUL at the end", '{"nul":1}\0', '{"nul":1}\\x00'],
  ["Latin-1", Buffer.from('{"unit":"\xb0C"}', "latin1"), '{"unit":"\\xb0C"}'],
  ["UTF-16", Buffer.from('\ufeff{"a":1}', "utf16le"), '{"a":1}'],
  ["a character that is cut", `${"a".repeat(255)}é`, "a".repeat(255)],
  ["bytes", Buffer.from([1, 2, 3, 250]), "hex 010203fa"],
  ["controls of a terminal", "aaaaaaa\x1b[31m\u009b", "aaaaaaa\\x1b[31m\\xc2\\x9b"],
  ["controls in UTF-16", Buffer.from('\ufeff{"a":"\x1b[2J"}', "utf16le"), '{"a":"\\x1b[2J"}'],
  ["what turns text around", "aaaaaaaaaaaaaaaa\u202eb", "aaaaaaaaaaaaaaaa\\xe2\\x80\\xaeb"],
  ["a secret", '{"secretKey":"7HK4-WQ2M","durationMs":"x"}', '{"secretKey":"*********","durationMs":"x"}'],
  [
    "a secret that is cut",
    `{"${"n".repeat(230)}":1,"password":"${"p".repeat(40)}`,
    expect.not.stringContaining("ppppp"),
  ],
  ["a secret that is a number", '{"secretKey": 123456}', '{"secretKey": ******}'],
  ["a long secret", '{"deviceToken":"abcdefghijklmnop"}', '{"deviceToken":"abcd************"}'],
  ["a secret in UTF-16", Buffer.from('\ufeff{"token":"abcdefgh"}', "utf16le"), '{"token":"********"}'],
  ["a secret in CBOR", cbor({ provisionDeviceSecret: "abcdefgh" }), expect.stringContaining("********")],
  ["a secret in CBOR that is cut", cbor({ token: "z".repeat(300) }), expect.not.stringContaining("zzzzz")],
])("%s", (_, body, text) => expect(sampleText(Buffer.from(body))).toEqual(text));

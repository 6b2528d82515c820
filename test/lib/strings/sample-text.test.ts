import { expect, test } from "bun:test";
import { encode as cbor } from "cbor-x";
import { sampleText } from "../../../src/lib/strings/sample-text.ts";

test.each([
  ["UTF-8", '{"t":"21 °C"}', '{"t":"21 °C"}'],
  ["a NUL at the end", '{"nul":1}\0', '{"nul":1}\\x00'],
  ["Latin-1", Buffer.from('{"unit":"\xb0C"}', "latin1"), '{"unit":"\\xb0C"}'],
  ["UTF-16", Buffer.from('\ufeff{"a":1}', "utf16le"), '{"a":1}'],
  ["a truncated character", `${"a".repeat(255)}é`, "a".repeat(255)],
  ["bytes", Buffer.from([1, 2, 3, 250]), "hex 010203fa"],
  ["controls of a terminal", "aaaaaaa\x1b[31m\u009b", "aaaaaaa\\x1b[31m\\xc2\\x9b"],
  ["controls in UTF-16", Buffer.from('\ufeff{"a":"\x1b[2J"}', "utf16le"), '{"a":"\\x1b[2J"}'],
  ["what turns text around", "aaaaaaaaaaaaaaaa\u202eb", "aaaaaaaaaaaaaaaa\\xe2\\x80\\xaeb"],
  ["a secret", '{"secretKey":"7HK4-WQ2M","durationMs":"x"}', '{"secretKey":"*********","durationMs":"x"}'],
  [
    "a truncated secret",
    `{"${"n".repeat(230)}":1,"password":"${"p".repeat(40)}`,
    expect.not.stringContaining("ppppp"),
  ],
  ["a secret that is a number", '{"secretKey": 123456}', '{"secretKey": ******}'],
  ["a long secret", '{"deviceToken":"abcdefghijklmnop"}', '{"deviceToken":"abcd************"}'],
  ["a secret in UTF-16", Buffer.from('\ufeff{"token":"abcdefgh"}', "utf16le"), '{"token":"********"}'],
  ["a secret in CBOR", cbor({ provisionDeviceSecret: "abcdefgh" }), expect.stringContaining("********")],
  ["a secret in truncated CBOR", cbor({ token: "z".repeat(300) }), expect.not.stringContaining("zzzzz")],
])("%s", (_, body, text) => expect(sampleText(Buffer.from(body))).toEqual(text));

const SECRET = "Zq9Kf7Lm2Xw8Rt5Y";
const text = (head: number, bytes: string | Uint8Array) =>
  Buffer.concat([Buffer.from([head]), Buffer.from(bytes)]);
/** CBOR of a map with one field. */
const field = (name: string, ...value: Uint8Array[]) =>
  Buffer.concat([Buffer.from([0xa1]), text(0x60 + name.length, name), ...value]);

test.each([
  ["without quotes", `{"token":${SECRET}}`],
  ["of YAML", `password: ${SECRET}`],
  ["of a form", `user=a&password=${SECRET}&b=2`],
  ["of line protocol, in a field", `m token="${SECRET}" 1`],
  ["of line protocol, in a tag", `m,token=${SECRET} a=1`],
  ["of Python, as text", `{u'token': u'${SECRET}'}`],
  ["of Python, as bytes", `{'token': b'${SECRET}'}`],
  ["of JSON within JSON", JSON.stringify({ data: JSON.stringify({ token: SECRET }) })],
  [
    "of JSON two levels deep",
    JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ token: SECRET }) }) }),
  ],
  ["in a list", `{"tokens":["${SECRET}"],"a":1}`],
  ["in an object", `{"password":{"value":"${SECRET}"},"a":1}`],
  ["in a path", `GET /api/v1/${SECRET}/telemetry`],
  ["in an address", `mqtt://user:${SECRET}@broker`],
  ["in a query", `/write?token=${SECRET}`],
  ["in an encoded query", `a%22token%22%3A%22${SECRET}%22`],
  ["of a header", `Authorization: Bearer ${SECRET}`],
  ["of a header of basic authentication", `Authorization: Basic ${btoa(`user:${SECRET}`)}`],
  ["of XML", `<password>${SECRET}</password>`],
  ["of an API key", `{"api_key":"${SECRET}"}`],
  ["of LoRaWAN", `{"appKey":"${SECRET}"}`],
  ["with a short name", `{"pass":"${SECRET}"}`],
  ["of CBOR, as bytes", field("token", text(0x50, SECRET))],
  [
    "of CBOR with a length of 32 bits",
    field("token", text(0x7a, Buffer.from([0, 0, 0, 16])), Buffer.from(SECRET)),
  ],
  [
    "of CBOR with a length of 64 bits",
    field("token", Buffer.from([0x7b, 0, 0, 0, 0, 0, 0, 0, 16]), Buffer.from(SECRET)),
  ],
  [
    "of CBOR in pieces",
    field(
      "token",
      Buffer.from([0x7f]),
      text(0x63, SECRET.slice(0, 3)),
      text(0x6d, SECRET.slice(3)),
      Buffer.from([0xff]),
    ),
  ],
  [
    "of CBOR in pieces, behind a byte that looks like their end",
    field("token", Buffer.from([0x5f, 0x41, 0xff]), text(0x50, SECRET), Buffer.from([0xff])),
  ],
  ["of CBOR with a tag, in a list", field("token", Buffer.from([0x81, 0xd8, 32]), text(0x70, SECRET))],
  ["of base64", `{"data":"${btoa(`{"token":"${SECRET}"}`)}"}`],
  ["of hexadecimal digits", Buffer.from(`{"token":"${SECRET}"}`).toString("hex")],
])("masks a secret %s", (_, body) => {
  const shown = sampleText(Buffer.from(body));
  const end = SECRET.slice(6);
  for (const form of [
    end,
    Buffer.from(end).toString("hex"),
    btoa(SECRET).slice(8, 20),
    btoa(`user:${SECRET}`).slice(8, 20),
  ])
    expect(shown).not.toContain(form);
  expect(shown).toMatch(/\*\*|2a2a/);
});

test.each([
  '{"token":null,"password":true}',
  '{"passwordChanged":5,"compass":312,"tokens left":3}',
  '{"key":"temperature","t":21.5}',
  "GET /api/v1/integrations/generic/telemetry",
  "2026-11-27T10:00:00Z the device has sent no telemetry for a while",
])("shows what is not a secret: %s", (body) => {
  expect(sampleText(Buffer.from(body))).toBe(body);
});

test("the message itself keeps its secrets", () => {
  const body = Buffer.from('{"token":"abcdefghijklmnop"}');
  sampleText(body);
  expect(body.toString()).toContain("abcdefghijklmnop");
});

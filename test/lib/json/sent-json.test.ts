import { describe, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { DomainError } from "../../../src/lib/core/domain-error.ts";
import { decodeBody } from "../../../src/lib/json/body.ts";
import { exactInteger } from "../../../src/lib/json/exact-integer.ts";
import { parseJson, parseLenient } from "../../../src/lib/json/sent-json.ts";

const RUNS = { numRuns: 1_000 };

const codeOf = (bytes: Uint8Array | string, encoding: "AUTO" | "LENIENT_JSON" = "AUTO"): string => {
  try {
    decodeBody(Buffer.from(bytes), encoding);
    return "it was taken";
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
};

describe("numbers keep their digits", () => {
  const rows: Array<[string, unknown]> = [
    ['{"serial":12345678901234567890}', { serial: "12345678901234567890" }],
    ['{"n":9007199254740993}', { n: "9007199254740993" }],
    ['{"n":-9007199254740993}', { n: "-9007199254740993" }],
    ['{"n":9007199254740992,"m":12345678901234567000}', { n: 9007199254740992, m: 12345678901234567000 }],
    ['{"a":[1,{"b":9007199254740993}]}', { a: [1, { b: "9007199254740993" }] }],
    [`{"n":${"9".repeat(400)}}`, { n: "9".repeat(400) }],
    ...Array.from({ length: 16 }, (_, blanks): [string, unknown] => [
      `[0.${"9".repeat(40)},${" ".repeat(blanks)}9007199254740993]`,
      [1, "9007199254740993"],
    ]),
    [
      '{"text":"12345678901234567890","n":0.12345678901234567891}',
      { text: "12345678901234567890", n: Number("0.12345678901234567891") },
    ],
  ];
  test.each(rows)("%s", (text, value) => {
    expect(parseJson(text)).toEqual(value);
    expect(parseLenient(text)).toEqual(value);
  });

  test("of any length, in JSON and in what is like JSON", () => {
    const digits = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String);
    fc.assert(
      fc.property(digits, fc.integer({ min: 1, max: 40 }), (long, length) => {
        const number = long.slice(0, length).replace(/^-?$/, "0");
        for (const value of [
          (parseJson(`{"a":[${number}]}`) as { a: unknown[] }).a[0],
          (parseLenient(`{a:[${number},]}`) as { a: unknown[] }).a[0],
        ])
          if (typeof value === "string") expect(value).toBe(number);
          else if (String(value) !== number) expect(BigInt(value as number)).toBe(BigInt(number));
      }),
      RUNS,
    );
  });

  test("in CBOR", () => {
    // {"a": 2^64 - 1}
    expect(decodeBody(Buffer.from("a161611bffffffffffffffff", "hex"), "AUTO")).toEqual({
      a: 18446744073709551615n,
    });
  });
});

describe("names that occur twice are noted", () => {
  const notesOf = (text: string): string[] => {
    const notes: string[] = [];
    parseJson(text, ({ params }) => void notes.push(String(params.names)));
    return notes;
  };

  test.each([
    ['{"a":1,"a":2}', ['"a"']],
    ['{"a":1, "b" : {"c":1,"c":2}}', ['"c"']],
    ['{"a":"x\\":","b":"a:b"}', []],
    ['[{"a":1},{"a":2}]', []],
    ['{"a":{"a":{"a":1}}}', []],
    ['{"a":1,"\\u0061":2}', ['"a"']],
  ])("%s", (text, names) => expect(notesOf(text)).toEqual(names));

  const name = fc.constantFrom("a", "b", "c", 'x":', "\\", "ts", "é");
  const space = fc.constantFrom("", " ", "\n\t");
  const { value: objectText } = fc.letrec<{ value: { text: string; isRepeated: boolean } }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc
        .constantFrom("1", "null", '"a"', '"{\\":\\"}"', "[]", "{}")
        .map((text) => ({ text, isRepeated: false })),
      fc.array(tie("value"), { maxLength: 3 }).map((items) => ({
        text: `[${items.map(({ text }) => text).join(",")}]`,
        isRepeated: items.some(({ isRepeated }) => isRepeated),
      })),
      fc.array(fc.tuple(name, space, tie("value")), { maxLength: 4 }).map((members) => ({
        text: `{${members.map(([key, gap, { text }]) => `${JSON.stringify(key)}${gap}:${gap}${text}`).join(",")}}`,
        isRepeated:
          new Set(members.map(([key]) => key)).size < members.length ||
          members.some(([, , { isRepeated }]) => isRepeated),
      })),
    ),
  }));

  test("wherever they are, and no others", () => {
    fc.assert(
      fc.property(objectText, ({ text, isRepeated }) => {
        expect([text, notesOf(text).length > 0]).toEqual([text, isRepeated]);
        expect(parseJson(text, () => undefined)).toEqual(JSON.parse(text));
      }),
      RUNS,
    );
  });
});

describe("a body that is refused says what it is", () => {
  test.each([
    ["nan", '{"temperature":nan,"humidity":40}', "body.lenient"],
    ["NUL at the end", '{"nul":1}\0', "body.nul_at_end"],
    ["UTF-16 with its mark", Buffer.from("\ufeff{}", "utf16le"), "body.utf16"],
    ["UTF-16 without", Buffer.from('{"a":1}', "utf16le"), "body.utf16"],
    ["UTF-16, big-endian", Buffer.from('{"a":1}', "utf16le").swap16(), "body.utf16"],
    ["Latin-1", Buffer.from('{"unit":"\xb0C"}', "latin1"), "body.not_utf8"],
    ["half an object", '{"a":', "body.malformed"],
    ["text", "hello", "body.malformed"],
  ])("%s", (_, bytes, code) => expect(codeOf(bytes)).toBe(code));

  test("and what is no number is null for the lenient reader", () => {
    for (const none of [
      "nan",
      "NaN",
      "-nan",
      "NAN",
      "inf",
      "-Infinity",
      "nan(0x8)",
      "-nan(ind)",
      "1.#QNAN",
      "-1.#IND",
    ])
      expect(decodeBody(Buffer.from(`{"t":${none},"nan":"nan",h:40}`), "LENIENT_JSON")).toEqual({
        t: null,
        nan: "nan",
        h: 40,
      });
  });
});

test.each([
  ["strings that do not end", '"\\'.repeat(32_000)],
  ["comments that do not end", "/* ".repeat(21_000)],
  ["65 lists in one another", `${"[".repeat(65)}nan${"]".repeat(65)}`],
])("%s are no lenient JSON", (_, text) => {
  expect(() => decodeBody(Buffer.from(text), "LENIENT_JSON")).toThrow("well-formed JSON");
});

test("deep lists around no number are refused for their depth, before they are read", () => {
  const text = `${"[".repeat(31_000)}nan${"]".repeat(31_000)}`;
  expect(() => decodeBody(Buffer.from(text), "LENIENT_JSON")).toThrow("nested too deeply");
});

test("64 lists in one another, strings and comments that end are lenient JSON", () => {
  const deep = `${"[".repeat(64)}nan${"]".repeat(64)}`;
  expect(JSON.stringify(decodeBody(Buffer.from(deep), "LENIENT_JSON"))).toBe(deep.replace("nan", "null"));
  const text = `/* [ " */ {'a"b': '\\'[nan', // ]]\n "c": "'", d: 12345678901234567890,}`;
  expect(decodeBody(Buffer.from(text), "LENIENT_JSON")).toEqual({
    'a"b': "'[nan",
    c: "'",
    d: "12345678901234567890",
  });
});

test("long integers keep their digits wherever they stand, and nothing else changes", () => {
  const token = fc.oneof(
    fc.constantFrom(
      "1234567890123456789",
      "-9007199254740993",
      "9007199254740993e2",
      "0.12345678901234567890",
    ),
    fc.constantFrom(
      '"1234567890123456789"',
      '"\\"1234567890123456789,"',
      "1e-1234567890123456",
      "9007199254740992",
      "1",
    ),
    fc.string().map((text) => JSON.stringify(text)),
  );
  const json = fc.letrec<{ any: string }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      token,
      fc.array(tie("any"), { maxLength: 4 }).map((items) => `[${items.join(" , ")}]`),
      fc
        .array(fc.tuple(fc.oneof(fc.string(), fc.constant("1234567890123456789")), tie("any")), {
          maxLength: 4,
        })
        .map(
          (fields) =>
            `{${fields.map(([name, item], index) => `${JSON.stringify(name + index)} :${item}`).join(",")}}`,
        ),
    ),
  }));
  const expected = (text: string) =>
    (JSON.parse as (text: string, reviver: (...part: unknown[]) => unknown) => unknown)(
      text,
      (_, value, context) => {
        const { source } = context as { source?: string };
        return typeof value === "number" && source !== undefined && /^-?\d+$/.test(source)
          ? exactInteger(source)
          : value;
      },
    );
  fc.assert(
    fc.property(json.any, (text) => expect(parseJson(text)).toEqual(expected(text))),
    { numRuns: 2_000 },
  );
  for (const text of [
    "01234567890123456789",
    "{1234567890123456789:1}",
    `{1234567890123456789${" ".repeat(100)}:1}`,
    "+1234567890123456789",
    "1234567890123456789 2",
  ])
    expect(() => parseJson(text)).toThrow();
});

test("of a long body, repeated names of its first items are noted, and doubles stay numbers", () => {
  const item = (index: number) => `{"a": ${index * 0.1}, "b": 1, "a": ${index + 0.5}}`;
  const text = `[${Array.from({ length: 1_000 }, (_, index) => item(index)).join(", ")}]`;
  const notes: string[] = [];
  const value = parseJson(text, ({ params }) => notes.push(String(params.names)));
  expect([value, notes]).toEqual([JSON.parse(text), ['"a"']]);
  const single = JSON.stringify(Array.from({ length: 1_000 }, (_, index) => ({ a: index / 3 })));
  expect(parseJson(single, () => notes.push("more"))).toEqual(JSON.parse(single));
  expect(notes).toHaveLength(1);
});

test("a long text that is not JSON is parsed once, whatever is wrong with it", () => {
  const long = 100_000;
  const texts = [`{${'"a":1,'.repeat(long / 6)}`, `[${"1,".repeat(long / 2)}`, `{"a":"${"x".repeat(long)}`];
  for (const text of texts) {
    const parse = spyOn(JSON, "parse");
    const code = codeOf(text);
    const parsed = parse.mock.calls.filter(([given]) => String(given).length > long / 2).length;
    parse.mockRestore();
    expect({ code, parsed }).toEqual({ code: "body.malformed", parsed: 1 });
  }
  expect(codeOf(`${JSON.stringify({ a: "x".repeat(long) })}\0`)).toBe("body.nul_at_end");
});

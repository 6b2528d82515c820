// Senders must not be able to make a message cost more work and memory than its length justifies.
import { describe, expect, test } from "bun:test";
import { Encoder } from "cbor-x/encode";
import fc from "fast-check";
import { decodeBody } from "../../../src/lib/json/body.ts";
import { checkCbor } from "../../../src/lib/json/cbor-check.ts";
import { countNames } from "../../../src/lib/json/sent-json.ts";

const decode = (bytes: Uint8Array) => decodeBody(bytes, "CBOR");
const refused = expect.objectContaining({ code: "body.malformed" });

function refusalOf(bytes: Uint8Array): unknown {
  try {
    return decode(bytes);
  } catch (error) {
    return error;
  }
}

/** Bytes of diagnostic parts: numbers are bytes, texts are text strings of less than 24 characters. */
const cbor = (...parts: Array<number | string | Uint8Array>) =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === "string"
        ? Buffer.from([0x60 + part.length, ...Buffer.from(part)])
        : typeof part === "number"
          ? Buffer.from([part])
          : part,
    ),
  );
const long = (count: number) =>
  cbor(0x9a, ...[24, 16, 8, 0].map((shift) => (count >> shift) & 0xff), Buffer.alloc(count));
const bignum = (size: number) => cbor(0xa1, "a", 0xc2, 0x59, size >> 8, size & 0xff, Buffer.alloc(size, 1));

/** Arrays that each name the one before twice (value sharing): every level doubles what comes out. */
function doublings(levels: number): Buffer {
  const parts = [Buffer.from([0x80 + levels, 0xd8, 28, 0x82, 1, 1])];
  for (let level = 1; level < levels; level++)
    parts.push(Buffer.from([0xd8, 28, 0x82, 0xd8, 29, level - 1, 0xd8, 29, level - 1]));
  return Buffer.concat(parts);
}

const mapOf = (names: number): Buffer =>
  new Encoder({ useRecords: false }).encode(
    Object.fromEntries(Array.from({ length: names }, (_, index) => [`n${index}`, 1])),
  );

test.each([
  // Each of ten maps is an item, and so is the list.
  ["maps", (count: number) => Buffer.concat([Buffer.from([0x8a]), ...Array(10).fill(mapOf(count / 20 - 1))])],
  [
    "a list without a length",
    (count: number) => Buffer.concat([Buffer.from([0x9f]), Buffer.alloc(count), Buffer.from([0xff])]),
  ],
])("CBOR has at most 100,000 items: %s", (_, bytesOf) => {
  expect(refusalOf(bytesOf(99_980))).not.toBeInstanceOf(Error);
  expect(refusalOf(bytesOf(100_020))).toMatchObject({ code: "body.too_many_items", kind: "too_large" });
});

test("a map of CBOR has at most 10,000 names, also without a length", () => {
  expect(refusalOf(mapOf(10_000))).not.toBeInstanceOf(Error);
  const tooMany = { code: "body.too_many_names", kind: "too_large", params: { max: 10_000 } };
  expect(refusalOf(mapOf(10_001))).toMatchObject(tooMany);
  const entries = (count: number) =>
    Buffer.concat([Buffer.from([0xbf]), Buffer.alloc(2 * count), Buffer.from([0xff])]);
  expect(refusalOf(entries(10_000))).not.toBeInstanceOf(Error);
  expect(refusalOf(entries(10_001))).toMatchObject(tooMany);
});

test("bytes of long numbers count as items, because each takes a step to decode", () => {
  const numbers = (count: number) => {
    const number = cbor(0xc2, 0x58, 120, Buffer.alloc(120, 0xff));
    return cbor(0x9f, ...Array.from({ length: count }, () => number), 0xff);
  };
  expect(refusalOf(numbers(800))).toHaveLength(800);
  expect(refusalOf(numbers(830))).toMatchObject({ code: "body.too_many_items" });
});

describe("CBOR is refused, before it is decoded,", () => {
  test.each([
    ["when its parts stand for one another", doublings(3)],
    ["when they double two dozen times", doublings(23)],
    ["when it has a table of packed values", cbor(0xd8, 51, 0x84, 0x80, 0x80, 0x80, 0xa1, "a", 0xc6, 0x00)],
    ["when it names a class", cbor(0xa1, "a", 0xd8, 27, 0x82, "RegExp", "(a+)+$")],
    ["when it defines records", cbor(0xd8, 105, 0x83, 0x19, 0xe0, 0x00, 0x81, "a", 0x01)],
    ["when a number is longer than any double", bignum(129)],
    ["when a number is no bytes", cbor(0xa1, "a", 0xc2, 0x81, 0x01)],
    ["when it is nested ten thousand deep", Buffer.alloc(10_000, 0x81)],
    ["when tags are nested ten thousand deep", Buffer.alloc(10_000, 0xc1)],
    ["when it announces four billion items", cbor(0x9a, 0xff, 0xff, 0xff, 0xff, 0x01)],
    ["when it announces more bytes than come", cbor(0xa1, "a", 0x5b, 0, 0, 0, 1, 0, 0, 0, 0, 0x01)],
    ["when it ends within a length", cbor(0xa1, "a", 0x1b, 0x00)],
    ["when a length is none", cbor(0xa1, "a", 0x1c)],
    ["when a map is a name", cbor(0xa1, 0xa1, "t", 1, 1)],
    ["when a name has no value", cbor(0xbf, "t", 0xff)],
    ["when it ends with a break that nothing waits for", cbor(0x82, 0x01, 0xff)],
  ])("%s", (_, bytes) => {
    expect(refusalOf(bytes)).toEqual(refused);
  });
});

describe("CBOR is decoded as ever", () => {
  const encoder = new Encoder({ useRecords: false, structuredClone: false });
  test.each<[string, unknown]>([
    ["maps and arrays", { a: [1, -1, 24, 256, 65_536, 2 ** 40, 1.5, -0.1], b: { c: [] }, d: {} }],
    ["texts", { short: "ä", long: "x".repeat(70_000), "": "" }],
    ["booleans and null", [true, false, null]],
    ["integers of 64 bits", { a: 2n ** 60n, b: -(2n ** 60n) }],
  ])("with %s", (_, value) => {
    expect(decode(encoder.encode(value))).toEqual(value);
  });
  test.each<[string, Uint8Array, unknown]>([
    ["of unknown length", cbor(0xbf, "a", 0x9f, 0x01, 0x02, 0xff, 0xff), { a: [1, 2] }],
    ["with a long number", bignum(9), { a: 0x010101010101010101n }],
    ["with a decimal fraction", cbor(0xa1, "a", 0xc4, 0x82, 0x21, 0x19, 0x6a, 0xb3), { a: 273.15 }],
    ["that says that it is CBOR", cbor(0xd9, 0xd9, 0xf7, 0xa1, "a", 0x01), { a: 1 }],
    ["with a date", cbor(0xa1, "a", 0xc1, 0x00), { a: new Date(0) }],
  ])("%s", (_, bytes, value) => {
    expect(decode(bytes)).toEqual(value);
  });
});

describe("names that a CBOR map has more than once", () => {
  const noted = (bytes: Uint8Array): string[] => {
    const names: string[] = [];
    decodeBody(bytes, "CBOR", ({ params }) => void names.push(String(params.names)));
    return names;
  };

  test.each([
    ["in the outer map", cbor(0xa2, "t", 1, "t", 2), ['"t"']],
    ["in an inner map", cbor(0xa1, "a", 0x81, 0xa3, "t", 1, "u", 1, "t", 2), ['"t"']],
    ["in a map without a length", cbor(0xbf, "t", 1, "t", 2, 0xff), ['"t"']],
    ["as a number and as a text", cbor(0xa2, 1, 1, "1", 2), ['"1"']],
    ["behind bytes and tags", cbor(0xa3, "b", 0x42, 1, 2, "t", 0xc1, 1, "t", 0x9f, 1, 0xff), ['"t"']],
    ["in none of two maps", cbor(0x82, 0xa1, "t", 1, 0xa1, "t", 2), []],
    ["in a map behind an empty one", cbor(0xa3, "a", 0xbf, 0xff, "t", 1, "t", 2), ['"t"']],
    [
      "behind 70,000 bytes",
      cbor(0xa3, "b", 0x5a, 0, 1, 0x11, 0x70, Buffer.alloc(70_000), "t", 1, "t", 2),
      ['"t"'],
    ],
  ])("are noted %s", (_, bytes, names) => {
    expect(noted(bytes)).toEqual(names);
  });

  interface Part {
    readonly bytes: Buffer;
    readonly repeated: readonly string[];
  }
  const name = fc.constantFrom("a", "b", "c", "ts", "");
  const { part } = fc.letrec<{ part: Part }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 4 },
      fc
        .constantFrom(cbor(1), cbor("t"), cbor(0x42, 0xa1, 0xff), cbor(0xf6), cbor(0xfa, 0, 0, 0, 0))
        .map((bytes) => ({ bytes, repeated: [] })),
      tie("part").map(({ bytes, repeated }) => ({ bytes: cbor(0xd9, 0xd9, 0xf7, bytes), repeated })),
      fc.tuple(fc.array(tie("part"), { maxLength: 3 }), fc.boolean()).map(([items, isEndless]) => ({
        bytes: framed(
          items.map(({ bytes }) => bytes),
          isEndless ? [0x9f, 0xff] : [0x80 + items.length],
        ),
        repeated: items.flatMap(({ repeated }) => repeated),
      })),
      fc
        .tuple(fc.array(fc.tuple(name, tie("part")), { maxLength: 5 }), fc.boolean())
        .map(([fields, isEndless]) => ({
          bytes: framed(
            fields.map(([key, { bytes }]) => cbor(key, bytes)),
            isEndless ? [0xbf, 0xff] : [0xa0 + fields.length],
          ),
          repeated: fields.flatMap(([key, { repeated }], index) =>
            fields.findIndex(([first]) => first === key) < index ? [key, ...repeated] : repeated,
          ),
        })),
    ),
  }));

  function framed(items: readonly Buffer[], [head, ...end]: readonly number[]): Buffer {
    return cbor(head ?? 0, ...items, ...end);
  }

  test("are noted, and no others, whatever the message", () => {
    fc.assert(
      fc.property(part, ({ bytes, repeated }) => {
        const expected = [...new Set(repeated)].map((key) => JSON.stringify(key)).toSorted();
        const names = noted(bytes).flatMap((names) => names.split(", "));
        expect([bytes.toString("hex"), names.toSorted()]).toEqual([bytes.toString("hex"), expected]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("are looked for in no key, so that nested keys are not decoded once per level", () => {
    let key = cbor(0xc4, 0x82, 0x01, long(1_000));
    for (let level = 0; level < 80; level++) key = cbor(0xc4, 0x82, 0x01, 0xa2, key, 0x00, "t", 0x00);
    const message = cbor(0xa2, key, 0x00, "t", 0x00);
    const keys: number[] = [];
    checkCbor(message, (from, to) => keys.push(to - from));
    expect(keys).toEqual([key.byteLength, 2]);
    expect(noted(message)).toEqual([]);
  });

  test("are not looked for among the bytes of a value", () => {
    expect(countNames({ a: Buffer.alloc(60_000), b: [new Float64Array(9)] })).toBe(2);
  });

  test("are not noted in what another encoder writes", () => {
    const encoder = new Encoder({ useRecords: false });
    const value = fc.anything({ withDate: true, withTypedArray: true, maxDepth: 4 });
    fc.assert(
      fc.property(fc.dictionary(fc.string({ maxLength: 3 }), value), (message) => {
        const names = noted(new Uint8Array(encoder.encode(JSON.parse(JSON.stringify(message)))));
        expect(names).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });
});

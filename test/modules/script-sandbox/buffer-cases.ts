import fc from "fast-check";

/** Expressions over `Buffer`, as codecs write them and as nobody would, for a comparison with Node's. */

const encodings = [
  "utf8",
  "UTF-8",
  "hex",
  "base64",
  "base64url",
  "latin1",
  "binary",
  "ascii",
  "ucs2",
  "utf16le",
  "nope",
];
const texts = [
  "",
  "a",
  "ab",
  "abcdefgh",
  "über",
  "€😀",
  "0102ff",
  "0102f",
  "YWJj",
  "YW Jj=",
  "_-8",
  "\\ud83d",
  "\\u0000",
  "zz",
];
const numbers = [
  "0",
  "1",
  "2",
  "3",
  "5",
  "-1",
  "-3",
  "255",
  "256",
  "300",
  "1.5",
  "NaN",
  "Infinity",
  "-1.9",
  "undefined",
];

const literal = (text: string) => `"${text}"`;
const text = fc.constantFrom(...texts.map(literal));
const wanted = fc.constantFrom(...texts.filter((sample) => sample !== "").map(literal));
const encoding = fc.constantFrom(...encodings.map(literal), "undefined");
const number = fc.constantFrom(...numbers);
const bytes = fc
  .array(fc.integer({ min: 0, max: 255 }), { maxLength: 12 })
  .map((list) => `Buffer.from([${list.join(",")}])`);
const textBytes = fc.tuple(text, encoding).map(([value, kind]) => `Buffer.from(${value}, ${kind})`);
const buffer = fc.oneof(bytes, textBytes);
const value = fc.oneof(
  text,
  number,
  buffer,
  fc.constantFrom("null", "true", "'1'", "new Uint8Array([1, 2])", "{}", "[1]"),
);

const call = (name: string, ...args: ReadonlyArray<fc.Arbitrary<string>>) =>
  fc
    .tuple(buffer, fc.tuple(...args), fc.nat(args.length))
    .map(([of, given, count]) => `${of}.${name}(${given.slice(0, count).join(", ")})`);
const change = (name: string, ...args: ReadonlyArray<fc.Arbitrary<string>>) =>
  fc
    .tuple(buffer, fc.tuple(...args), fc.nat(args.length))
    .map(
      ([of, given, count]) =>
        `(() => { const b = ${of}; return [b.${name}(${given.slice(0, count).join(", ")}), b]; })()`,
    );
const factory = (name: string, ...args: ReadonlyArray<fc.Arbitrary<string>>) =>
  fc
    .tuple(fc.tuple(...args), fc.nat(args.length))
    .map(([given, count]) => `Buffer.${name}(${given.slice(0, count).join(", ")})`);

const kinds = [
  "UInt8",
  "Int8",
  "Uint16LE",
  "UInt16BE",
  "Int16LE",
  "Int16BE",
  "UInt32LE",
  "Uint32BE",
  "Int32LE",
  "Int32BE",
  "FloatLE",
  "FloatBE",
  "DoubleLE",
  "DoubleBE",
];
const bigKinds = ["BigInt64LE", "BigInt64BE", "BigUInt64LE", "BigUint64BE"];
const sizedKinds = ["UIntLE", "UintBE", "UIntBE", "IntLE", "IntBE"];
const size = fc.oneof(number, fc.constantFrom("4", "6", "7"));
const needles = ["Buffer.from([1])", "Buffer.from([1,0])", '"\\u0001"', "1"];
const starts = ["0", "1", "2", "3", "-1", "-3", "9", "undefined"];
const haystacks = ["[1]", "[1,0,1,0]", "[9,1,0,1,0]", "[0,1,0,1,0,1,0]"];
/** Searches in units of two bytes, from every start, with an odd byte. */
const units = fc.constantFrom(
  ...["indexOf", "lastIndexOf", "includes"].flatMap((name) =>
    needles.flatMap((needle) =>
      starts.flatMap((start) =>
        haystacks.map((bytes) => `Buffer.from(${bytes}).${name}(${needle}, ${start}, "ucs2")`),
      ),
    ),
  ),
);
const ofKind = (make: (kind: string) => fc.Arbitrary<string>, names: readonly string[]) =>
  fc.constantFrom(...names).chain(make);

export const bufferExpression: fc.Arbitrary<string> = fc.oneof(
  factory("from", value, fc.oneof(encoding, number), number),
  factory("alloc", number, value, encoding),
  factory(
    "concat",
    fc.array(buffer, { maxLength: 3 }).map((list) => `[${list.join(",")}]`),
    number,
  ),
  factory("byteLength", value, encoding),
  factory("isEncoding", fc.oneof(encoding, number)),
  factory("compare", value, value),
  factory("isBuffer", value),
  factory("of", number, number),
  call("toString", encoding, number, number),
  call("toJSON"),
  call("equals", value),
  call("compare", value, number, number, number, number),
  call("slice", number, number),
  call("subarray", number, number),
  // With nothing to look for, and with an odd number of bytes in UTF-16, Node and Bun differ.
  call("indexOf", wanted, fc.oneof(number, encoding), encoding),
  call("indexOf", value, number),
  call(
    "lastIndexOf",
    fc.oneof(number, fc.constantFrom('"a"', '"ab"', '"über"', "Buffer.from([1])", "null", "true")),
    fc.oneof(number, encoding),
    encoding,
  ),
  call("includes", wanted, number, encoding),
  call("includes", value, number),
  units,
  change("fill", value, fc.oneof(number, encoding), fc.oneof(number, encoding), encoding),
  change("write", value, fc.oneof(number, encoding), fc.oneof(number, encoding), encoding),
  change("copy", buffer, number, number, number),
  change("swap16"),
  change("swap32"),
  change("swap64"),
  ofKind((kind) => call(`read${kind}`, number), [...kinds, ...bigKinds]),
  ofKind((kind) => change(`write${kind}`, number, number), kinds),
  ofKind(
    (kind) => change(`write${kind}`, fc.oneof(number, fc.constantFrom("1n", "-1n", "2n ** 63n")), number),
    bigKinds,
  ),
  ofKind((kind) => call(`read${kind}`, number, size), sizedKinds),
  ofKind((kind) => change(`write${kind}`, number, number, size), sizedKinds),
  buffer.map((of) => `${of}.map((byte) => byte + 1)`),
  buffer.map((of) => `[...${of}.entries()]`),
);

/** JavaScript that evaluates expressions and returns what each of them is, or that it is an error of what kind. */
export const observe = `(function (expressions) {
  const show = (value) => {
    if (typeof Buffer === "function" && Buffer.isBuffer(value)) return "Buffer " + Array.from(value).join(" ");
    if (typeof value === "bigint") return value + "n";
    if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
    if (Array.isArray(value)) return "[" + value.map(show).join(", ") + "]";
    if (typeof value === "object" && value !== null) return JSON.stringify(value);
    return typeof value === "string" ? JSON.stringify(value) : String(value);
  };
  return expressions.map((expression) => {
    try { return show((0, eval)(expression)); } catch (error) { return error instanceof RangeError ? "RangeError" : error instanceof TypeError ? "TypeError" : String(error); }
  });
})`;

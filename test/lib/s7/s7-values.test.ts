import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Scaling, shortestFloat } from "../../../src/lib/field/number-scaling.ts";
import { byteLength, parseS7Address, S7_TYPES, type S7Address } from "../../../src/lib/s7/s7-address.ts";
import { planS7 } from "../../../src/lib/s7/s7-plan.ts";
import { decodeS7, encodeS7, S7ValueError } from "../../../src/lib/s7/s7-values.ts";

const addressFrom = (text: string): S7Address => {
  const address = parseS7Address(text);
  if (address === undefined) throw new Error(text);
  return address;
};

/** Writes a value as the connection does, into bytes with something else in them. */
function written(address: S7Address, value: unknown, scaling: Scaling = {}): unknown {
  const encoded = encodeS7(address, value, scaling);
  if (typeof encoded === "boolean") return encoded;
  const bytes = Buffer.alloc(byteLength(address), 0xaa);
  bytes.set(encoded.bytes, encoded.skip);
  return decodeS7(address, bytes, scaling)[0];
}

/** Values that are equal, except for the zeros, which integers have only once. */
const same = (value: number) => (value === 0 ? 0 : value);

describe("a value", () => {
  const numbers: Record<string, fc.Arbitrary<number>> = {
    BYTE: fc.integer({ min: 0, max: 255 }),
    SINT: fc.integer({ min: -128, max: 127 }),
    USINT: fc.integer({ min: 0, max: 255 }),
    WORD: fc.integer({ min: 0, max: 65_535 }),
    INT: fc.integer({ min: -32_768, max: 32_767 }),
    UINT: fc.integer({ min: 0, max: 65_535 }),
    DWORD: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    TIME: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    DINT: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    UDINT: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    LINT: fc.maxSafeInteger(),
    LWORD: fc.maxSafeNat(),
    ULINT: fc.maxSafeNat(),
    REAL: fc.float({ noNaN: true, noDefaultInfinity: true }).map(shortestFloat),
    LREAL: fc.double({ noNaN: true, noDefaultInfinity: true }),
  };
  test.each(Object.entries(numbers))("of type %s is read as it was written", (type, values) => {
    fc.assert(
      fc.property(values, (value) => {
        expect(same(written(addressFrom(`DB1,${type}0`), value) as number)).toBe(same(value));
      }),
    );
  });

  test.each(["INT", "UINT", "DINT", "REAL", "LREAL"])(
    "of type %s is scaled back as it is written",
    (type) => {
      const factor = fc.constantFrom(0.1, 0.5, 2, -4, 10);
      fc.assert(
        fc.property(fc.nat(1_000), factor, fc.integer({ min: -100, max: 100 }), (raw, scale, offset) => {
          const scaling = { scale, offset };
          const value = decodeS7(
            addressFrom("DB1,INT0"),
            Buffer.of(raw >> 8, raw & 0xff),
            scaling,
          )[0] as number;
          expect(value).toBeCloseTo(raw * scale + offset, 9);
          expect(written(addressFrom(`DB1,${type}0`), value, scaling)).toBeCloseTo(value, 4);
        }),
      );
    },
  );

  test("of type CHAR is read as it was written, and filled up with spaces", () => {
    const text = fc.string({
      unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
      maxLength: 8,
    });
    fc.assert(
      fc.property(text, (value) => {
        expect(written(addressFrom("DB1,C0.8"), value)).toBe(value);
      }),
    );
    expect(encodeS7(addressFrom("DB1,C0.4"), "AB")).toMatchObject({ skip: 0, bytes: Buffer.from("AB  ") });
  });

  test("that is a text is read as it was written, and its greatest length stays", () => {
    const text = fc.string({
      unit: fc.integer({ min: 32, max: 255 }).map((code) => String.fromCharCode(code)),
      maxLength: 20,
    });
    fc.assert(
      fc.property(text, (value) => {
        expect(written(addressFrom("DB1,S0.20"), value)).toBe(value);
      }),
    );
    expect(encodeS7(addressFrom("DB1,S0.20"), "AB")).toMatchObject({ skip: 1 });
  });

  test.each([
    ["DB1,INT0", 32_768],
    ["DB1,INT0", 1.5],
    ["DB1,BYTE0", -1],
    ["DB1,R0", 1e39],
    ["DB1,R0", "1"],
    ["DB1,X0.0", 2],
    ["DB1,S0.3", "long"],
    ["DB1,S0.3", "€"],
    ["DB1,S0.3", 1],
    ["DB1,LI0", 2 ** 53],
  ])("of %s cannot be %p", (address, value) => {
    expect(() => encodeS7(addressFrom(address), value)).toThrow(S7ValueError);
  });
});

test("any bytes are values or none, and no text is longer than its place", () => {
  const type = fc.constantFrom(...S7_TYPES);
  fc.assert(
    fc.property(type, fc.uint8Array({ minLength: 64, maxLength: 64 }), (of, bytes) => {
      const text = of === "BOOL" ? "DB1,X0.3" : of === "STRING" ? "DB1,S0.62" : `DB1,${of}0`;
      const address = addressFrom(text);
      for (const value of decodeS7(address, bytes.subarray(0, byteLength(address)))) {
        if (typeof value === "number") expect(Number.isFinite(value)).toBe(true);
        if (typeof value === "string") expect(value.length).toBeLessThanOrEqual(62);
      }
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["DB1,DT0", "2613291420301231"],
  ["DB1,DT0", "26ff291420301231"],
  ["DB1,DTL0", "07ea0d1d010e141e00000000"],
  ["DB1,R0", "7fc00000"],
  ["DB1,LR0", "7ff0000000000000"],
])("%s with %s is no value", (address, hex) => {
  expect(decodeS7(addressFrom(address), Buffer.from(hex, "hex"))).toEqual([undefined]);
});

test("a plan reads the bytes of every entry, in ranges of at most 200 bytes unless an entry is longer", () => {
  const entry = fc
    .record({
      db: fc.integer({ min: 1, max: 3 }),
      byte: fc.nat(900),
      type: fc.constantFrom("INT", "LR", "X", "S"),
    })
    .map(({ db, byte, type }) =>
      addressFrom(`DB${db},${type}${byte}${type === "X" ? ".1" : type === "S" ? ".250" : ""}`),
    );
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 80 }), (entries) => {
      const ranges = planS7(entries, (address) => address).flat();
      expect(ranges.flatMap((range) => range.entries)).toHaveLength(entries.length);
      for (const { range, entries: own } of ranges) {
        if (own.length > 1) expect(range.count).toBeLessThanOrEqual(200);
        for (const address of own) {
          expect(address.db).toBe(range.db);
          expect(address.byte).toBeGreaterThanOrEqual(range.byte);
          expect(address.byte + byteLength(address)).toBeLessThanOrEqual(range.byte + range.count);
        }
      }
    }),
  );
});

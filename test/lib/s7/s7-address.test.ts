import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  byteLength,
  elementOf,
  elementSize,
  parseS7Address,
  S7_TYPES,
  type S7Address,
  type S7Type,
} from "../../../src/lib/s7/s7-address.ts";

const ofBits = (bits: number) => S7_TYPES.filter((type) => elementSize({ type, length: 0 }) * 8 === bits);

const address: fc.Arbitrary<S7Address> = fc
  .record({
    area: fc.constantFrom("DB" as const, "M" as const, "I" as const, "Q" as const),
    db: fc.integer({ min: 1, max: 65_535 }),
    byte: fc.nat(60_000),
    bit: fc.nat(7),
    type: fc.constantFrom(...S7_TYPES),
    length: fc.integer({ min: 1, max: 254 }),
    count: fc.integer({ min: 1, max: 256 }),
  })
  .map((fields) => ({
    ...fields,
    db: fields.area === "DB" ? fields.db : 0,
    bit: fields.type === "BOOL" ? fields.bit : 0,
    length: fields.type === "STRING" ? fields.length : 0,
  }))
  .filter((fields) => byteLength(fields) <= 2_048 && (fields.area === "DB" || fields.type !== "STRING"));

/** As the library writes it. */
function inLibrary({ db, byte, bit, type, length, count }: S7Address): string {
  const first = type === "BOOL" ? `.${bit}` : type === "STRING" ? `.${length}` : "";
  return `DB${db},${type === "BOOL" ? "X" : type}${byte}${first}${count === 1 ? "" : `.${count}`}`;
}

/** As TIA Portal writes it, without arrays. */
function inTia({ area, db, byte, bit, type, length }: S7Address): string {
  const prefix = area === "DB" ? `%DB${db}.DB` : `%${area}`;
  if (type === "BOOL") return `${prefix}${area === "DB" ? "X" : ""}${byte}.${bit}`;
  const size = type === "STRING" ? 8 : elementSize({ type, length: 0 }) * 8;
  const width = { 16: "W", 32: "D" }[size] ?? "B";
  return `${prefix}${width}${byte}:${type}${type === "STRING" ? `[${length}]` : ""}`;
}

test("every address of a block is what the library's notation says", () => {
  fc.assert(
    fc.property(address, (of) => {
      if (of.area === "DB") expect(parseS7Address(inLibrary(of))).toEqual(of);
    }),
    { numRuns: 2_000 },
  );
});

test("every address of one value is what TIA Portal's notation says, in either case", () => {
  fc.assert(
    fc.property(address, fc.boolean(), (of, isLower) => {
      const single = { ...of, count: 1 };
      const text = inTia(single);
      expect(parseS7Address(isLower ? text.toLowerCase() : text)).toEqual(single);
    }),
    { numRuns: 2_000 },
  );
});

test("the elements of an array lie one after the other within its bytes", () => {
  fc.assert(
    fc.property(address, (of) => {
      const places = Array.from({ length: of.count }, (_, index) => {
        const { byte, bit } = elementOf(of, index);
        return byte * 8 + bit;
      });
      const step = of.type === "BOOL" ? 1 : elementSize(of) * 8;
      for (const [index, place] of places.entries()) expect(place - (places[0] ?? 0)).toBe(index * step);
      expect((places.at(-1) ?? 0) / 8).toBeLessThan(of.byte + byteLength(of));
    }),
  );
});

describe("notations", () => {
  test.each([
    ["DB1,REAL4", "%DB1.DBD4:REAL"],
    ["DB1,X0.1", "DB1.DBX0.1"],
    ["DB10,S20.30", "%DB10.DBB20:STRING[30]"],
    ["MW10", "%MW10"],
    ["MR4", "%MD4:REAL"],
    ["M0.1", "%M0.1"],
    ["E0.0", "%I0.0"],
    ["AW2", "%QW2"],
    ["IDI4", "%ID4:DINT"],
    ["DB1,DW8", "%DB1.DBD8"],
  ])("%s is %s", (library, tia) => {
    expect(parseS7Address(library)).toBeDefined();
    expect(parseS7Address(tia)).toEqual(parseS7Address(library));
  });

  test.each([
    "",
    "DB0,INT0",
    "DB1,INT",
    "DB1,X0",
    "DB1,X0.8",
    "DB1,INT0.0",
    "DB1,INT0.257",
    "DB1,S0",
    "DB1,S0.255",
    "DB1,INT65535",
    "DB1,LREAL0.256.2",
    "DB1.DBX0",
    "DB1.DBW0.1",
    "DB1.DBW0:REAL",
    "DB1.DBB0:STRING",
    "%MW10:REAL",
    "MS0.10",
    "PI0.0",
    "PQW256",
    "PAB1",
    "T5",
    "C5",
    "DB1,constructor0",
    "%__proto__0",
    "DB1,INT0;DB2,INT0",
    "DB1,INT0 DB2",
    "DB99999,INT0",
  ])("%p is none", (text) => {
    expect(parseS7Address(text)).toBeUndefined();
  });

  test("hostile texts are refused, and never throw", () => {
    const piece = fc.constantFrom(
      "DB",
      "1",
      ",",
      ".",
      "%",
      ":",
      "[",
      "]",
      "X",
      "REAL",
      "M",
      "-",
      "9",
      "\0",
      "é",
      "🙂",
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 40 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, (of) => {
        const parsed = parseS7Address(of);
        if (parsed === undefined) return;
        for (const field of [parsed.byte, parsed.db, parsed.bit, parsed.count, parsed.length])
          expect(Number.isSafeInteger(field)).toBe(true);
        expect(byteLength(parsed)).toBeLessThanOrEqual(2_048);
      }),
      { numRuns: 5_000 },
    );
  });

  test("has types of every size", () => {
    const types: readonly S7Type[] = ofBits(64);
    expect(types).toContain("LREAL");
  });
});

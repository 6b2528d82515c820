import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { BYTE_ORDERS, type RegisterType, sizeOf } from "../../../src/lib/modbus/modbus-lists.ts";
import {
  decodeRegister,
  encodeRegister,
  type RegisterSpec,
  RegisterValueError,
} from "../../../src/lib/modbus/register-values.ts";

const spec = (type: RegisterType, fields: Partial<RegisterSpec> = {}): RegisterSpec => ({
  area: "HOLDING_REGISTER",
  address: 0,
  type,
  ...fields,
});

/** Values of each type that its registers can have. */
const values: Record<RegisterType, fc.Arbitrary<number | string | boolean>> = {
  INT16: fc.integer({ min: -0x8000, max: 0x7fff }),
  UINT16: fc.integer({ min: 0, max: 0xffff }),
  INT32: fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff }),
  UINT32: fc.integer({ min: 0, max: 0xffff_ffff }),
  INT64: fc.maxSafeInteger(),
  UINT64: fc.maxSafeNat(),
  FLOAT32: fc.float({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
  FLOAT64: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
  BCD16: fc.integer({ min: 0, max: 9_999 }),
  BCD32: fc.integer({ min: 0, max: 99_999_999 }),
  STRING: fc.string({ unit: fc.constantFrom(..."ABCxyz0189-_."), maxLength: 8 }),
  BOOL: fc.boolean(),
};

for (const [type, arbitrary] of Object.entries(values) as [RegisterType, fc.Arbitrary<never>][])
  test(`a written ${type} is read back in every order of bytes`, () => {
    fc.assert(
      fc.property(arbitrary, fc.constantFrom(...BYTE_ORDERS), (value, order) => {
        const register = spec(type, { order, ...(type === "STRING" && { length: 4 }) });
        const words = encodeRegister(register, value);
        expect(words).toHaveLength(sizeOf(register));
        for (const word of words) expect(Number.isInteger(word) && word >= 0 && word <= 0xffff).toBe(true);
        const back = decodeRegister(register, words);
        if (type === "FLOAT32") expect(Math.fround(Number(back))).toBe(Math.fround(value));
        else expect(back).toBe(value);
      }),
    );
  });

describe("values of known bytes", () => {
  const rows: [string, RegisterSpec, number[], unknown][] = [
    ["a float with the most significant byte first", spec("FLOAT32"), [0x4366, 0x8000], 230.5],
    ["a float with swapped words", spec("FLOAT32", { order: "CDAB" }), [0x8000, 0x4366], 230.5],
    ["a float with swapped bytes", spec("FLOAT32", { order: "BADC" }), [0x6643, 0x0080], 230.5],
    ["a little-endian float", spec("FLOAT32", { order: "DCBA" }), [0x0080, 0x6643], 230.5],
    ["a float as the shortest decimal number", spec("FLOAT32"), [0x3dcc, 0xcccd], 0.1],
    ["a scaled value without noise", spec("UINT16", { scale: 0.1 }), [2_311], 231.1],
    ["an offset after the factor", spec("INT16", { scale: 0.5, offset: -40 }), [100], 10],
    ["a negative number", spec("INT16", { scale: 0.1 }), [0xff38], -20],
    ["packed decimal digits", spec("BCD32"), [0x1234, 0x5678], 12_345_678],
    ["no decimal digits", spec("BCD16"), [0x12ab], undefined],
    ["the mark of no value", spec("INT16", { absent: -32_768 }), [0x8000], undefined],
    ["a float that is no number", spec("FLOAT32"), [0x7fc0, 0], undefined],
    ["one bit", spec("UINT16", { bit: 5 }), [0b10_0000], true],
    ["a cleared bit", spec("UINT16", { bit: 4 }), [0b10_0000], false],
    ["three bits", spec("UINT16", { bit: 4, bits: 3 }), [0b101_0000], 5],
    ["bits of the upper word", spec("UINT32", { bit: 16, bits: 4 }), [0x000b, 0], 11],
    ["a text up to its NUL", spec("STRING", { length: 4 }), [0x5055, 0x4d50, 0x0041, 0x4243], "PUMP"],
    ["a text without trailing blanks", spec("STRING", { length: 2 }), [0x4120, 0x2020], "A"],
    ["a register as a boolean", spec("BOOL"), [2], true],
  ];
  for (const [name, register, words, value] of rows)
    test(`${name} is read`, () => expect<unknown>(decodeRegister(register, words)).toEqual(value));
});

describe("a value that cannot be written", () => {
  const rows: [string, RegisterSpec, unknown][] = [
    ["a number out of range", spec("INT16"), 40_000],
    ["a negative number to an unsigned type", spec("UINT32"), -1],
    ["a text to a number", spec("INT16"), "7"],
    ["no number", spec("FLOAT32"), Number.NaN],
    ["a number to a coil", { area: "COIL", address: 0, type: "BOOL" }, 2],
    ["a text that is too long", spec("STRING", { length: 1 }), "abc"],
    ["a field of bits", spec("UINT16", { bit: 1 }), true],
  ];
  for (const [name, register, value] of rows)
    test(`${name} is refused`, () =>
      expect(() => encodeRegister(register, value)).toThrow(RegisterValueError));

  test("a scaled value is rounded to the nearest raw value", () => {
    expect(encodeRegister(spec("UINT16", { scale: 0.1 }), 21.5)).toEqual([215]);
    expect(encodeRegister(spec("UINT16", { scale: 0.1 }), 0.3)).toEqual([3]);
  });
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  DataType,
  DataValue,
  LocalizedText,
  StatusCodes,
  Variant,
  VariantArrayType,
} from "node-opcua-client";
import type { OpcUaScalar } from "../../../src/platform/opcua/opcua.calls.ts";
import { ELEMENTS_MAX, readOf, variantOf } from "../../../src/platform/opcua/opcua-variants.ts";

const scalar = (dataType: DataType, value: unknown) =>
  new Variant({ dataType, arrayType: VariantArrayType.Scalar, value });
const array = (dataType: DataType, value: unknown) =>
  new Variant({ dataType, arrayType: VariantArrayType.Array, value });
const valueIn = (value: Variant) => readOf(new DataValue({ value })).value;
/** Writes a value in the type of a present one, and reads it back. */
const written = (dataType: DataType, present: unknown, value: OpcUaScalar) =>
  valueIn(variantOf(scalar(dataType, present), value));

const integers: [DataType, unknown, number, number][] = [
  [DataType.SByte, 0, -0x80, 0x7f],
  [DataType.Byte, 0, 0, 0xff],
  [DataType.Int16, 0, -0x8000, 0x7fff],
  [DataType.UInt16, 0, 0, 0xffff],
  [DataType.Int32, 0, -0x8000_0000, 0x7fff_ffff],
  [DataType.UInt32, 0, 0, 0xffff_ffff],
  [DataType.Int64, [0, 0], Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  [DataType.UInt64, [0, 0], 0, Number.MAX_SAFE_INTEGER],
];

describe.each(integers)("an integer of type %p", (type, present, min, max) => {
  test("is written and read back as it is", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (number) => {
        const value = min + (Math.abs(number) % (max - min + 1));
        expect(written(type, present, value)).toBe(value);
      }),
    );
    expect([written(type, present, min), written(type, present, max)]).toEqual([min, max]);
  });

  test.each([min - 1, max + 1, 0.5, Number.NaN, "1", true])("is never %p", (value) => {
    expect(() => written(type, present, value)).toThrow(`type:${DataType[type]}`);
  });
});

test("64 bits that are no exact number are the text of their digits", () => {
  const all = 0xffff_ffff;
  expect(valueIn(scalar(DataType.UInt64, [all, all]))).toBe("18446744073709551615");
  expect(valueIn(scalar(DataType.Int64, [0x8000_0000, 1]))).toBe("-9223372036854775807");
  expect(valueIn(scalar(DataType.Int64, [all, all]))).toBe(-1);
});

test("numbers with decimals and texts are written and read back as they are", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string(), (number, text) => {
      // As numbers: 0 has two signs.
      expect(written(DataType.Double, 0, number) === number).toBe(true);
      expect(written(DataType.String, "", text)).toBe(text);
    }),
  );
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(Math.fround(Number(written(DataType.Float, 0, number))) === number).toBe(true);
    }),
  );
});

test.each<[DataType, unknown, OpcUaScalar]>([
  [DataType.Float, 0, 1e300], // would arrive as infinity
  [DataType.Float, 0, "1"],
  [DataType.Boolean, false, 1],
  [DataType.String, "", 1],
  [DataType.DateTime, new Date(), "2026-01-01T00:00:00Z"],
])("a variable of type %p with %p does not take %p", (type, present, value) => {
  expect(() => written(type, present, value)).toThrow(`type:${DataType[type]}`);
});

test("an array does not take a single value", () => {
  expect(() => variantOf(array(DataType.Int16, [1]), 1)).toThrow("type:Int16");
});

test("what is not a number, string or boolean has no value", () => {
  for (const value of [
    scalar(DataType.Double, Number.NaN),
    scalar(DataType.Float, Number.POSITIVE_INFINITY),
    scalar(DataType.ByteString, Buffer.from("x")),
    scalar(DataType.ExtensionObject, null),
    scalar(DataType.String, null),
    scalar(DataType.String, "x".repeat(10_001)),
    scalar(DataType.LocalizedText, new LocalizedText({ text: null })),
    array(DataType.Double, [1, Number.NaN]),
    array(DataType.Int32, new Int32Array(ELEMENTS_MAX + 1)),
    array(DataType.String, ["a", null]),
  ])
    expect(valueIn(value)).toBeUndefined();
});

test("arrays and matrices are their elements", () => {
  const matrix = new Variant({
    dataType: DataType.Byte,
    arrayType: VariantArrayType.Matrix,
    dimensions: [2, 2],
    value: new Uint8Array([1, 2, 3, 4]),
  });
  expect(valueIn(matrix)).toEqual([1, 2, 3, 4]);
  expect(valueIn(array(DataType.Double, new Float64Array([1.5, 2])))).toEqual([1.5, 2]);
  expect(valueIn(array(DataType.Boolean, []))).toEqual([]);
});

describe("the time of a value", () => {
  const day = new Date("2026-11-29T12:00:00Z");
  const unset = new Date("1601-01-01T00:00:00Z");
  const never = new Date("9999-12-31T23:59:59Z");
  const timeOf = (sourceTimestamp: Date | null, serverTimestamp: Date | null) =>
    readOf(
      new DataValue({
        value: scalar(DataType.Double, 1),
        statusCode: StatusCodes.Good,
        sourceTimestamp,
        serverTimestamp,
      }),
    ).sampledAt;

  test("is that of its source, else that of the server", () => {
    expect(timeOf(day, unset)).toBe(day.getTime());
    expect(timeOf(null, day)).toBe(day.getTime());
  });

  test.each([unset, never, new Date(0), new Date(Number.NaN), null])("is never %p", (time) => {
    expect(timeOf(time, day)).toBe(day.getTime());
    expect(timeOf(time, time)).toBeUndefined();
  });
});

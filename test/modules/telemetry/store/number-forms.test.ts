import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ByteReader } from "../../../../src/lib/data/byte-reader.ts";
import { ByteWriter } from "../../../../src/lib/data/byte-writer.ts";
import { createRandom } from "../../../../src/lib/data/random.ts";
import { lineAt, toGrid } from "../../../../src/modules/telemetry/store/codec/grid.ts";
import { ALL_ORDERS } from "../../../../src/modules/telemetry/store/codec/int-stream.ts";
import {
  decodeNumbers,
  encodeNumbers,
  newNumbers,
} from "../../../../src/modules/telemetry/store/codec/number-codec.ts";
import { NumberRows } from "../../../../src/modules/telemetry/store/codec/number-rows.ts";
import { unpack } from "../../../../src/modules/telemetry/store/codec/packing.ts";
import {
  readSplit,
  splitInts,
  writeSplit,
} from "../../../../src/modules/telemetry/store/codec/split-ints.ts";

const INT_MAX = 2 ** 50;

/** Whole numbers of all lengths. */
const anyInt = fc
  .tuple(fc.integer({ min: 0, max: 50 }), fc.double({ min: -1, max: 1, noNaN: true }))
  .map(([power, share]) => Math.round(share * 2 ** power) + 0);

test("split integers come back, whatever their length and order", () => {
  const edges = [0, 1, -1, 15, 16, -16, -17, 31, 32, INT_MAX, -INT_MAX];
  fc.assert(
    fc.property(fc.array(anyInt, { maxLength: 200 }), fc.constantFrom(...ALL_ORDERS), (ints, order) => {
      const source = Float64Array.from([...ints, ...edges]);
      const writer = new ByteWriter();
      writeSplit(writer, splitInts(source, order), "fast");
      const out = new Float64Array(source.length);
      readSplit(new ByteReader(writer.bytes()), out, { order, divisor: 1 });
      expect(out).toEqual(source);
    }),
    { numRuns: 300 },
  );
});

test("split integers that are not as many as the rows are refused", () => {
  const writer = new ByteWriter();
  writeSplit(writer, splitInts(Float64Array.of(1, 2, 3), 0), "fast");
  const read = () => readSplit(new ByteReader(writer.bytes()), new Float64Array(4), { order: 0, divisor: 1 });
  expect(read).toThrow(RangeError);
});

/** Numbers near the lines of some grids, one after the other, some of them far away. */
const onGrids = fc
  .array(
    fc.record({
      base: fc.integer({ min: -1_000_000, max: 1_000_000 }),
      step: fc.double({ min: 3, max: 900_000, noNaN: true }),
      lines: fc.array(fc.integer({ min: -400, max: 400 }), { minLength: 1, maxLength: 700, size: "max" }),
      noise: fc.integer({ min: 0, max: 3 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((grids) =>
    grids.flatMap(({ base, step, lines, noise }) =>
      lines.map((line, index) =>
        index % 19 === 7 ? line * 977 : Math.round(base + line * step) + ((index * 7) % (noise + 1)),
      ),
    ),
  );

test("lines and what is left of the numbers make the numbers again", () => {
  fc.assert(
    fc.property(fc.oneof(onGrids, fc.array(anyInt, { minLength: 1 })), (ints) => {
      const grid = toGrid(Float64Array.from(ints));
      if (grid === null) return;
      const rowOf = grid.segments.flatMap((segment) => new Array<typeof segment>(segment.rows).fill(segment));
      expect(rowOf.length).toBe(ints.length);
      expect(rowOf.map((segment, row) => lineAt(segment, grid.lines[row]!) + grid.rests[row]! + 0)).toEqual(
        ints.map((int) => int + 0),
      );
    }),
    { numRuns: 200 },
  );
});

/** Bytes of a column when it is packed thoroughly; every bit of it and of its rows one by one comes back. */
function bytesOf(values: Float64Array): number {
  const packed = encodeNumbers(values, "thorough");
  expect(decodeNumbers(packed, values.length)).toEqual(values);
  const rows = NumberRows.of(unpack(packed), values.length);
  if (rows !== null) expect(rows.slice(0, values.length, newNumbers)).toEqual(values);
  return packed.length;
}

describe("a column on a grid takes few bytes", () => {
  const ROWS = 8_192;
  /** A walk that repeats no value for long. */
  const walk = (row: number) => Math.round(3_000 * Math.sin(row / 70) + 50 * Math.sin(row * row));

  test("counts times a factor that changes, printed with five places", () => {
    const factors = [480 / 79, 1_200 / 329];
    const values = Float64Array.from({ length: ROWS }, (_, row) =>
      Number((walk(row) * factors[row < 5_000 ? 0 : 1]!).toFixed(5)),
    );
    expect(bytesOf(values)).toBeLessThan(ROWS * 1.7);
  });

  test("timestamps with waiting times in slots", () => {
    let ts = 1_700_000_000_000;
    const values = Float64Array.from({ length: ROWS }, (_, row) => {
      ts += 3_240 + 125 * ((row * row * 31) % 13) + ((row * 11) % 3);
      return ts;
    });
    expect(bytesOf(values)).toBeLessThan(ROWS * 0.8);
  });

  test("numbers without a grid, far apart and next to one another, are what they are", () => {
    bytesOf(Float64Array.from({ length: 500 }, (_, row) => (row % 2 === 0 ? row : INT_MAX - row * row)));
    bytesOf(Float64Array.from({ length: 500 }, (_, row) => ((row * 7_919) % 1_009) / 100));
  });

  test("and comes back bit for bit, whatever the grids are", () => {
    const ofAny = fc.property(onGrids, (ints) => {
      bytesOf(Float64Array.from(ints, (int) => (int + 0) / 100));
    });
    fc.assert(ofAny, { numRuns: 60 });
  });
});

describe("every form that the encoder chooses is read as it was written", () => {
  const ROWS = 200;
  const random = createRandom(7);
  const column = (value: (row: number) => number) =>
    Float64Array.from({ length: ROWS }, (_, row) => value(row));
  /** A double without a short decimal form. */
  const average = () => random() * 40 + 1 / 3;
  const averages = Array.from({ length: 24 }, average);
  let sum = 0;

  test.each([
    ["constant", 0, column(() => 21.5)],
    ["decimal", 1, column((row) => (row % 17 === 3 ? 1 / 3 : Math.round(random() * 999) / 10))],
    ["rank", 2, column((row) => averages[row % 2 === 0 ? 3 : Math.floor(random() * 2)]!)],
    ["planes", 3, column(() => average())],
    ["planes of differences", 4, column((row) => 1e15 / 7 + row * row * Math.PI)],
    ["regular", 5, column((row) => 1_700_000_000_000 + row * 60_000)],
    ["split decimal", 6, column(() => Math.round(random() * 5_000) / 10)],
    ["split rank", 7, column(() => averages[Math.floor(random() * 24)]!)],
    ["grid", 8, column((row) => (sum += 3_240 + 125 * ((row * row * 31) % 13) + ((row * 11) % 3)))],
  ])("%s", (_, mode, values) => {
    const packed = encodeNumbers(values, "thorough");
    expect(unpack(packed)[0]).toBe(mode);
    bytesOf(values);
  });

  test("a regular column takes 18 bytes, however long it is, and any other takes more", () => {
    const regular = Float64Array.from({ length: 8_192 }, (_, row) => row * 60_000);
    expect(bytesOf(regular)).toBe(18);
    regular[5_000]! += 1;
    expect(bytesOf(regular)).toBeGreaterThan(18);
  });
});

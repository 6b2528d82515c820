import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { TAG_ABSENT, TAG_NUMBER, TAG_STRING, TAG_TRUE } from "../../../../src/lib/data/value-kind.ts";
import { summarise } from "../../../../src/modules/telemetry/store/blocks/column-summary.ts";
import { decodeHead, encodeBlock } from "../../../../src/modules/telemetry/store/codec/block-codec.ts";
import { PIECE_ROWS } from "../../../../src/modules/telemetry/store/codec/block-pieces.ts";
import { SUM_ROWS } from "../../../../src/modules/telemetry/store/codec/column-sums.ts";
import { decodeUnpacked, encodeNumbers } from "../../../../src/modules/telemetry/store/codec/number-codec.ts";
import { NumberRows } from "../../../../src/modules/telemetry/store/codec/number-rows.ts";
import { OpenedBlock } from "../../../../src/modules/telemetry/store/codec/opened-block.ts";
import { unpack } from "../../../../src/modules/telemetry/store/codec/packing.ts";
import { type StateValue, stateAt } from "../../../../src/modules/telemetry/store/query/state-table.ts";
import { type Column, newColumn, numberTags } from "../../../../src/modules/telemetry/store/rows.ts";

const newNumbers = (count: number) => new Float64Array(count);

const bitsOf = (values: Float64Array) => [...new BigUint64Array(values.slice().buffer)];

/** The column read in parts; null where it can only be read as a whole. */
function endToEnd(values: Float64Array, effort: "fast" | "thorough"): Float64Array | null {
  const bytes = unpack(encodeNumbers(values, effort));
  expect(bitsOf(decodeUnpacked(bytes, values.length, newNumbers))).toEqual(bitsOf(values));
  const rows = NumberRows.of(bytes, values.length);
  if (rows === null) return null;
  const count = Math.ceil(values.length / PIECE_ROWS);
  // Backwards, so that none can lean on the one before it.
  const parts = Array.from({ length: count }, (_, i) => {
    const start = (count - 1 - i) * PIECE_ROWS;
    return rows.slice(start, Math.min(start + PIECE_ROWS, values.length), newNumbers);
  });
  return Float64Array.from(parts.reverse().flatMap((part) => [...part]));
}

function expectPieces(values: Float64Array): void {
  for (const effort of ["fast", "thorough"] as const) {
    const found = endToEnd(values, effort);
    if (found === null) throw new Error("can only be read as a whole");
    expect(bitsOf(found)).toEqual(bitsOf(values));
  }
}

const lengths = [1, PIECE_ROWS - 1, PIECE_ROWS, PIECE_ROWS + 1, 3 * PIECE_ROWS, 5 * PIECE_ROWS + 17];

const column = (length: number, valueAt: (row: number) => number) =>
  Float64Array.from({ length }, (_, row) => valueAt(row));

describe("a number column in pieces", () => {
  test("is what it is as a whole, in each form that has pieces and at every length", () => {
    for (const length of lengths) {
      expectPieces(column(length, () => 21.5));
      expectPieces(column(length, () => -0));
      expectPieces(column(length, () => Number.NaN));
      // Ranges of 16 and of 32 bits and beyond.
      expectPieces(column(length, (row) => ((row * 7_919) % 1_009) * 3_000_000 + row));
      expectPieces(column(length, (row) => ((row * 7_919) % 1_009) * 9_000_000_000 + row));
      expectPieces(column(length, (row) => 1_700_000_000_000 + row * 10_000));
      // Values without a short decimal form.
      expectPieces(column(length, (row) => Math.sin(row * row)));
      // Unrelated values, a walk, and steps that themselves change slowly: orders 0, 1 and 2.
      expectPieces(column(length, (row) => ((row * 7_919) % 1_009) / 10));
      expectPieces(column(length, (row) => Math.round(200 + 30 * Math.sin(row / 50)) / 10));
      expectPieces(column(length, (row) => 1_700_000_000_000 + row * row + (row % 3)));
    }
  });

  test("of whatever kind either has no pieces or comes back bit for bit", () => {
    const value = fc.oneof(
      { weight: 30, arbitrary: fc.integer({ min: -500, max: 500 }).map((int) => int / 10) },
      { weight: 1, arbitrary: fc.constantFrom(-0, 2 ** 53, 5e-324, 1e300, 0.1 + 0.2) },
    );
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 600, size: "max" }), (values) => {
        const source = Float64Array.from(values);
        const found = endToEnd(source, "fast");
        if (found !== null) expect(bitsOf(found)).toEqual(bitsOf(source));
      }),
      { numRuns: 200 },
    );
  });
});

function blockOf(ts: Float64Array, columns: Map<number, Column>): OpenedBlock {
  const encoding = encodeBlock({ ts, columns }, "fast");
  let step = encoding.next();
  while (step.done !== true) step = encoding.next();
  return new OpenedBlock(decodeHead(step.value.head), step.value.body);
}

const numbersColumn = (numbers: Float64Array): Column => ({
  tags: numberTags(numbers.length),
  numbers,
  texts: null,
  dense: true,
});

describe("a column of states in runs", () => {
  const value = fc.constantFrom<readonly [tag: number, number: number, text?: string]>(
    [TAG_ABSENT, 0],
    [TAG_NUMBER, 0],
    [TAG_NUMBER, -0],
    [TAG_TRUE, 0],
    [TAG_STRING, 0, "run"],
  );
  const stretches = fc.array(fc.tuple(value, fc.integer({ min: 1, max: 200 })), {
    minLength: 1,
    maxLength: 12,
  });

  test("counts the texts of its values as memory", () => {
    const rows = 200;
    const column = newColumn(rows);
    column.texts = Array.from({ length: rows }, (_, row) => (row < 100 ? "a" : "b").repeat(10_000));
    column.tags.fill(TAG_STRING);
    const runs = blockOf(
      Float64Array.from({ length: rows }, (_, row) => row * 1_000),
      new Map([[5, column]]),
    ).runs(5);
    expect(runs?.values).toHaveLength(2);
    expect(runs?.bytes).toBeGreaterThan(20_000);
  });

  test("gives for any rows the values, their number and where each begins", () => {
    fc.assert(
      fc.property(stretches, fc.boolean(), fc.nat(), fc.nat(), (of, isRegular, a, b) => {
        const cells = of.flatMap(([cell, rows]) => new Array<typeof cell>(rows).fill(cell));
        const column = newColumn(cells.length);
        column.texts = new Array<string | undefined>(cells.length);
        for (const [row, [tag, number, text]] of cells.entries()) {
          column.tags[row] = tag;
          column.numbers[row] = number;
          column.texts[row] = text;
        }
        const ts = Float64Array.from(cells, (_, row) => 1_000 + row * 10 + (isRegular ? 0 : (row * 7) % 9));
        const runs = blockOf(ts, new Map([[5, column]])).runs(5);
        const present = [...column.tags.keys()].filter((row) => column.tags[row] !== TAG_ABSENT);
        if (runs === null) return expect(of.length > cells.length / 16 || present.length === 0).toBe(true);
        const [start = 0, stop = 0] = [a, b].map((row) => row % (cells.length + 1)).sort((c, d) => c - d);
        const rows = present.filter((row) => row >= start && row < stop);
        const valueAt = (row: number | undefined) => (row === undefined ? null : stateAt(column, row));
        expect(runs.count(start, stop)).toBe(rows.length);
        expect(runs.first(start, stop)).toStrictEqual(valueAt(rows[0]));
        expect(runs.last(start, stop)).toStrictEqual(valueAt(rows.at(-1)));
        const found: [number, StateValue][] = [];
        runs.each(start, stop, (index, row) => found.push([row, runs.values[index]!]));
        const isSame = (c: number, d: number) =>
          column.tags[c] === column.tags[d] && Object.is(column.numbers[c], column.numbers[d]);
        const begins = rows.filter((row, index) => index === 0 || !isSame(rows[index - 1]!, row));
        expect(found).toStrictEqual(begins.map((row) => [row, stateAt(column, row)]));
        expect(runs.stamps.rowsBefore(ts[start] ?? Number.POSITIVE_INFINITY)).toBe(start);
      }),
      { numRuns: 200 },
    );
  });
});

describe("a block in pieces", () => {
  const rows = 4 * PIECE_ROWS + 5;
  const ts = column(rows, (row) => 1_000 * row + (row % 7));
  const numbers = column(rows, (row) => ((row * 31) % 400) / 10);

  test("is given from the second reading on, with the summaries of its parts", () => {
    const block = blockOf(ts, new Map([[3, numbersColumn(numbers)]]));
    expect(block.pieces(3)).toBeNull();
    block.rows();
    const pieces = block.pieces(3);
    if (pieces === null) throw new Error("has no pieces");
    const { bytes } = block;
    expect(block.pieces(3)).toBe(pieces);
    expect(block.bytes).toBe(bytes);
    expect(pieces.count).toBe(5);
    for (let piece = 0; piece < pieces.count; piece++) {
      const summary = pieces.summaryOf(piece);
      const part = [piece * PIECE_ROWS, (piece + 1) * PIECE_ROWS] as const;
      const expected = numbersColumn(numbers.slice(...part));
      expect(summary).toEqual(summarise(ts.slice(...part), expected));
      expect(pieces.read(piece, newNumbers)).toEqual({ ts: ts.slice(...part), column: expected });
    }
  });

  test("is not given for a key that is absent, nor for a column that holds more than numbers, nor for a short block", () => {
    const texts = newColumn(rows);
    texts.tags.fill(numberTags(1)[0]!);
    texts.tags[2] = 0;
    const block = blockOf(ts, new Map([[1, texts]]));
    block.rows();
    expect(block.pieces(1)).toBeNull();
    expect(block.pieces(2)).toBeNull();
    const short = blockOf(
      ts.slice(0, PIECE_ROWS),
      new Map([[3, numbersColumn(numbers.slice(0, PIECE_ROWS))]]),
    );
    short.rows();
    expect(short.pieces(3)).toBeNull();
  });
});

describe("a block whose rows are added up", () => {
  const steady = (row: number) => 10_000 * row;
  const jittered = (row: number) => 10_000 * row + ((row * 31) % 97);
  const values = fc.array(fc.integer({ min: -500, max: 500 }), { minLength: 1, maxLength: 300, size: "max" });

  test("gives for any rows the sum of its parts, the smallest, the largest and what resets lose", () => {
    fc.assert(
      fc.property(values, fc.boolean(), fc.nat(), fc.nat(), (ints, isSteady, a, b) => {
        const numbers = Float64Array.from(ints, (int) => int / 10);
        const ts = column(numbers.length, isSteady ? steady : jittered);
        const block = blockOf(ts, new Map([[3, numbersColumn(numbers)]]));
        const sums = block.sums(3);
        if (sums === null) return;
        const [start = 0, stop = 0] = [a, b].map((row) => row % (numbers.length + 1)).sort((x, y) => x - y);
        let sum = 0.1;
        for (let row = start; row < stop; ) {
          const end = Math.min(stop, row - (row % SUM_ROWS) + SUM_ROWS);
          sum += numbers.slice(row, end).reduce((total, value) => total + value, 0);
          row = end;
        }
        expect(sums.addTo(0.1, start, stop)).toBe(sum);
        const part = numbers.slice(start, stop);
        expect(sums.min(start, stop) + 0).toBe(Math.min(...part) + 0);
        expect(sums.max(start, stop) + 0).toBe(Math.max(...part) + 0);
        expect(sums.drops(start, stop)).toBeCloseTo(
          summarise(ts.slice(start, stop), numbersColumn(part)).drops,
          6,
        );
        expect(Array.from(part, (_, row) => sums.at(start + row))).toEqual([...part]);
        for (const time of [-1, ts[start] ?? 1e9, (ts[start] ?? 1e9) + 1])
          expect(sums.stamps.rowsBefore(time)).toBe(ts.filter((stamp) => stamp < time).length);
        // The block as a whole is the same as before.
        expect(block.rows()).toEqual({ ts, columns: new Map([[3, numbersColumn(numbers)]]) });
      }),
      { numRuns: 300 },
    );
  });
});

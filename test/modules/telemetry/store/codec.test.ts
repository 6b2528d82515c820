import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { decodeHead, encodeBlock } from "../../../../src/modules/telemetry/store/codec/block-codec.ts";
import { decodeColumn, encodeColumn } from "../../../../src/modules/telemetry/store/codec/column-codec.ts";
import { stepPlaces } from "../../../../src/modules/telemetry/store/codec/decimal.ts";
import { decodeNumbers, encodeNumbers } from "../../../../src/modules/telemetry/store/codec/number-codec.ts";
import { OpenedBlock } from "../../../../src/modules/telemetry/store/codec/opened-block.ts";
import type { Effort } from "../../../../src/modules/telemetry/store/codec/packing.ts";
import { type Column, newColumn, type Rows } from "../../../../src/modules/telemetry/store/rows.ts";

const efforts: Effort[] = ["fast", "thorough"];

function bitsOf(values: Float64Array): string[] {
  const copy = values.slice();
  return [...new BigUint64Array(copy.buffer)].map((bits) => bits.toString(16));
}

function expectNumbersBack(values: readonly number[]): void {
  const source = Float64Array.from(values);
  for (const effort of efforts) {
    const encoded = encodeNumbers(source, effort);
    expect(bitsOf(decodeNumbers(encoded, source.length))).toEqual(bitsOf(source));
  }
}

/** Doubles by their 64 bits: subnormals, infinities and both zeros included; NaN is refused before the store. */
const anyDouble = fc
  .bigInt({ min: 0n, max: 2n ** 64n - 1n })
  .map((bits) => new Float64Array(BigUint64Array.of(bits).buffer)[0]!)
  .filter((value) => !Number.isNaN(value));

const decimals = fc
  .tuple(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.integer({ min: 0, max: 9 }))
  .map(([int, scale]) => Number(`${int}e-${scale}`));

/** What sensors send: a walk of decimals, with arithmetic noise, -0 and the odd wild value in between. */
const sensorColumn = fc.array(
  fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: -500, max: 500 }).map((int) => int / 10) },
    { weight: 5, arbitrary: decimals },
    { weight: 3, arbitrary: fc.tuple(decimals, decimals).map(([a, b]) => a + b) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(-0, 0, 2 ** 53, 2 ** 53 + 2, -(2 ** 60), 5e-324, 1.7976931348623157e308),
    },
    { weight: 1, arbitrary: anyDouble },
  ),
  { minLength: 1, maxLength: 400 },
);

describe("numbers come back bit for bit", () => {
  test("any doubles", () => {
    fc.assert(fc.property(fc.array(anyDouble, { minLength: 1, maxLength: 300 }), expectNumbersBack));
  });

  test("sensor-like columns", () => {
    fc.assert(fc.property(sensorColumn, expectNumbersBack), { numRuns: 300 });
  });

  test("few distinct values that come back often", () => {
    const palette = fc.array(fc.oneof(anyDouble, decimals), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(palette, fc.array(fc.nat(), { minLength: 20, maxLength: 300 }), (values, picks) =>
        expectNumbersBack(picks.map((pick) => values[pick % values.length]!)),
      ),
    );
  });

  test("timestamps with regular, jittered, repeated and negative steps", () => {
    const steps = fc.array(
      fc.oneof(
        fc.constant(1000),
        fc.integer({ min: 900, max: 1100 }),
        fc.integer({ min: -(10 ** 7), max: 10 ** 9 }),
      ),
      { minLength: 1, maxLength: 300 },
    );
    fc.assert(
      fc.property(fc.integer({ min: -(8.64e15 / 16), max: 8.64e15 / 16 }), steps, (start, deltas) => {
        let ts = start;
        expectNumbersBack(deltas.map((delta) => (ts += delta)));
      }),
    );
  });

  test("whole numbers around every power of two", () => {
    const powers = Array.from({ length: 64 }, (_, power) => 2 ** power);
    expectNumbersBack(powers.flatMap((power) => [power - 1, power, power + 1, -power]));
  });

  test("a regular column takes next to nothing", () => {
    const ts = Float64Array.from({ length: 8192 }, (_, i) => 1_700_000_000_000 + i * 10_000);
    expect(encodeNumbers(ts, "fast").length).toBeLessThan(64);
  });

  test("a decimal sensor takes far less than raw doubles", () => {
    const values = Float64Array.from(
      { length: 8192 },
      (_, i) => Math.round(200 + 30 * Math.sin(i / 300)) / 10,
    );
    expect(encodeNumbers(values, "fast").length).toBeLessThan(8192 * 0.3);
  });
});

test("stepping by units of the last place is the inverse of measuring them", () => {
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, min: 1e-300, max: 1e300 }),
      fc.integer({ min: -1000, max: 1000 }),
      (value, places) => {
        expect(stepPlaces(stepPlaces(value, places), -places)).toBe(value);
      },
    ),
  );
});

const cell = fc.oneof(
  { weight: 3, arbitrary: fc.record({ tag: fc.constant(1), number: anyDouble }) },
  { weight: 1, arbitrary: fc.constant({ tag: 0 }) },
  { weight: 1, arbitrary: fc.constantFrom({ tag: 2 }, { tag: 3 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }).map((text) => ({ tag: 4, text })) },
  { weight: 1, arbitrary: fc.constantFrom("\ud800", "a\udc00b", "\0", "").map((text) => ({ tag: 4, text })) },
  { weight: 1, arbitrary: fc.json().map((text) => ({ tag: 5, text })) },
);

interface Cell {
  tag: number;
  number?: number;
  text?: string;
}

function columnOf(cells: readonly Cell[]): Column {
  const column = newColumn(cells.length);
  cells.forEach(({ tag, number, text }, row) => {
    column.tags[row] = tag;
    column.numbers[row] = number ?? 0;
    if (text === undefined) return;
    column.texts ??= new Array<string | undefined>(cells.length);
    column.texts[row] = text;
  });
  return column;
}

function cellsOf(column: Column): Cell[] {
  return Array.from(column.tags, (tag, row) => {
    if (tag === 1) return { tag, number: column.numbers[row]! };
    return tag >= 4 ? { tag, text: column.texts?.[row] ?? "" } : { tag };
  });
}

describe("columns", () => {
  test("of any mixture of absent, numeric, boolean, string and JSON rows come back", () => {
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 200 }), (cells) => {
        const column = columnOf(cells);
        for (const effort of efforts) {
          expect(cellsOf(decodeColumn(encodeColumn(column, effort), cells.length))).toStrictEqual(
            cellsOf(column),
          );
        }
      }),
      { numRuns: 300 },
    );
  });
});

function finish<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

const someRows = (): Rows => ({
  ts: Float64Array.of(10, 20, 30),
  columns: new Map([
    [7, columnOf([{ tag: 1, number: 1.5 }, { tag: 0 }, { tag: 1, number: -2 }])],
    [9, columnOf([{ tag: 4, text: "x" }, { tag: 3 }, { tag: 0 }])],
  ]),
});

describe("blocks", () => {
  test("come back whole, with a summary per column", () => {
    const block = finish(encodeBlock(someRows(), "fast"));
    const head = decodeHead(block.head);
    expect(new OpenedBlock(head, block.body).rows()).toEqual(someRows());
    expect(block).toMatchObject({ minTs: 10, maxTs: 30, rows: 3, points: 4 });
    expect(head.columns.get(7)?.summary).toEqual({
      count: 2,
      numeric: 2,
      min: -2,
      max: 1.5,
      sum: -0.5,
      first: 1.5,
      last: -2,
      firstTs: 10,
      lastTs: 30,
      minTs: 30,
      maxTs: 10,
      drops: 1.5,
      states: null,
    });
    expect(head.columns.get(9)?.summary).toMatchObject({ count: 2, numeric: 0, firstTs: 10, lastTs: 20 });
  });

  test("decode only the columns that are asked for", () => {
    const block = finish(encodeBlock(someRows(), "fast"));
    const rows = new OpenedBlock(decodeHead(block.head), block.body).rows(new Set([9]));
    expect([...rows.columns.keys()]).toEqual([9]);
  });

  test("notice every flipped bit in head and body", () => {
    const block = finish(encodeBlock(someRows(), "fast"));
    for (let bit = 0; bit < block.head.length * 8; bit++) {
      const damaged = block.head.slice();
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => decodeHead(damaged)).toThrow();
    }
    const head = decodeHead(block.head);
    for (let bit = 0; bit < block.body.length * 8; bit++) {
      const damaged = block.body.slice();
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => new OpenedBlock(head, damaged)).toThrow();
    }
  });
});

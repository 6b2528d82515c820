import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { encodeNumbers } from "../../../../src/modules/telemetry/store/codec/number-codec.ts";
import { NumberParts } from "../../../../src/modules/telemetry/store/codec/number-parts.ts";
import { NumberRows } from "../../../../src/modules/telemetry/store/codec/number-rows.ts";
import { unpack } from "../../../../src/modules/telemetry/store/codec/packing.ts";
import { Stamps } from "../../../../src/modules/telemetry/store/codec/stamps.ts";

const column = (length: number, valueAt: (row: number) => number) =>
  Float64Array.from({ length }, (_, row) => valueAt(row));

const partsOf = (ints: Float64Array, divisor: number) => NumberParts.of(ints.slice(), divisor);

/** Whole numbers that walk by steps of up to a size. */
const walks = fc
  .record({
    size: fc.constantFrom(1, 100, 30_000, 1e9, 1e13),
    drift: fc.integer({ min: -1_000_000, max: 1_000_000 }),
  })
  .chain(({ size, drift }) =>
    fc.array(fc.integer({ min: -size, max: size }), { minLength: 1, maxLength: 300 }).map((steps) => {
      let sum = 0;
      return Float64Array.from(steps, (step) => (sum += step + drift));
    }),
  );

describe("numbers as offsets from lines", () => {
  test("come back bit for bit, one by one, in runs and as sums", () => {
    const ofAny = fc.property(
      walks,
      fc.constantFrom(1, 10, 1_000),
      fc.nat(),
      fc.nat(),
      (ints, divisor, a, b) => {
        const parts = partsOf(ints, divisor);
        if (parts === null) return;
        const values = ints.map((int) => int / divisor);
        const [start = 0, end = 0] = [a % (ints.length + 1), b % (ints.length + 1)].sort((x, y) => x - y);
        const run = new Float64Array(end - start);
        parts.read(start, run, run.length);
        expect(run).toEqual(values.slice(start, end));
        expect(parts.sum(start, end)).toBe(run.reduce((sum, value) => sum + value, 0));
        expect(Float64Array.from(values, (_, row) => parts.at(row))).toEqual(values);
      },
    );
    fc.assert(ofAny, { numRuns: 300 });
  });

  test("take a byte a value of a sensor, and two a timestamp of a device that does not keep time", () => {
    const rows = 8_192;
    const sensor = partsOf(
      column(rows, (row) => Math.round(2_000 + 300 * Math.sin(row / 500))),
      10,
    );
    expect(sensor?.bytes).toBeLessThan(rows * 1.25);
    const stamps = partsOf(
      column(rows, (row) => 1_700_000_000_000 + row * 10_000 + ((row * 7_919) % 900)),
      1,
    );
    expect(stamps?.bytes).toBeLessThan(rows * 2.5);
  });

  test("are not made of numbers that lie too far apart", () => {
    expect(
      partsOf(
        column(100, (row) => (row % 2) * 2 ** 40 + row),
        1,
      ),
    ).toBeNull();
  });
});

test("timestamps of any kind tell how many lie before a time", () => {
  const gaps = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 400 });
  const ofAny = fc.property(gaps, fc.nat(), fc.integer({ min: -1, max: 1 }), (list, pick, shift) => {
    let stamp = 1_700_000_000_000;
    const ts = Float64Array.from(list, (gap) => (stamp += gap));
    const rows = NumberRows.of(unpack(encodeNumbers(ts, "fast")), ts.length);
    if (rows === null) throw new Error("can only be read as a whole");
    const time = ts[pick % ts.length]! + shift;
    expect(new Stamps(rows, ts.length).rowsBefore(time)).toBe(
      ts.filter((candidate) => candidate < time).length,
    );
  });
  fc.assert(ofAny, { numRuns: 300 });
});

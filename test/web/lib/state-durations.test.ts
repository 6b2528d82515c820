import { describe, expect, test } from "bun:test";
import { SeriesBuffer } from "../../../src/web/lib/series-buffer.ts";
import { durationBars, sharesOf, totalDurations } from "../../../src/web/lib/state-durations.ts";

const bufferOf = (...points: Array<[number, Array<{ value?: number | string; ms: number }>]>) => {
  const buffer = new SeriesBuffer();
  for (const [ts, value] of points) buffer.add(ts, value);
  return buffer;
};

describe("durations of states", () => {
  test("are bars of the intervals, each with its states in one order", () => {
    const buffer = bufferOf(
      [
        1_000,
        [
          { value: 2, ms: 400 },
          { value: 10, ms: 100 },
        ],
      ],
      [2_000, [{ value: 10, ms: 250 }, { value: 2, ms: 250 }, { ms: 500 }]],
    );
    const bars = durationBars(buffer, 3_000);
    expect(bars.map(({ from, to, totalMs }) => [from, to, totalMs])).toEqual([
      [1_000, 2_000, 500],
      [2_000, 3_000, 1_000],
    ]);
    expect(bars.map(({ parts }) => parts.map(({ value }) => value))).toEqual([
      [2, 10],
      [undefined, 2, 10],
    ]);
    expect(totalDurations(bars)).toEqual([
      { value: undefined, ms: 500 },
      { value: 2, ms: 650 },
      { value: 10, ms: 350 },
    ]);
  });

  test("have no bar for an interval without a value", () => {
    expect(durationBars(bufferOf([1_000, []], [2_000, [{ value: "on", ms: 5 }]]), 2_500)).toHaveLength(1);
    expect(durationBars(new SeriesBuffer(), 1)).toEqual([]);
  });

  test("ignore values that are no list of durations", () => {
    expect(
      [undefined, 5, "text", [1, null, [], { ms: "x" }, { value: 1 }, { value: 1, ms: -1 }]].map(sharesOf),
    ).toEqual([[], [], [], []]);
  });
});

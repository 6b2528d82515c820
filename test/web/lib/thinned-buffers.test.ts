import { expect, test } from "bun:test";
import { isThinned, SeriesBuffer, thinningOf } from "../../../src/web/lib/series-buffer.ts";

test("values of a window are incomplete if the server has left some out of one of its series", () => {
  const range = { from: 1_000, to: 2_000 };
  const of = (count: number) => {
    const buffer = new SeriesBuffer();
    const points = Array.from({ length: count }, (_, index) => ({ ts: range.from + index, value: 1 }));
    buffer.thinned = thinningOf(count > 100 ? { points, thinned: true } : { points }, range);
    return buffer;
  };
  expect(isThinned([], range.from)).toBe(false);
  expect(isThinned([of(0), of(10)], range.from)).toBe(false);
  expect(isThinned([of(10), of(1_936)], range.from)).toBe(true);
  // What came live since then is complete.
  expect(isThinned([of(1_936)], range.to)).toBe(false);
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import { SeriesBuffer } from "../../../../src/web/lib/series-buffer.ts";
import { nextSample } from "../../../../src/web/ui/chart/chart-keys.ts";

const times = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 12 });

test("the arrow keys visit each sample of each series in the window once, in both directions", () => {
  fc.assert(
    fc.property(fc.array(times, { maxLength: 3 }), fc.tuple(fc.nat(60), fc.nat(60)), (all, ends) => {
      const [from = 0, to = 0] = ends.toSorted((a, b) => a - b);
      const sources = all.map((ts) => {
        const buffer = new SeriesBuffer();
        buffer.addAll(ts.map((each) => ({ ts: each, value: each })));
        return buffer;
      });
      const visited = (isBack: boolean) => {
        const seen: number[] = [];
        let ts: number | undefined = isBack ? to + 1 : from - 1;
        for (;;) {
          ts = nextSample(sources, { from, to }, { ts, isBack });
          if (ts === undefined) return seen;
          seen.push(ts);
        }
      };
      const expected = [...new Set(all.flat())].filter((ts) => ts >= from && ts <= to).sort((a, b) => a - b);
      expect(visited(false)).toEqual(expected);
      expect(visited(true)).toEqual(expected.toReversed());
    }),
  );
});

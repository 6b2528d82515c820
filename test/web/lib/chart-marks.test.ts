import { describe, expect, test } from "bun:test";
import { annotationsAt, raisedPeriods } from "../../../src/web/lib/annotations.ts";
import { toLineStyle, withAxisLimits } from "../../../src/web/lib/line-styles.ts";
import { lonePoints } from "../../../src/web/ui/chart/chart-lines.ts";

describe("the ends of a value axis", () => {
  test.each([
    [{}, [10, 20]],
    [{ min: 0 }, [0, 20]],
    [{ max: 100 }, [10, 100]],
    [{ min: 0, max: 100 }, [0, 100]],
    [{ min: 12, max: 15 }, [12, 15]],
    // Beyond all values, as for a machine that stands still.
    [{ min: 30 }, [30, 40]],
    [{ max: 5 }, [-5, 5]],
    [{ min: 9, max: 3 }, [10, 20]],
  ])("with %j of values from 10 to 20 are %j", (limits, ends) => {
    expect(withAxisLimits([10, 20], limits)).toEqual(ends as [number, number]);
  });
});

test("an unknown style is a line", () => {
  expect([toLineStyle("step"), toLineStyle("pie"), toLineStyle(undefined)]).toEqual(["step", "line", "line"]);
});

describe("points to which no line leads", () => {
  const lone = (...values: Array<number | null | undefined>) => lonePoints(values, 0, values.length - 1);

  test("have gaps or nothing on both sides", () => {
    expect(lone(1)).toEqual([0]);
    expect(lone(1, 2, null, 3, null, 4, 5)).toEqual([3]);
    expect(lone(null, 1, null, null, 2)).toEqual([1, 4]);
    expect(lone(1, 2)).toEqual([]);
  });

  test("are found where another series has points between", () => {
    expect(lone(undefined, 1, undefined, null, undefined, 2, undefined)).toEqual([1, 5]);
    expect(lone(1, undefined, 2)).toEqual([]);
  });
});

describe("alarms of a chart", () => {
  const transition = (eventType: string, second: number) => ({
    eventType,
    createdAt: new Date(second * 1_000).toISOString(),
  });

  test("are shaded from each raise to its end", () => {
    const events = [
      transition("CREATED", 1),
      transition("SEVERITY_CHANGED", 2),
      transition("CLEARED", 3),
      transition("COMMENT", 4),
      transition("REOPENED", 5),
    ];
    expect(raisedPeriods(events)).toEqual([
      { from: 1_000, to: 3_000 },
      { from: 5_000, to: Number.POSITIVE_INFINITY },
    ]);
  });

  test("of which the first events are no longer kept begin with the next raise", () => {
    const events = [transition("CLEARED", 3), transition("REOPENED", 5), transition("CLEARED", 6)];
    expect(raisedPeriods(events)).toEqual([{ from: 5_000, to: 6_000 }]);
  });

  test("are found under the pointer, also a little beside them", () => {
    const annotation = (from: number, to: number) => ({
      kind: "alarm" as const,
      from,
      to,
      color: "",
      text: `${from}`,
    });
    const all = [annotation(10, 20), annotation(30, 30)];
    expect(annotationsAt(all, 15, 0).map(({ text }) => text)).toEqual(["10"]);
    expect(annotationsAt(all, 26, 4).map(({ text }) => text)).toEqual(["30"]);
    expect(annotationsAt(all, 25, 5).map(({ text }) => text)).toEqual(["10", "30"]);
    expect(annotationsAt(all, 50, 4)).toEqual([]);
  });
});

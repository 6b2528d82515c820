import { describe, expect, test } from "bun:test";
import {
  arranged,
  type ExploreView,
  exploreHref,
  viewFromQuery,
  viewToQuery,
  WINDOW_START,
  withAppearance,
  withoutSeries,
  withSeries,
} from "../../../src/web/lib/explore-view.ts";

const through = (view: ExploreView): ExploreView => {
  const text = new URLSearchParams(viewToQuery(view)).toString();
  return viewFromQuery(Object.fromEntries(new URLSearchParams(text)));
};
const temperature = { deviceId: "a", key: "temperature" };
const state = { deviceId: "b", key: "state" };

describe("the address of Explore", () => {
  test.each([
    { mode: "live", durationMs: 900_000 },
    { mode: "absolute", from: 1_000, to: 2_000 },
    { mode: "calendar", unit: "month", offset: -1, timezone: "America/Argentina/Buenos_Aires" },
  ])("keeps the window %j", (window) => {
    expect(through({ panes: [], window, aggregation: "avg", compare: true })).toEqual({
      panes: [],
      window,
      aggregation: "avg",
      compare: true,
    });
  });

  test("keeps keys of any characters", () => {
    const keys = ["a,b", "a;b", "a~b", "ä %", "__proto__", "a&b=c#d+e", "l", "s"];
    const panes = [
      { kind: "lines" as const, series: keys.map((key) => ({ deviceId: "3f-1", key })) },
      { kind: "lanes" as const, series: [{ deviceId: "x", key: ";" }] },
    ];
    expect(through({ panes, window: WINDOW_START, aggregation: "none", compare: false }).panes).toEqual(
      panes,
    );
  });

  test("keeps the appearance of a chart, and ignores unknown settings", () => {
    const panes = [
      { kind: "lines" as const, series: [temperature], style: "band" as const, min: -5.5, max: 0 },
      { kind: "lines" as const, series: [temperature] },
    ];
    expect(through({ panes, window: WINDOW_START, aggregation: "none", compare: false }).panes).toEqual(
      panes,
    );
    const query = { panes: "l:style=pie:min=x:new=1,a~temperature" };
    expect(viewFromQuery(query).panes).toEqual([{ kind: "lines", series: [temperature] }]);
  });

  test("of a link that was cut shows what is left of it", () => {
    const query = { panes: "la~t,b~%E0%A4,~x;s;l", window: "abs.5.1", aggregation: "none" };
    expect(viewFromQuery(query)).toEqual({
      panes: [{ kind: "lines", series: [{ deviceId: "a", key: "t" }] }],
      window: WINDOW_START,
      aggregation: "none",
      compare: false,
    });
    expect(viewFromQuery({}).panes).toEqual([]);
  });

  test("names the series of a link", () => {
    expect(exploreHref([temperature])).toBe("/explore?panes=la%7Etemperature&window=live.86400000");
  });
});

test("a chart keeps its appearance when series are added, removed and split", () => {
  const appearance = { style: "step" as const, min: 1 };
  const other = { deviceId: "b", key: "t" };
  const panes = withAppearance([{ kind: "lines", series: [temperature] }], 0, appearance);
  const both = withSeries(panes, other, "lines");
  expect(both).toEqual([{ kind: "lines", series: [temperature, other], ...appearance }]);
  expect(withoutSeries(both, 0, temperature)).toEqual([{ kind: "lines", series: [other], ...appearance }]);
  expect(arranged(both, true).map(({ style }) => style)).toEqual(["step", "step"]);
});

test("series join the last pane of their kind, once, and a pane without series goes", () => {
  let panes = withSeries([], temperature, "lines");
  panes = withSeries(panes, state, "lanes");
  panes = withSeries(panes, { ...temperature, deviceId: "c" }, "lines");
  panes = withSeries(panes, temperature, "lines");
  expect(panes.map(({ kind, series }) => [kind, series.length])).toEqual([
    ["lines", 2],
    ["lanes", 1],
  ]);
  expect(arranged(panes, true)).toHaveLength(3);
  expect(arranged(arranged(panes, true), false)).toEqual(panes);
  expect(withoutSeries(panes, 1, state)).toHaveLength(1);
  expect(withoutSeries(panes, 0, temperature)[0]?.series).toEqual([{ deviceId: "c", key: "temperature" }]);
});

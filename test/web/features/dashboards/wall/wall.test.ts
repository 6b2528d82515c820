// How a dashboard fits a wall and a phone: the size of its texts, the state of the whole, and the columns of stacked widgets.
import { describe, expect, test } from "bun:test";
import { stackedSpans } from "../../../../../src/web/features/dashboards/board/stacked.ts";
import type { ResolvedDevice } from "../../../../../src/web/features/dashboards/dashboards-api.ts";
import { wallScale } from "../../../../../src/web/features/dashboards/wall/use-wall-scale.ts";
import { wallStateOf } from "../../../../../src/web/features/dashboards/wall/wall-head.tsx";
import { cardShift } from "../../../../../src/web/features/dashboards/widgets/spots.ts";
import { limitRanges } from "../../../../../src/web/features/dashboards/widgets/values.ts";

describe("the scale of a wall", () => {
  test("grows with the screen", () => {
    const [hd, uhd] = [
      { width: 1920, height: 1080 },
      { width: 3840, height: 2160 },
    ];
    expect(wallScale(9, uhd)).toBeCloseTo(2 * wallScale(9, hd));
    expect(wallScale(9, hd)).toBeGreaterThan(1);
  });

  test("shrinks with the number of rows, down to what can be read", () => {
    const screen = { width: 1920, height: 1080 };
    expect(wallScale(20, screen)).toBeLessThan(wallScale(10, screen));
    expect(wallScale(500, screen)).toBe(0.4);
  });

  test("leaves room for twelve columns on a screen that is high", () => {
    expect(wallScale(1, { width: 1080, height: 1920 })).toBeLessThan(1);
  });

  test("is that of the page on a phone", () => {
    expect(wallScale(9, { width: 390, height: 844 })).toBe(1);
  });
});

const device = (own: Partial<ResolvedDevice>): ResolvedDevice => ({
  deviceId: "d",
  name: "Press",
  deviceType: "press",
  active: true,
  state: "ACTIVE",
  assetId: null,
  ...own,
});

describe("the state of all that a wall shows", () => {
  test("is the most severe alarm, with the number of alarms and of devices in each state", () => {
    const devices = [
      device({ alarmSeverity: "WARNING", openAlarms: 2 }),
      device({ alarmSeverity: "CRITICAL", openAlarms: 1, active: false, state: "INACTIVE" }),
      // A gateway has the severity of its children, whose alarms count once.
      device({ alarmSeverity: "CRITICAL" }),
      device({ state: "MAINTENANCE" }),
    ];
    expect(wallStateOf(devices)).toEqual({
      severity: "CRITICAL",
      openAlarms: 3,
      devices: 4,
      states: { ACTIVE: 2, INACTIVE: 1, MAINTENANCE: 1 },
    });
  });

  test("has no severity without an alarm", () => {
    expect(wallStateOf([device({})])).toEqual({
      severity: undefined,
      openAlarms: 0,
      devices: 1,
      states: { ACTIVE: 1 },
    });
  });
});

test("neighbours of half width share a row, and one that is left over takes a whole one", () => {
  expect(stackedSpans(["content", "half", "half", "half", "chart", "half"])).toEqual([2, 1, 1, 2, 2, 2]);
});

test("a card at an edge of a plan is moved inwards", () => {
  expect([0, 0.5, 1].map(cardShift)).toEqual([0, 50, 100]);
  expect(cardShift(0.9)).toBeGreaterThan(50);
  expect(cardShift(0.1)).toBeLessThan(50);
});

describe("the ranges beyond limits", () => {
  const widget = (config: Record<string, number>) => ({ widgetId: "w", type: "gauge", name: "", config });

  test("are those of the key unless the widget has its own", () => {
    const limits = { lowLow: 1, low: 2, high: 8 };
    expect(limitRanges(widget({}), limits)).toEqual([
      { from: 1, to: 2, level: "warning" },
      { to: 1, level: "critical" },
      { from: 8, to: undefined, level: "warning" },
    ]);
    expect(limitRanges(widget({ critical: 9 }), limits)).toEqual([{ from: 9, level: "critical" }]);
  });

  test("are below the limits if the critical one is the lower one", () => {
    expect(limitRanges(widget({ warning: 6, critical: 5.2 }), undefined)).toEqual([
      { from: 5.2, to: 6, level: "warning" },
      { to: 5.2, level: "critical" },
    ]);
  });
});

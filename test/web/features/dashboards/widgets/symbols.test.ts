import { expect, test } from "bun:test";
import fc from "fast-check";
import { SYMBOL_IDS } from "../../../../../src/lib/console/synoptic-symbols.ts";
import { widgetKeys } from "../../../../../src/lib/console/widget-keys.ts";
import { symbolShapes } from "../../../../../src/web/features/dashboards/widgets/symbol-shapes.ts";
import { isOn, symbolsOf } from "../../../../../src/web/features/dashboards/widgets/symbols.ts";

test("any config gives symbols within the drawing, each named key once", () => {
  const symbol = fc.record(
    {
      symbol: fc.oneof(fc.constantFrom(...SYMBOL_IDS), fc.jsonValue()),
      x: fc.oneof(fc.double(), fc.jsonValue()),
      y: fc.double(),
      size: fc.oneof(fc.double(), fc.string()),
      rotation: fc.oneof(fc.constantFrom(0, 90, 45), fc.jsonValue()),
      key: fc.oneof(fc.constantFrom("t", "p", "", "constructor"), fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.array(fc.oneof(symbol, fc.jsonValue())), fc.jsonValue()), (symbols) => {
      // What the API stores is any JSON.
      const config = JSON.parse(JSON.stringify({ symbols }));
      const read = symbolsOf({ config });
      for (const { x, y, size, rotation } of read) {
        for (const share of [x, y, size]) expect(share >= 0 && share <= 1).toBe(true);
        expect([0, 90, 180, 270]).toContain(rotation);
      }
      const named = read.flatMap(({ key }) => key ?? []);
      expect(widgetKeys(config)).toEqual([...new Set(named)]);
    }),
  );
});

test("a widget's keys are its list, or else its key", () => {
  expect(widgetKeys({ keys: ["a", "b", "a", 1, ""], key: "c" })).toEqual(["a", "b"]);
  expect(widgetKeys({ key: "c" })).toEqual(["c"]);
  expect(widgetKeys({})).toEqual([]);
});

test("true, numbers other than 0 and states with the name of running are on", () => {
  for (const value of [true, 1, -3, 0.1, "running", "Open", "ON", "producing"])
    expect(isOn(value)).toBe(true);
  for (const value of [false, 0, "stopped", "off", "fault", "closed", "", "anything", undefined])
    expect(isOn(value)).toBe(false);
  // The name of a state counts before its code; names that say nothing leave it to the code.
  expect([
    isOn(2, "Fault"),
    isOn(0, "Running"),
    isOn(true, "Stopped"),
    isOn(2, "Läuft"),
    isOn(0, "Steht"),
  ]).toEqual([false, true, false, true, false]);
});

test("each symbol has parts, and one that fills has walls", () => {
  for (const id of SYMBOL_IDS) {
    const { body, line, cap, turn, level } = symbolShapes[id];
    expect([body, line, cap, turn].some((path) => path !== undefined)).toBe(true);
    if (level) expect(level.path ?? body).toMatch(/z$|22$/);
  }
});

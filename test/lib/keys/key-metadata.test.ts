import { expect, test } from "bun:test";
import { aggregatedMetadata, limitLevel, resolveKeyMetadata } from "../../../src/lib/keys/key-metadata.ts";

test("the entry of a profile replaces the default of its key as a whole", () => {
  const defaults = [
    { key: "a", unit: "V", decimals: 1 },
    { key: "__proto__", unit: "A" },
  ];
  expect([...resolveKeyMetadata(defaults, [{ key: "a", name: "Own" }])]).toEqual([
    ["a", { key: "a", name: "Own" }],
    ["__proto__", { key: "__proto__", unit: "A" }],
  ]);
});

test("a value at a limit is beyond it, and the outer limit counts", () => {
  const limits = { lowLow: -10, low: 0, high: 10, highHigh: 20 };
  expect([-10, -9.9, 0, 0.1, 9.9, 10, 19.9, 20].map((value) => limitLevel(value, limits))).toEqual([
    "critical",
    "warning",
    "warning",
    "normal",
    "normal",
    "warning",
    "warning",
    "critical",
  ]);
  expect(limitLevel(5, { highHigh: 5 })).toBe("critical");
  expect(limitLevel("50", limits)).toBe("normal");
  expect(limitLevel(Number.NaN, limits)).toBe("normal");
  expect(limitLevel(50, undefined)).toBe("normal");
});

test("a count or a duration of values has no unit, and an increase no limits", () => {
  const metadata = { key: "e", name: "Energy", unit: "kWh", decimals: 1, limits: { high: 5 } };
  expect(aggregatedMetadata(metadata, "avg")).toBe(metadata);
  expect(aggregatedMetadata(metadata, undefined)).toBe(metadata);
  expect(aggregatedMetadata(metadata, "count")).toEqual({ key: "e", name: "Energy" });
  expect(aggregatedMetadata(metadata, "timeIn")).toEqual({ key: "e", name: "Energy" });
  expect(aggregatedMetadata(metadata, "delta")).toEqual({
    key: "e",
    name: "Energy",
    unit: "kWh",
    decimals: 1,
  });
  expect(aggregatedMetadata(undefined, "avg")).toBeUndefined();
});

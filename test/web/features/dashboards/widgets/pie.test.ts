import { expect, test } from "bun:test";
import type { KeyMetadata } from "../../../../../src/lib/keys/key-metadata.ts";
import { slicePath, slicesOf } from "../../../../../src/web/features/dashboards/widgets/state-pie-widget.tsx";

const metadata: KeyMetadata = {
  key: "mode",
  states: [
    { value: 1, name: "Run", color: "green" },
    { value: 2, name: "Run", color: "green" },
    { value: 3, name: "Fault", color: "red" },
  ],
};

test("counts devices by the names of their states, and those without a value last", () => {
  const values = [3, undefined, 1, undefined, 2, undefined].map((value) => ({ value, metadata }));
  expect(slicesOf(values).map(({ value, color, amount }) => [value, color, amount])).toEqual([
    [1, "green", 2],
    [3, "red", 1],
    [undefined, "gray", 3],
  ]);
});

test("adds up the times of states", () => {
  const times = [
    { value: 3, metadata, amount: 100 },
    { value: 1, metadata, amount: 400 },
    { value: 2, metadata, amount: 50 },
  ];
  expect(slicesOf(times).map(({ value, amount }) => [value, amount])).toEqual([
    [1, 450],
    [3, 100],
  ]);
});

test("gives values without states a color each", () => {
  const values = ["a", "a", "b", true].map((value) => ({ value, metadata: undefined }));
  const slices = slicesOf(values);
  expect(slices.map(({ amount }) => amount)).toEqual([2, 1, 1]);
  expect(new Set(slices.map(({ color }) => color)).size).toBe(3);
});

test("draws a whole circle, and slices that meet", () => {
  expect(slicePath(0, 1)).toContain("a45 45");
  expect(slicePath(0, 0.25)).toBe("M50 50L50.00 5.00A45 45 0 0 1 95.00 50.00z");
  expect(slicePath(0.25, 1)).toBe("M50 50L95.00 50.00A45 45 0 1 1 50.00 5.00z");
});

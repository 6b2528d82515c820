import { expect, test } from "bun:test";
import { compileCondition } from "../../../src/lib/alarms/condition.ts";

const holds = (condition: unknown, value: unknown) =>
  compileCondition(condition).test({ key: () => value, attribute: () => undefined });

test.each([
  [1, true],
  [-0, true],
  ["1", false],
  ["b", true],
  [true, true],
  [{ x: [1] }, true],
  [{ x: [2] }, false],
  [[1], false],
])("%p is in a list of values of all kinds: %p", (value, isIn) => {
  expect(holds({ key: "a", op: "IN", value: [1, 0, "b", true, null, { x: [1] }] }, value)).toBe(isIn);
});

test("a list has at most a thousand values, whatever the operator", () => {
  const value = Array.from({ length: 1_001 }, (_, index) => index);
  for (const op of ["IN", "EQ"])
    expect(() => compileCondition({ key: "a", op, value })).toThrow("at most 1000 values");
  expect(holds({ key: "a", op: "IN", value: value.slice(1) }, 1_000)).toBe(true);
});

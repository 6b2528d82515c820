import { expect, test } from "bun:test";
import { fuzzyScore } from "../../../src/web/lib/fuzzy.ts";

test("the starts of words find a name, in order", () => {
  expect(fuzzyScore("p4h", "Press 4 hydraulics")).toBeGreaterThan(20);
  expect(fuzzyScore("h4p", "Press 4 hydraulics")).toBeUndefined();
});

test("a name that begins with the text comes before one that merely contains it", () => {
  expect(fuzzyScore("over", "Overview")!).toBeGreaterThan(fuzzyScore("over", "Recover everything")!);
});

import { expect, test } from "bun:test";
import {
  filterMatches,
  filtersOverlap,
  isValidFilter,
  withoutShare,
} from "../../../src/lib/mqtt/topic-filters.ts";

test.each([
  ["a/b", "a/b", true],
  ["a/b", "a/c", false],
  ["a/b", "a/b/c", false],
  ["a/+", "a/b", true],
  ["a/+", "a", false],
  ["a/+", "a/", true],
  ["a/#", "a", true],
  ["a/#", "a/b/c", true],
  ["+/+", "/b", true],
  ["#", "a/b", true],
  ["#", "$SYS/x", false],
  ["+/x", "$SYS/x", false],
  ["$SYS/#", "$SYS/x", true],
  ["+/b", "$SYS/b", false],
  ["a/+/c", "a/b/c", true],
  ["a/+/c", "a/b/c/d", false],
  ["a/b", "a/#", false],
  ["a/b", "+/b", false],
])("filter %s on topic %s: %p", (filter, topic, matches) => {
  expect(filterMatches(filter, topic)).toBe(matches);
});

test.each([
  ["a/b", true],
  ["#", true],
  ["a/+/c", true],
  ["/", true],
  ["", false],
  ["a#", false],
  ["a/#/b", false],
  ["a+/b", false],
  ["a/".repeat(95), false],
])("filter %s is valid: %p", (filter, valid) => {
  expect(isValidFilter(filter)).toBe(valid);
});

test("filters overlap when one topic can match both", () => {
  expect(filtersOverlap("a/+/c", "a/b/+")).toBe(true);
  expect(filtersOverlap("a/+/c", "a/b/d")).toBe(false);
  expect(filtersOverlap("a/#", "a/b/+")).toBe(true);
});

test("removes the prefix of a shared subscription only", () => {
  expect(withoutShare("$share/group/a/+")).toBe("a/+");
  expect(withoutShare("a/$share/group")).toBe("a/$share/group");
});

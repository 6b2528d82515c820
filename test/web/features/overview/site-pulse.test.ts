import { expect, test } from "bun:test";
import { stableList } from "../../../../src/web/features/overview/site-pulse.ts";

const NOW = 1_000_000;
const listOf = (
  shown: readonly string[],
  ages: Readonly<Record<string, number>>,
  recent: readonly string[],
) =>
  stableList(
    shown,
    recent.map((deviceId) => ({ deviceId, ts: NOW - (ages[deviceId] ?? 0) })),
    { newestOf: (deviceId) => NOW - (ages[deviceId] ?? 0), nameOf: (deviceId) => deviceId },
  );

test("devices that report keep their places, sorted by name", () => {
  const ages = { a: 2_000, b: 1_000, c: 0 };
  expect(listOf([], ages, ["c", "b"])).toEqual(["b", "c"]);
  expect(listOf(["a", "b"], ages, ["c", "b"])).toEqual(["a", "b"]);
});

test("a device that has been silent for a minute gives its place to one that reports", () => {
  expect(listOf(["a", "b"], { a: 61_000 }, ["c", "b"])).toEqual(["b", "c"]);
});

test("devices that report rarely are sorted by the time of their newest values", () => {
  const ages = { a: 200_000, b: 0, c: 100_000 };
  expect(listOf([], ages, ["b", "c", "a"])).toEqual(["b", "c", "a"]);
});

import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import fc from "fast-check";
import { clientFilterMatches } from "../../../src/lib/mqtt/reserved-topics.ts";
import { TopicTree } from "../../../src/lib/mqtt/topic-tree.ts";

const level = fc.constantFrom("", "a", "b", "$SYS", "lineside");
const topic = fc.array(level, { minLength: 1, maxLength: 4 }).map((levels) => levels.join("/"));
const filter = fc
  .tuple(fc.array(fc.oneof(level, fc.constant("+")), { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([levels, isOpen]) => [...levels, ...(isOpen ? ["#"] : [])].join("/"));

test("finds the filters that match a topic, whatever was removed before", () => {
  fc.assert(
    fc.property(
      fc.array(filter),
      fc.array(filter),
      fc.array(topic, { minLength: 1 }),
      (kept, removed, topics) => {
        const tree = new TopicTree<string, string>();
        for (const name of [...kept, ...removed]) tree.set(name, name, name);
        for (const name of removed) tree.delete(name, name);
        const left = [...new Set(kept)].filter((name) => !removed.includes(name));
        for (const name of topics) {
          const expected = left.filter((pattern) => clientFilterMatches(pattern, name));
          expect(tree.match(name).sort()).toEqual(expected.sort());
          expect(tree.hasMatch(name)).toBe(expected.length > 0);
        }
      },
    ),
  );
});

test("returns the newest value of a key for each of its filters", () => {
  const tree = new TopicTree<string, number>();
  for (const [name, value] of [
    ["a/#", 1],
    ["a/+", 0],
    ["a/+", 2],
    ["a/b", 3],
  ] as const)
    tree.set(name, "one", value);
  expect(tree.match("a/b").sort()).toEqual([1, 2, 3]);
  tree.delete("a/+", "one");
  tree.delete("a/+", "one");
  tree.delete("none/such", "one");
  expect(tree.match("a/b").sort()).toEqual([1, 3]);
});

test("keeps no memory for filters that were removed", () => {
  const countMaps = () => {
    Bun.gc(true);
    return heapStats().objectTypeCounts.Map ?? 0;
  };
  const tree = new TopicTree<string, number>();
  const filters = Array.from({ length: 2_000 }, (_, index) => `devices/${index}/state`);
  tree.set("devices/kept", "one", 1);
  const before = countMaps();
  for (const name of filters) tree.set(name, "one", 1);
  expect(countMaps() - before).toBeGreaterThan(filters.length);
  for (const name of filters) tree.delete(name, "one");
  // The collector may keep a few that it cannot tell from numbers on the stack.
  expect(countMaps() - before).toBeLessThan(filters.length / 10);
  expect(tree.match("devices/kept")).toEqual([1]);
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import { clientFilterMatches } from "../../../src/lib/mqtt/reserved-topics.ts";
import { filterCovers, filterMatches, readSharedFilter } from "../../../src/lib/mqtt/topic-filters.ts";

const level = fc.constantFrom("a", "b", "", "$s", "lineside");
const topic = fc.array(level, { minLength: 1, maxLength: 4 }).map((levels) => levels.join("/"));
const filter = fc
  .tuple(fc.array(fc.constantFrom("a", "b", "", "+"), { maxLength: 3 }), fc.constantFrom("a", "+", "#", "$s"))
  .map(([levels, last]) => [...levels, last].join("/"));

test("a pattern that covers a filter matches every topic that the filter matches", () => {
  let covering = 0;
  fc.assert(
    fc.property(
      filter,
      filter,
      fc.array(topic, { minLength: 20, maxLength: 20 }),
      (pattern, asked, topics) => {
        if (!filterCovers(pattern, asked)) return;
        covering++;
        for (const name of topics)
          if (filterMatches(asked, name))
            expect([pattern, asked, name, filterMatches(pattern, name)]).toEqual([
              pattern,
              asked,
              name,
              true,
            ]);
      },
    ),
    { numRuns: 5_000 },
  );
  expect(covering).toBeGreaterThan(100);
});

test("every filter covers itself, and # covers what does not begin with $", () => {
  fc.assert(
    fc.property(filter, (asked) => {
      expect(filterCovers(asked, asked)).toBe(true);
      expect(filterCovers("#", asked)).toBe(!asked.startsWith("$"));
    }),
  );
});

test.each([
  ["a/+", "a/#", false],
  ["a/#", "a", true],
  ["a/b/#", "a", false],
  ["+/+", "a/+", true],
  ["a/+", "+/b", false],
  ["+", "#", false],
])("%s covers %s: %p", (pattern, asked, covers) => {
  expect(filterCovers(pattern, asked)).toBe(covers);
});

test("a leading wildcard does not reach the server's own topics", () => {
  for (const own of ["$SYS/x", "lineside/devices/x/state", "lineside"]) {
    expect([own, clientFilterMatches("#", own), clientFilterMatches("+/#", own)]).toEqual([
      own,
      false,
      false,
    ]);
    expect(clientFilterMatches(own, own)).toBe(true);
  }
  expect(clientFilterMatches("#", "linesider/x")).toBe(true);
});

test("a shared subscription has a group without wildcards, and a filter", () => {
  expect(readSharedFilter("$share/g/a/#")).toEqual({ group: "g", filter: "a/#" });
  for (const invalid of ["$share", "$share/g", "$share/g/", "$share//a", "$share/+/a", "a/b"])
    expect([invalid, readSharedFilter(invalid)]).toEqual([invalid, undefined]);
});

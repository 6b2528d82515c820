import { dirname } from "node:path";
import type { Import } from "./source-files.ts";

/** Max. tests per group. Those in a directory of the same name come first. */
const TESTS_MAX = 8;

/** Returns the number of directories that two paths share below their first directory. */
function sharedDirectories(a: string, b: string): number {
  const [first, second] = [a, b].map((path) => dirname(path).split("/").slice(1));
  let count = 0;
  while (first?.[count] !== undefined && first[count] === second?.[count]) count++;
  return count;
}

/** Returns the number of imports between a file and every file that runs it, without type imports. */
function distancesTo(file: string, imports: ReadonlyMap<string, readonly Import[]>): Map<string, number> {
  const importers = new Map<string, string[]>();
  for (const [path, list] of imports)
    for (const { target, isTypeOnly } of list)
      if (!isTypeOnly) importers.set(target, [...(importers.get(target) ?? []), path]);
  const distances = new Map([[file, 0]]);
  for (const [path, distance] of distances)
    for (const importer of importers.get(path) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  return distances;
}

/**
 * Returns the tests that are likely to detect a change of a file, in groups to run in sequence: the most direct importers, then the tests with one
 * more import in between.
 */
export function coveringTests(file: string, imports: ReadonlyMap<string, readonly Import[]>): string[][] {
  const distances = distancesTo(file, imports);
  const tests = [...distances].filter(([path]) => path.endsWith(".test.ts"));
  const nearest = Math.min(...tests.map(([, distance]) => distance));
  return [nearest, nearest + 1].flatMap((wanted) => {
    const group = tests.flatMap(([path, distance]) => (distance === wanted ? path : []));
    group.sort((a, b) => sharedDirectories(b, file) - sharedDirectories(a, file) || (a < b ? -1 : 1));
    return group.length === 0 ? [] : [group.slice(0, TESTS_MAX)];
  });
}

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { findDuplicates } from "./code-duplicates.ts";
import { FUNCTION_LINES_MAX, longFunctionsOf } from "./long-functions.ts";
import { type Import, importsOf, listFiles, parseFiles, type SourceFile } from "./source-files.ts";

/*
 * `npm run size [-- directory [field …]]`: prints the measures of a checkout as a table in Markdown. Two checkouts are compared by two runs.
 */

/** Fields of different features, each with a column, a schema and a form. */
const SAMPLE_FIELDS = ["commandTimeoutMs", "inactivityTimeoutMs", "notificationEscalationLevel"];

const linesOf = (text: string): number => text.split("\n").length - 1;

/** Counts the lines of all text files of a directory. */
function countLines(checkout: string, directory: string, isIncluded: (path: string) => boolean): number {
  const files = listFiles(join(checkout, directory)).filter(isIncluded);
  return files.reduce((sum, file) => sum + linesOf(readFileSync(file, "utf8")), 0);
}

type Graph = ReadonlyMap<string, readonly string[]>;

/** Adds unseen files that can be reached from a file, each after its own dependencies. */
function collectReachable(graph: Graph, file: string, seen: Set<string>, order: string[]): void {
  if (seen.has(file)) return;
  seen.add(file);
  for (const target of graph.get(file) ?? []) collectReachable(graph, target, seen, order);
  order.push(file);
}

/** Counts import cycles: strongly connected components, by the algorithm of Kosaraju. */
export function countCycles(graph: Graph): number {
  const order: string[] = [];
  const seen = new Set<string>();
  for (const file of graph.keys()) collectReachable(graph, file, seen, order);
  const importers = new Map<string, string[]>();
  for (const [file, targets] of graph)
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), file]);
  const grouped = new Set<string>();
  const groups = order.toReversed().map((file) => {
    const group: string[] = [];
    collectReachable(importers, file, grouped, group);
    return group;
  });
  return groups.filter(({ length }) => length > 1).length;
}

/** Counts the lines that contain a field in camel case or snake case, and their files. */
function countField(files: readonly SourceFile[], field: string): { lines: number; files: number } {
  const snake = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const name = new RegExp(`\\b(${field}|${snake})\\b`);
  const product = files.filter(({ path }) => !path.startsWith("src/tools/"));
  const counts = product.map(({ text }) => text.split("\n").filter((line) => name.test(line)).length);
  return {
    lines: counts.reduce((sum, count) => sum + count, 0),
    files: counts.filter((count) => count > 0).length,
  };
}

/** Returns the measures of one checkout, in the order of the table. */
export function measure(
  checkout: string,
  fields: readonly string[],
): ReadonlyArray<readonly [string, string]> {
  const files = parseFiles(checkout, "src");
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]));
  const graphOf = (isIncluded: (item: Import) => boolean) =>
    new Map([...imports].map(([path, list]) => [path, list.filter(isIncluded).map(({ target }) => target)]));
  const duplicates = findDuplicates(files);
  const isText = (path: string) => /\.(tsx?|mjs|js|css|sql|json)$/.test(path);
  /** Texts of the languages, and files generated from them. */
  const isCatalogue = (path: string) => /lib\/texts\/(places\.ts|.+\.json)$/.test(path);
  const lengths = files.map(({ text }) => linesOf(text)).sort((a, b) => a - b);
  const quantile = (share: number) => lengths[Math.floor(share * (lengths.length - 1))] ?? 0;
  const docComments = files.reduce((sum, { text }) => sum + (text.match(/\/\*\* /g)?.length ?? 0), 0);
  const rows: Array<readonly [string, string | number]> = [
    ["lines in src", countLines(checkout, "src", (path) => isText(path) && !isCatalogue(path))],
    ["lines of texts as data", countLines(checkout, "src", isCatalogue)],
    ["lines in src/web", countLines(checkout, "src/web", isText)],
    ["files in src", files.length],
    ["median lines of a file", quantile(0.5)],
    ["90th percentile", quantile(0.9)],
    ["doc comments in one line", docComments],
    ["lines in test", countLines(checkout, "test", isText)],
    ["lines in drizzle", countLines(checkout, "drizzle", isText)],
    [
      "files over 600 lines in src",
      files.filter(({ path, text }) => !isCatalogue(path) && linesOf(text) > 600).length,
    ],
    [
      `functions over ${FUNCTION_LINES_MAX} lines`,
      files.reduce((sum, file) => sum + longFunctionsOf(file.ast).length, 0),
    ],
    ["import cycles at run time", countCycles(graphOf(({ isTypeOnly }) => !isTypeOnly))],
    ["import cycles, types included", countCycles(graphOf(() => true))],
    ["duplicated blocks", duplicates.length],
    ["duplicated lines", duplicates.reduce((sum, { first, last }) => sum + last - first + 1, 0)],
    ...fields.map((field) => {
      const { lines, files: count } = countField(files, field);
      return [`lines that name \`${field}\``, `${lines} in ${count} files`] as const;
    }),
  ];
  return rows.map(([name, value]) => [name, typeof value === "number" ? value.toLocaleString("en") : value]);
}

if (import.meta.main) {
  const [directory = join(import.meta.dir, "..", "..", ".."), ...fields] = process.argv.slice(2);
  const rows = measure(resolve(directory), fields.length > 0 ? fields : SAMPLE_FIELDS);
  console.log(
    `| measure | value |\n|---|---|\n${rows.map(([name, value]) => `| ${name} | ${value} |`).join("\n")}`,
  );
}

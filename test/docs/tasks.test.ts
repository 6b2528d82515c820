import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { manualSections } from "../../src/tools/build/manual.ts";

/** Pages of the index under “Tasks” have the form of a task in both languages. */

const docs = join(import.meta.dir, "../../docs");
const WORDS_MAX = 900;
const taskSections = ["devices", "networks", "rules", "users", "operation"];
const tasks = manualSections.filter(({ id }) => taskSections.includes(id)).flatMap(({ pages }) => pages);
const textOf = (page: string): string => readFileSync(join(docs, page), "utf8");
const wordsOf = (text: string): string[] =>
  text
    .replace(/^ *```[\s\S]*?^ *```/gm, "")
    .split(/\s+/)
    .filter((word) => /\w/.test(word));

test("the index has every section of tasks", () => {
  expect(taskSections.filter((section) => !manualSections.some(({ id }) => id === section))).toEqual([]);
  expect(tasks.length).toBeGreaterThan(40);
});

for (const [folder, heading] of [
  ["", "If it does not work"],
  ["de/", "Wenn es nicht funktioniert"],
] as const)
  test(`each task ends with “${heading}” and a table of symptoms`, () => {
    const wrong = tasks.filter((page) => {
      const last = textOf(`${folder}${page}.md`).split(/^## /m).at(-1) ?? "";
      return !last.startsWith(`${heading}\n`) || (last.match(/^\| /gm) ?? []).length < 3;
    });
    expect(wrong).toEqual([]);
  });

test(`a task has at most ${WORDS_MAX} words without its examples`, () => {
  const long = tasks.map((page) => `${page}: ${wordsOf(textOf(`${page}.md`)).length}`);
  expect(long.filter((line) => Number(line.split(": ")[1]) > WORDS_MAX)).toEqual([]);
});

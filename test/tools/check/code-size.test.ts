import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measure } from "../../../src/tools/check/code-size.ts";

/** The measures of a small checkout whose numbers are known. */

let checkout: string;
let rows: ReadonlyMap<string, string>;

const copied = `export const copied = (a: number, b: number) => {
  if (a > b) return { first: a, second: b, sum: a + b, difference: a - b };
  if (a < b) return { first: b, second: a, sum: a + b, difference: b - a };
  return { first: a, second: b, sum: a + b, difference: 0, isEqual: true };
};
`;

const calls = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => `  work(${first + index});\n`).join("");

beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), "lineside-size-"));
  const files = {
    "src/a.ts": `import { b } from "./b.ts";\nexport const a = () => b;\n`,
    "src/b.ts": `import { a } from "./a.ts";\nexport const b = () => a;\n`,
    "src/c.ts": `import type { D } from "./d.ts";\nexport interface C { someField: D }\n`,
    "src/d.ts": `import { C } from "./c.ts";\nexport interface D { c: C["someField"] }\nconst column = "some_field";\n`,
    "src/long.ts": `export function long() {\n${calls(69)}}\nfunction short() {\n${calls(68, 100)}}\n`,
    "src/factory.ts": `export function factory() {\n${calls(60, 200)}  const inner = () => {\n${calls(60, 300)}  };\n  return inner;\n}\n`,
    "src/first.ts": copied,
    "src/second.ts": copied,
    "src/lib/texts/server.en.json": '{\n  "a": "b"\n}\n',
    "src/web/page.tsx": "/** A page. */\nexport const page = 1;\n",
    "test/a.test.ts": "one\ntwo\n",
    "drizzle/0000.sql": "one\n",
  };
  for (const [name, text] of Object.entries(files)) await Bun.write(join(checkout, name), text);
  rows = new Map(measure(checkout, ["someField"]));
});
afterAll(() => rm(checkout, { recursive: true, force: true }));

test.each([
  ["files in src", "9"],
  ["lines of texts as data", "3"],
  ["lines in src/web", "2"],
  ["median lines of a file", "3"],
  ["doc comments in one line", "1"],
  ["lines in test", "2"],
  ["lines in drizzle", "1"],
  ["files over 600 lines in src", "0"],
  ["functions over 70 lines", "1"],
  ["import cycles at run time", "1"],
  ["import cycles, types included", "2"],
  ["duplicated blocks", "2"],
  ["duplicated lines", "10"],
  ["lines that name `someField`", "3 in 2 files"],
])("counts %s", (name, value) => {
  expect(rows.get(name)).toBe(value);
});

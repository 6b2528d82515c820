import { expect, test } from "bun:test";
import ts from "typescript";
import { findDuplicates } from "../../../src/tools/check/code-duplicates.ts";

const parse = (path: string, text: string) => ({
  path,
  ast: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true),
});
/** Ten lines of seven tokens each. */
const block = Array.from({ length: 10 }, (_, index) => `  total = total + step${index} * 2;`).join("\n");

test("code in two files is found in both, with its lines and its other place", () => {
  const first = parse("first.ts", `// above\nbegin\n${block}\nend\n`);
  const second = parse("second.ts", `import "./first.ts";\n// another\nmore\n\n${block}\nleave\n`);
  expect(findDuplicates([first, second])).toEqual([
    { path: "first.ts", first: 3, last: 12, other: "second.ts:5" },
    { path: "second.ts", first: 5, last: 14, other: "first.ts:3" },
  ]);
});

test("short repetitions, and code that differs in a name, are not found", () => {
  const short = block.split("\n").slice(0, 6).join("\n");
  expect(findDuplicates([parse("first.ts", short), parse("second.ts", short)])).toEqual([]);
  const other = block.replace("step4", "other");
  expect(findDuplicates([parse("first.ts", block), parse("second.ts", other)])).toEqual([]);
});

test("a block that is repeated in its own file is found twice", () => {
  const found = findDuplicates([parse("one.ts", `begin\n${block}\nmiddle\n\n\n${block}\nend\n`)]);
  expect(found.map(({ first, other }) => [first, other])).toEqual([
    [2, "one.ts:15"],
    [15, "one.ts:2"],
  ]);
});

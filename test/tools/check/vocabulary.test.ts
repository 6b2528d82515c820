import { expect, test } from "bun:test";
import { checkComments } from "../../../src/tools/check/vocabulary.ts";

const problemsOf = (comment: string) =>
  checkComments("src/lib/example.ts", `const first = 1;\n\n${comment}\nexport const second = 2;\n`);

test.each([
  "/** Returns what is stored. */",
  "/** Describes how a value moves. */",
  "  /** States where the newest value is. */",
  "/**\n * Shows which rows are left,\n * and why.\n */",
  "/** … nor is one that carried less. */",
  "/** Sealed at the latest after this time … */",
])("the check reports %p", (comment) => {
  const problems = problemsOf(comment);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toStartWith("src/lib/example.ts:3: doc comment with ");
});

test.each([
  "/** Returns whether the file is open. */",
  "/** Returns the rows that are left. */",
  "/** Whatever it returns, what counts is the time. */",
  "/** Topics under `v1/gateway/…` of gateways. */",
  "// Returns what is stored.",
  'const text = "/** Returns what is stored. */";',
])("the check allows %p", (comment) => {
  expect(problemsOf(comment)).toEqual([]);
});

import { expect, test } from "bun:test";
import ts from "typescript";
import { styleProblems } from "../../../src/tools/check/code-style.ts";

const problemsOf = (text: string): string[] =>
  styleProblems({
    path: "x.ts",
    text,
    ast: ts.createSourceFile("x.ts", text, ts.ScriptTarget.Latest, true),
  });

test.each([
  "const limit = 5;",
  "const limit = -1;",
  'export const name = "a" as const;',
  "const pattern = /a/;",
  "const hourMs = 60 * MINUTE_MS;",
  'const kinds = ["a", "b"];',
  'const kinds = new Set(["a", "b"]);',
  "const all = [...OTHERS, 1];",
])("%s is a constant", (text) => {
  expect(problemsOf(text)).toEqual([`x.ts:1: ${/(\w+) =/.exec(text)?.[1]} is a constant: UPPER_SNAKE`]);
});

test.each([
  "const LIMIT = 5;",
  "const parts = new Map();",
  "const open = () => 5;",
  "const schema = t.String();",
  "const names = { a: 1 };",
  "const isOpen = a && b;",
  "function f() { const limit = 5; return limit; }",
  "let count = 0;",
])("%s is none that has to be renamed", (text) => {
  expect(problemsOf(text)).toEqual([]);
});

test("a private member is #x, except a constructor", () => {
  expect(
    problemsOf("class A {\n  private x = 1;\n  private f() {}\n  constructor(private y: 1) {}\n}"),
  ).toEqual([
    "x.ts:2: a private member is written #x",
    "x.ts:3: a private member is written #x",
    "x.ts:4: a private member is written #x",
  ]);
  expect(problemsOf("class A { private constructor() {} #x = 1; }")).toEqual([]);
});

test("the fields of a literal are written out, not spread", () => {
  const problem = "x.ts:1: the fields of a literal are written out, not spread";
  expect(problemsOf("f({ ...{ a, b }, c });")).toEqual([problem]);
  expect(problemsOf("f({ ...rest, ...{ a: 1 } });")).toEqual([problem]);
  expect(problemsOf("f({ ...rest, ...(isOpen && { a: 1 }) });")).toEqual([]);
});

import { describe, expect, test } from "bun:test";
import ts from "typescript";
import { coveringTests } from "../../../src/tools/check/covering-tests.ts";
import { applyMutant, mutantsOf, sampleMutants } from "../../../src/tools/check/mutation.ts";

const parse = (text: string) => ts.createSourceFile("a.ts", text, ts.ScriptTarget.Latest, true);

/** The program with each of its mutants. */
const variants = (text: string) => mutantsOf(parse(text)).map((mutant) => applyMutant(text, mutant));

describe("a mutant changes", () => {
  test.each([
    ["a border", "x = a < b;", ["x = a <= b;"]],
    ["a border", "x = a >= b;", ["x = a > b;"]],
    ["an equality", "x = a !== b;", ["x = a === b;"]],
    ["arithmetic", "x = a - b;", ["x = a + b;"]],
    ["arithmetic", "x = a % b;", ["x = a * b;"]],
    ["an assignment", "x += a;", ["x -= a;"]],
    ["logic", "x = a && b;", ["x = a || b;"]],
    ["a default", "x = a ?? b;", ["x = a && b;"]],
    ["a negation", "x = !a;", ["x = a;"]],
    ["a ternary", "x = a ? b : c;", ["x = a ? c : b;"]],
    ["a boolean", "x = true;", ["x = false;"]],
    ["a number", "x = 1_000;", ["x = 999;"]],
    ["a number", "x = 0;", ["x = 1;"]],
  ])("%s: %s", (_, text, expected) => {
    // Every statement can also be removed.
    expect(variants(text)).toEqual([";", ...expected]);
  });

  test.each([
    ["a step", "a++;", ["a--;", ";"]],
    ["a step", "--a;", ["++a;", ";"]],
    ["a condition", "if (a) {}", ["if (true) {}", "if (false) {}"]],
    ["a loop", "while (a) {}", ["while (false) {}"]],
    ["a loop", "for (;a;) {}", ["for (;false;) {}"]],
    ["a call", "if (a) call();", ["if (true) call();", "if (false) call();", "if (a) ;"]],
    ["a result", "function f() { return a; }", ["function f() { return undefined; }"]],
    ["a result", "const f = () => a;", ["const f = () => undefined;"]],
    ["a result", "function f() { return false; }", ["function f() { return true; }"]],
    ["a jump", "for (;;) break;", ["for (;;) ;"]],
  ])("%s: %s", (_, text, expected) => {
    expect(variants(text)).toEqual(expected);
  });

  test("nothing that has no effect at runtime", () => {
    const text = `import { a } from "a";
type T = 1 | true;
interface I { readonly a: 0 }
const x: false | 5 = y as 7;
const o = { 1: z };
export { x };`;
    expect(variants(text)).toEqual([]);
  });
});

test("every mutant of a file is a program", () => {
  const text = `export function f(a: number[]): string {
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    if (a[i]! > 3 && !(a[i] === 5)) sum += a[i]! * 2;
    else continue;
  }
  return sum > 10 ? \`\${-sum}\` : "none";
}`;
  const all = variants(text);
  expect(all.length).toBeGreaterThan(20);
  expect(new Set(all).size).toBe(all.length);
  for (const variant of all)
    expect(() => new Bun.Transpiler({ loader: "ts" }).transformSync(variant)).not.toThrow();
});

test("a sample is the same for the same seed, in the order of the file and without repeats", () => {
  const mutants = mutantsOf(parse(Array.from({ length: 50 }, (_, index) => `call(${index});`).join("\n")));
  const sample = sampleMutants(mutants, { count: 10, seed: 7 });
  expect(sample).toHaveLength(10);
  expect(sample).toEqual(mutants.filter((mutant) => sample.includes(mutant)));
  expect(sampleMutants(mutants, { count: 10, seed: 7 })).toEqual(sample);
  expect(sampleMutants(mutants, { count: 10, seed: 8 })).not.toEqual(sample);
  expect(sampleMutants(mutants, { count: 1_000, seed: 7 })).toEqual(mutants);
});

test("tests that import a file most directly come first, and imports of types do not count", () => {
  const of = (...targets: string[]) => targets.map((target) => ({ target, isTypeOnly: false }));
  const imports = new Map([
    ["test/modules/a/direct.test.ts", of("src/modules/a/a.ts")],
    ["test/b/direct.test.ts", of("src/modules/a/a.ts")],
    ["test/b/by-fixture.test.ts", of("test/b/fixture.ts")],
    ["test/b/fixture.ts", of("src/modules/a/a.ts")],
    ["test/b/far.test.ts", of("src/far.ts")],
    ["src/far.ts", of("src/b.ts")],
    ["src/b.ts", of("src/modules/a/a.ts")],
    ["test/b/types.test.ts", [{ target: "src/modules/a/a.ts", isTypeOnly: true }]],
  ]);
  expect(coveringTests("src/modules/a/a.ts", imports)).toEqual([
    ["test/modules/a/direct.test.ts", "test/b/direct.test.ts"],
    ["test/b/by-fixture.test.ts"],
  ]);
  expect(coveringTests("src/other.ts", imports)).toEqual([]);
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DomainError } from "../../../src/lib/core/domain-error.ts";
import {
  compileExpression as compileWith,
  type ExpressionReads,
} from "../../../src/lib/expressions/expression.ts";
import { type ExpressionValue, plain } from "../../../src/lib/expressions/expression-nodes.ts";

const scopeOf = (keys: Record<string, unknown>, attributes: Record<string, unknown> = {}) => ({
  key: (name: string) => (Object.hasOwn(keys, name) ? keys[name] : undefined),
  attribute: (scope: string, name: string) => attributes[`${scope}.${name}`],
});
type Scope = ReturnType<typeof scopeOf>;
const reads: ExpressionReads<Scope> = {
  key: (name) => (scope) => plain(scope.key(name)),
  attribute: (of, name) => (scope) => plain(scope.attribute(of, name)),
};
const compileExpression = (source: string) => compileWith(source, reads);
const run = (source: string, keys: Record<string, unknown> = {}, attributes: Record<string, unknown> = {}) =>
  compileExpression(source)(scopeOf(keys, attributes));

describe("an expression", () => {
  const rows: Array<[string, Record<string, unknown>, ExpressionValue | undefined]> = [
    ["1 + 2 * 3", {}, 7],
    ["(1 + 2) * 3", {}, 9],
    ["10 - 4 - 3", {}, 3],
    ["2 ** 3 ** 2", {}, 512],
    ["-2 ** 2", {}, -4],
    ["2 ** -1", {}, 0.5],
    ["7 % 4 * 2", {}, 6],
    ["1.5e3 + .5", {}, 1500.5],
    ["(temp - 32) * 5 / 9", { temp: 212 }, 100],
    ["a.b + 1", { "a.b": 2 }, 3],
    ['key("supply temp") / 2', { "supply temp": 41 }, 20.5],
    ["a > 1 && b < 2 || false", { a: 2, b: 1 }, true],
    ["!a", { a: false }, true],
    ["!0", {}, true],
    ["a == 'on' ? 1 : 0", { a: "on" }, 1],
    ["a != 'on' ? 1 : a == 'on' ? 2 : 3", { a: "on" }, 2],
    ['"a" + 1', {}, "a1"],
    ["'it\\'s'", {}, "it's"],
    ["'a' < 'b'", {}, true],
    ["min(3, 1, 2) + max(a, 5)", { a: 9 }, 10],
    ["round(2.345, 2)", {}, 2.35],
    ["round(-2.5)", {}, -3],
    ["round(1.005, 2)", {}, 1.01],
    ["abs(-3) + sqrt(16) + floor(1.9) + ceil(1.1)", {}, 10],
    ["pow(2, 10)", {}, 1024],
    ["log(8, 2)", {}, 3],
    ["exp(0)", {}, 1],
    ["missing + 1", {}, undefined],
    ["missing == 1 ? 2 : 3", {}, undefined],
    ["false && missing", {}, false],
    ["true || missing", {}, true],
    ["true ? 1 : missing", {}, 1],
    ["a", { a: { nested: 1 } }, undefined],
    ["__proto__", {}, undefined],
    ["constructor", {}, undefined],
  ];
  for (const [source, keys, expected] of rows)
    test(`${source} with ${JSON.stringify(keys)} is ${expected}`, () => {
      const value = run(source, keys);
      if (typeof expected === "number") expect(value).toBeCloseTo(expected, 12);
      else expect(value).toBe(expected as never);
    });

  test("reads attributes by scope and name", () => {
    expect(run('a - attribute("server", "off set")', { a: 5 }, { "SERVER.off set": 2 })).toBe(3);
    expect(run('attribute("SHARED", "none")', {})).toBeUndefined();
  });

  for (const [source, keys] of [
    ["'a' - 1", {}],
    ["1 < 'a'", {}],
    ["1 / 0", {}],
    ["sqrt(-1)", {}],
    ["a * 2", { a: true }],
    ["-'a'", {}],
  ] as const)
    test(`${source} cannot be reckoned`, () => {
      expect(() => run(source, keys)).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^step_failure\./) }),
      );
    });

  for (const source of [
    "",
    "1 +",
    "(1",
    "1)",
    "1 2",
    "a ? 1",
    "a = 1",
    "nothing(1)",
    "toString(1)",
    "__proto__(1)",
    "round()",
    "round(1, 2, 3)",
    "pow(1)",
    "key(a)",
    'attribute("SHARED")',
    "1 < 2 < 3",
    "'open",
    "a; b",
    "a[0]",
    `${"(".repeat(200)}1${")".repeat(200)}`,
    `${"-".repeat(200)}1`,
    "1+".repeat(600),
  ])
    test(`${source.slice(0, 40)} is refused`, () => {
      try {
        compileExpression(source);
      } catch (error) {
        expect(error).toBeInstanceOf(DomainError);
        expect((error as DomainError).code).toBe("expression.invalid");
        return;
      }
      throw new Error("it was taken");
    });
});

test.each([
  ["1 + mux(2)", "There is no function mux (character 5)."],
  ["1 +  round()", "Unexpected ) at character 12."],
  ["a + (round(1, 2, 3))", "`round` at character 6 takes 1–2 arguments."],
  ["a + key(b)", "Expected a string in quotes at character 9."],
  ["(a + b", "Expected ) at character 7."],
])("%s is refused with the character at which it is wrong", (source, message) => {
  expect(() => compileExpression(source)).toThrow(`\`expression\` is not valid: ${message}`);
});

test("arithmetic is what it is elsewhere: a random tree of it gives the same number", () => {
  interface Tree {
    readonly source: string;
    readonly value: number;
  }
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.integer({ min: 0, max: 1_000 }).map((n) => ({ source: String(n), value: n })),
      fc.tuple(tie("tree"), fc.constantFrom("+", "-", "*"), tie("tree")).map(([a, sign, b]) => ({
        source: `(${a.source} ${sign} ${b.source})`,
        value: sign === "+" ? a.value + b.value : sign === "-" ? a.value - b.value : a.value * b.value,
      })),
    ),
  }));
  fc.assert(
    fc.property(
      tree.filter(({ source, value }) => source.length <= 1_000 && Number.isFinite(value)),
      ({ source, value }) => {
        expect(run(source)).toBe(value);
      },
    ),
  );
});

test("whatever is thrown at it, it is either read or refused, never anything else", () => {
  const part = fc.constantFrom(
    "a",
    "1",
    "(",
    ")",
    "+",
    "**",
    "?",
    ":",
    "'x'",
    "&&",
    "round(",
    ",",
    " ",
    '"',
    "\\",
    "==",
    "é",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(part, { maxLength: 30 }).map((parts) => parts.join("")),
        fc.string(),
      ),
      (source) => {
        try {
          compileExpression(source)(scopeOf({ a: 1 }));
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError);
        }
      },
    ),
  );
});

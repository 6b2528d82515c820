import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BODY_PATHS, bodyPattern } from "../../src/http/http-app.ts";
import { TEXT_FORMS } from "../../src/lib/core/text-forms.ts";
import { findSuperLinearGrowth } from "../support/regex-growth.ts";
import { regexLiteralsOf } from "../support/regex-literals.ts";

/** Every regular expression of the program is measured on inputs that are made to slow it down; steps are counted, not time. */

const root = join(import.meta.dir, "..", "..", "src");
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith("tools/"))
  .sort();
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));

/** Made from text instead of written as a literal: only where the text is a constant of the program. */
const BUILT_FROM_TEXT = [
  "http/http-app.ts",
  "lib/json/secret-fields.ts",
  "modules/api-keys/key-secret.ts",
  "modules/api/wire.schemas.ts",
];

interface Found {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

const literals: Found[] = files.flatMap((file) =>
  regexLiteralsOf(file, texts.get(file) ?? "").map(({ source, flags, isSplit }) => ({
    file,
    source,
    flags: isSplit && !flags.includes("g") ? `${flags}g` : flags,
  })),
);
/** Schemas check texts by expressions that stand in strings. */
const patterns: Found[] = [
  ...Object.values(BODY_PATHS).map((paths) => ({
    file: "http/http-app.ts",
    source: bodyPattern(paths).source,
    flags: "i",
  })),
  ...Object.values(TEXT_FORMS).map((source) => ({ file: "lib/core/text-forms.ts", source, flags: "" })),
  ...files.flatMap((file) =>
    [...(texts.get(file) ?? "").matchAll(/\bpattern:\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/g)].map(
      ([, literal = ""]) => ({ file, source: new Function(`return ${literal}`)() as string, flags: "" }),
    ),
  ),
];

test("the check finds the program's expressions", () => {
  expect(files.length).toBeGreaterThan(400);
  expect(literals.length).toBeGreaterThan(250);
  expect(patterns.length).toBeGreaterThan(10);
  expect(literals.some(({ file, source }) => file === "http/http-app.ts" && source.includes("docs"))).toBe(
    true,
  );
});

test.each([
  ["(a+)+$", ""],
  ["(a|a)*b", ""],
  ["(a|ab)*c$", ""],
  ["^(\\s*x?)*y", ""],
  ["\\s+$", ""],
  ["<[^>]*>", "g"],
  ["<!--[\\s\\S]*?-->", "g"],
  ["/\\*[\\s\\S]*?\\*/", "g"],
  ['"[^"\\\\]*(?:\\\\[\\s\\S][^"\\\\]*)*"|[a-z]+', "g"],
  ["^\\s*(<\\?xml[^>]*>\\s*)?(<!--[\\s\\S]*?-->\\s*)*<svg", "i"],
  ["^\\d+\\.?\\d*$", ""],
  ["(.*),(.*),(.*)x", ""],
  ["^(?=.*a.*b.*c)x", "s"],
])("the measure finds the growth of /%s/%s", (source, flags) => {
  expect(findSuperLinearGrowth(source, flags)).toBeDefined();
});

test.each([
  ["^[a-z]+$", ""],
  ["^\\s*[^\\s@]+@[^\\s@]+\\s*$", ""],
  ["[^a-z0-9]+", "g"],
  ["^(?:a|b)*c", ""],
  ["<[^<>]*>", "g"],
  ["(?<!/)/+$", ""],
  ['^"(?:[^"\\\\]|\\\\.)*"', ""],
  ["\\d{1,3}(?:\\.\\d{1,3}){3}$", ""],
  ["^(a{1,3}b)+$", ""],
  ["^[a-z]{20,128}$", ""],
])("the measure finds none in /%s/%s", (source, flags) => {
  expect(findSuperLinearGrowth(source, flags)).toBeUndefined();
});

test("no expression takes more than linear time", () => {
  const distinct = new Map(
    [...literals, ...patterns].map((found) => [`/${found.source}/${found.flags}`, found]),
  );
  const slow = [...distinct].flatMap(([name, { file, source, flags }]) => {
    const growth = findSuperLinearGrowth(source, flags);
    return growth === undefined ? [] : [{ file, name, ...growth }];
  });
  expect(slow).toEqual([]);
});

test("expressions are made from text only in the files that are listed", () => {
  const created = files.filter((file) => /\bRegExp\(/.test(texts.get(file) ?? ""));
  expect(created).toEqual(BUILT_FROM_TEXT);
});

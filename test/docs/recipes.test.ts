// CONTRIBUTING names files that a change touches: each exists. Comments and recipes name only identifiers that exist.
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const root = join(import.meta.dir, "..", "..");
const text = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
const FOLDERS = ["src", "test", "docs", "drizzle", ".ci"];
const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
);
const names = new Set(files.map((file) => basename(file)));
/** Written by operators or by the release. */
const OTHERS = ["lineside.toml", "lineside-0.1.0.cdx.json", "RELEASE-NOTES.md"];
/** Patterns, examples of names, and files that no checkout contains. */
const isExample = (name: string) =>
  /[<>*…{$]/.test(name) || name.startsWith("dist/") || OTHERS.includes(name);

/** Returns the paths and names of files in backticks. */
function namedFiles(): string[] {
  const named = [...text.matchAll(/`([\w./<>*…{}$-]+\.(?:ts|tsx|mjs|json|md|css|toml))`/g)].map(
    ([, name = ""]) => name,
  );
  return [...new Set(named)].filter((name) => !isExample(name));
}

test("files that CONTRIBUTING names exist", () => {
  const named = namedFiles();
  expect(named.length).toBeGreaterThan(50);
  const missing = named.filter(
    (name) =>
      !existsSync(join(root, name)) && !names.has(name) && !files.some((file) => file.endsWith(`/${name}`)),
  );
  expect(missing).toEqual([]);
});

test("identifiers that the recipes give to a file are in it", () => {
  const named = [...text.matchAll(/`(\w+)` in `(src\/[\w./-]+\.tsx?)`/g)];
  expect(named.length).toBeGreaterThan(3);
  const absent = named.filter(
    ([, name = "", file = ""]) => !readFileSync(join(root, file), "utf8").includes(name),
  );
  expect(absent.map(([all]) => all)).toEqual([]);
});

const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$|(?<=[;,{)\]] )\/\/ .*$/gm;
/** Examples of names that other programs and people use. */
const FOREIGN = ["oilTemp_C", "RenameKeys", "isHTTPServer_2"];

test("identifiers in backticks of comments and recipes are in the code", () => {
  const sources = files
    .filter((file) => /\.(tsx?|js|json|css|html)$/.test(file))
    .map((file) => readFileSync(join(root, file), "utf8"));
  const existing = new Set(
    sources.flatMap((source) => source.replace(COMMENT, "").match(/[A-Za-z_$][\w$]*/g) ?? []),
  );
  const comments = sources.flatMap((source) => source.match(COMMENT) ?? []);
  const named = [...comments, text].flatMap((part) =>
    [...part.matchAll(/`([A-Za-z_$][\w$]*)(?:\(\))?`/g)].map(([, name = ""]) => name),
  );
  const identifiers = named.filter((name) => /[a-z][A-Z]|^[A-Z]+_/.test(name));
  expect(identifiers.length).toBeGreaterThan(300);
  expect(identifiers.filter((name) => !existing.has(name) && !FOREIGN.includes(name))).toEqual([]);
});

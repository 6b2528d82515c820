import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasText } from "../src/lib/texts/catalogues.ts";

const src = join(import.meta.dir, "../src");
const filesOf = (folder: string) =>
  readdirSync(join(src, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(folder, file));

/** A regular expression, or a text to search for, that has two words of prose in a row. */
const PROSE = '[^/\\n"]*\\b[a-z]{2,} [a-z]{2,}\\b';
const patterns = [
  new RegExp(`(?<![\\w)\\]/<*])/(?!\\*)\\^?${PROSE}[^/\\n]*/[a-z]*(?:\\.(?:exec|test)\\(|[,)\\]])`, "gi"),
  new RegExp(`\\.(?:includes|startsWith|endsWith|match|search)\\(["'\`/]${PROSE}`, "gi"),
];

test("the console recognises no sentence of the server", () => {
  const files = filesOf("web").filter((file) => !/user-agent\.ts$/.test(file));
  expect(files.length).toBeGreaterThan(300);
  const found = files.flatMap((file) => {
    const text = readFileSync(join(src, file), "utf8");
    return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([hit]) => `${file}: ${hit}`));
  });
  expect(found).toEqual([]);
});

test("the search for sentences finds one", () => {
  const old = [
    "[/^The plan of this tenant allows (\\d+) messages/, undefined]",
    "const found = /^Acknowledged by (.+)$/s.exec(message)",
    'if (message.startsWith("There is no such device")) return',
  ];
  for (const line of old) expect(patterns.some((pattern) => line.match(pattern))).toBe(true);
});

/** Codes are arguments of functions that take an `ErrorCode`; those that are written in full are in the catalogue. */
test("every code that the server names has a text", () => {
  const named =
    /\b(?:invalid|conflict|notFound|forbidden|detail|exhausted|tooLarge|unsupported|unavailable|limited|unauthenticated|timedOut)\(\s*"([\w.]+)"/g;
  const codes = ["modules", "mqtt", "lib", "http", "platform", "app"].flatMap((folder) =>
    filesOf(folder).flatMap((file) =>
      [...readFileSync(join(src, file), "utf8").matchAll(named)].map(([, code = ""]) => code),
    ),
  );
  expect(codes.length).toBeGreaterThan(400);
  expect(codes.filter((code) => !hasText(code))).toEqual([]);
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import { indent, newLine } from "../../../src/web/lib/code-keys.ts";
import { tokenLines, tokensOf } from "../../../src/web/lib/js-tokens.ts";

const kinds = (source: string) => tokensOf(source).map(({ kind, text }) => `${kind} ${text.trim()}`);

test("code is cut into words, texts, numbers and comments", () => {
  expect(kinds('const a = 0x1F; // "no text"')).toEqual([
    "keyword const",
    "plain a =",
    "number 0x1F",
    "plain ;",
    'comment // "no text"',
  ]);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what is colored here is source
  expect(kinds("/* over\ntwo */ 'it\\'s' + `a${b}c`").map((kind) => kind.split(" ")[0])).toEqual([
    "comment",
    "plain",
    "string",
    "plain",
    "string",
  ]);
  expect(kinds("function decodeUplink(transformed) {}")).toContain("name decodeUplink");
});

test("a slash divides after a value, and begins a regular expression elsewhere", () => {
  expect(kinds("a / b / c").every((kind) => kind.startsWith("plain"))).toBe(true);
  expect(kinds("(bytes[0]) / 10 / 2").filter((kind) => kind.startsWith("string"))).toEqual([]);
  expect(kinds("x = /[/'\"]+/g.test(y)")).toContain("string /[/'\"]+/g");
  expect(kinds("return /a/")).toContain("string /a/");
});

test("whatever is typed is shown as it is, in as many lines", () => {
  const bits = fc.constantFrom(
    '"',
    "'",
    "`",
    "/",
    "\\",
    "*",
    "\n",
    "a",
    "1",
    " ",
    "{",
    "//",
    "/*",
    "*/",
    "${",
    "é",
    "😀",
  );
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 40 }), (parts) => {
      const source = parts.join("");
      const lines = tokenLines(source).map((tokens) => tokens.map(({ text }) => text).join(""));
      expect(lines.join("\n")).toBe(source);
    }),
    { numRuns: 2_000 },
  );
});

test("a source of 32 KiB that never ends a text costs no time that grows with its square", () => {
  for (const part of ["'", "`", "/*", "/", "[", "a"])
    expect(tokensOf(part.repeat(32 * 1024)).length).toBeGreaterThan(0);
});

/** `|` stands for an end of the selection. */
function edited(marked: string, edit: typeof newLine): string {
  const from = marked.indexOf("|");
  const to = marked.lastIndexOf("|") - (marked.lastIndexOf("|") === from ? 0 : 1);
  const text = marked.replaceAll("|", "");
  const done = edit(text, from, to);
  const result = text.slice(0, done.from) + done.text + text.slice(done.to);
  const [start, end] = done.select;
  return start === end
    ? `${result.slice(0, start)}|${result.slice(start)}`
    : `${result.slice(0, start)}|${result.slice(start, end)}|${result.slice(end)}`;
}

test("Enter keeps the indentation, and goes one step in after an opening bracket", () => {
  expect(edited("  a;|", newLine)).toBe("  a;\n  |");
  expect(edited("  if (a) {|", newLine)).toBe("  if (a) {\n    |");
  expect(edited("f({|})", newLine)).toBe("f({\n  |\n})");
  expect(edited("a|bc|d", newLine)).toBe("a\n|d");
});

test("Tab moves in, over all lines of a selection, and Shift+Tab back", () => {
  const tab = (text: string, from: number, to: number) => indent(text, from, to, false);
  const back = (text: string, from: number, to: number) => indent(text, from, to, true);
  expect(edited("a|b", tab)).toBe("a  |b");
  expect(edited("|a\n\nb|", tab)).toBe("  |a\n\n  b|");
  expect(edited("|    a\n b|", back)).toBe("|  a\nb|");
  expect(edited("  a|", back)).toBe("a|");
  expect(edited("a|", back)).toBe("a|");
});

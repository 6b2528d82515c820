import { describe, expect, test } from "bun:test";
import { invalid } from "../../../src/lib/core/domain-error.ts";
import { excerpt, pathExcerpt, reasonExcerpt } from "../../../src/lib/strings/excerpt.ts";

describe("an excerpt", () => {
  test.each([
    ["leaves short text as it is", "Größe in m²", "Größe in m²"],
    ["cuts long text and marks the cut", "a".repeat(41), `${"a".repeat(40)}…`],
    ["counts characters and not units", "😀".repeat(40), "😀".repeat(40)],
    ["cuts between characters", "😀".repeat(41), `${"😀".repeat(40)}…`],
    ["replaces controls", "a\u0000b\u001b[31m", "a\uFFFDb\uFFFD[31m"],
    ["replaces characters that change the direction of text", "a\u202Eb", "a\uFFFDb"],
    ["stays on one line", "a\r\nb\u2028c", "a b\uFFFDc"],
    ["replaces half of a pair", "a\uD83D", "a\uFFFD"],
  ])("%s", (_, text, expected) => {
    expect(excerpt(text)).toBe(expected);
  });

  test("takes the length that it is given", () => {
    expect(excerpt("abcdef", 3)).toBe("abc…");
  });
});

test("a reason of a parser has its long words cut", () => {
  expect(reasonExcerpt(`bad group (${"x".repeat(90)}) at 7`)).toBe(`bad group (${"x".repeat(39)}… at 7`);
});

test("a place has its long names cut", () => {
  expect(pathExcerpt("/steps/0/type", "body")).toBe("body.steps.0.type");
  expect(pathExcerpt("", "body")).toBe("body");
  expect(pathExcerpt(`/${"x".repeat(90)}/y`)).toBe(`${"x".repeat(40)}….y`);
});

test("a domain error has a printable message of bounded length whatever it quotes", () => {
  const { message } = invalid("telemetry.nothing_taken", { reason: "\u0007x".repeat(10_000) });
  expect(message.length).toBeLessThan(1_002);
  expect(message).not.toContain("\u0007");
});

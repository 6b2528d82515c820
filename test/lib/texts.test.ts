import { expect, test } from "bun:test";
import { germanErrors } from "../../src/lib/texts/de/errors.ts";
import { englishErrors } from "../../src/lib/texts/en/errors.ts";

const places = (template: string): string[] =>
  [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name).sort();

test("every text of an error has the same places in all languages", () => {
  const german = Object.entries(germanErrors).map(([code, template]) => [code, places(template)]);
  const english = Object.entries(englishErrors).map(([code, template]) => [code, places(template)]);
  expect(english.length).toBeGreaterThan(500);
  expect(Object.fromEntries(german)).toEqual(Object.fromEntries(english));
});

test("no text of an error is empty", () => {
  expect(
    [...Object.values(englishErrors), ...Object.values(germanErrors)].filter((text) => text.trim() === ""),
  ).toEqual([]);
});

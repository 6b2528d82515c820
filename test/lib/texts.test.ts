import { expect, test } from "bun:test";
import { join } from "node:path";
import { placesFile, placesIn, renderPlaces } from "../../src/tools/docs/text-places.ts";

const folder = join(import.meta.dir, "../../src/lib/texts");
const textsOf = async (part: string, language: string): Promise<Record<string, string>> =>
  Bun.file(join(folder, `${part}.${language}.json`)).json();

for (const part of ["first-screens", "console", "server"]) {
  test(`${part}: both languages have the same keys in the same order, with the same places`, async () => {
    const english = Object.entries(await textsOf(part, "en"));
    const german = Object.entries(await textsOf(part, "de"));
    // Descriptions of fields are English: they stand in the API document.
    const shape = ([key, text]: [string, string]) => [
      key,
      placesIn(text).filter((place) => place !== "description"),
    ];
    expect(english.length).toBeGreaterThan(300);
    expect(german.map(shape)).toEqual(english.map(shape));
    expect(german.filter(([, text]) => text.trim() === "")).toEqual([]);
  });

  test(`${part}: no key stands twice, or is kept by the reader of JSON alone`, async () => {
    for (const language of ["en", "de"]) {
      const source = await Bun.file(join(folder, `${part}.${language}.json`)).text();
      const keys = [...source.matchAll(/^ {2}"([^"]+)":/gm)].map(([, key = ""]) => key);
      expect(keys).toEqual(Object.keys(await textsOf(part, language)));
    }
  });
}

test.each(["first-screens", "console", "server"])(
  "%s: a thing is not a number, never no number, and immediate, never at once",
  async (part) => {
    const texts = Object.entries(await textsOf(part, "en"));
    expect(texts.filter(([, text]) => /(?<!here) (is|are) no (?!longer)|\bat once\b/.test(text))).toEqual([]);
  },
);

test("the compiler knows the places of every text", async () => {
  expect(await Bun.file(placesFile).text()).toBe(await renderPlaces());
});

import { join } from "node:path";
import type { Catalogue } from "../../lib/texts/text.ts";

const FOLDER = join(import.meta.dir, "../../lib/texts");

export const placesFile = join(FOLDER, "places.ts");

export const placesIn = (template: string): string[] =>
  [...new Set([...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name))].sort();

async function renderInterface(name: string, parts: readonly string[]): Promise<string> {
  const texts: Catalogue[] = await Promise.all(
    parts.map((part) => Bun.file(join(FOLDER, `${part}.en.json`)).json()),
  );
  const lines = texts.flatMap(Object.entries).flatMap(([key, template]) => {
    const places = placesIn(template).map((place) => `"${place}"`);
    return places.length === 0 ? [] : `  readonly "${key}": ${places.join(" | ")};`;
  });
  return `export interface ${name} {\n${lines.sort().join("\n")}\n}\n`;
}

/** The names of the places of each text as types: the compiler reads JSON without the contents of its texts. */
export const renderPlaces = async (): Promise<string> =>
  [
    "/* Names of the places in each text that has some. `npm run docs` writes this file from the English texts. */\n",
    await renderInterface("ConsolePlaces", ["console", "first-screens"]),
    await renderInterface("ServerPlaces", ["server"]),
  ].join("\n");

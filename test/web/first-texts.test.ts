import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import consoleTexts from "../../src/lib/texts/console.en.json";
import firstTexts from "../../src/lib/texts/first-screens.en.json";

/** What is shown with the first texts alone: the first load. */

const web = join(import.meta.dir, "../../src/web");
const roots = ["main.tsx"];
/** Files whose texts are shown only after a person has done something; the rest of the catalogue has arrived by then. */
const later = new Set([
  "app/command-palette.tsx",
  "app/account-menu.tsx",
  "platform/i18n/server-messages.ts",
]);

/** Keys of the rest of the catalogue that a file names, also those that it puts together, as in t(`tab.${id}`). */
function keysOfRest(text: string): string[] {
  const stems = [...text.matchAll(/`([a-zA-Z.]+\.)\$\{/g)].map((match) => match[1] ?? "");
  return Object.keys(consoleTexts).filter((key) => {
    const stem = key.replace(/\.(one|other)$/, "");
    return (
      text.includes(`"${key}"`) || text.includes(`"${stem}"`) || stems.some((start) => key.startsWith(start))
    );
  });
}

function filesOf(names: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const queue = names.map((name) => join(web, name));
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (found.has(file) || later.has(file.slice(web.length + 1))) continue;
    const text = readFileSync(file, "utf8");
    found.set(file, text);
    const imports = text.matchAll(/^\s*(?:import|export)\s+(?!type)(?:[^'";]*?from\s+)?["'](\.[^"']+)["']/gm);
    for (const [, path = ""] of imports)
      if (existsSync(join(dirname(file), path))) queue.push(join(dirname(file), path));
  }
  return found;
}

test("what is shown first has its texts in the first part of the catalogue", () => {
  const files = filesOf(roots);
  expect(files.size).toBeGreaterThan(50);
  const missing = [...files].flatMap(([file, text]) =>
    keysOfRest(text).map((key) => `${file.slice(web.length + 1)}: ${key}`),
  );
  expect(missing).toEqual([]);
});

test("no key is in both parts", () => {
  expect(Object.keys(firstTexts).filter((key) => Object.hasOwn(consoleTexts, key))).toEqual([]);
});

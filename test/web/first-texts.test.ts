import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { en } from "../../src/web/i18n/en.ts";
import { enLate } from "../../src/web/i18n/en-late.ts";

/** Screens that are shown with the first texts alone: those that come with the program itself, and set-up and sign-up. */

const web = join(import.meta.dir, "../../src/web");
const roots = ["main.tsx", "screens/setup.tsx", "screens/sign-up.tsx"];
/** Opened or said only after somebody has done something; the rest of the texts is there by then. */
const later = new Set(["components/palette.tsx", "i18n/server-messages.ts", "components/account-menu.tsx"]);

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
  const missing: string[] = [];
  for (const [file, text] of files)
    for (const key of Object.keys(enLate)) {
      const stem = key.replace(/\.(one|other)$/, "");
      if (!file.includes("/i18n/") && (text.includes(`"${key}"`) || text.includes(`"${stem}"`)))
        missing.push(`${file.slice(web.length + 1)}: ${key}`);
    }
  expect(missing).toEqual([]);
});

test("no key is in both parts", () => {
  expect(Object.keys(en).filter((key) => Object.hasOwn(enLate, key))).toEqual([]);
});

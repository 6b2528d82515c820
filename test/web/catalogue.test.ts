import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { firstDe } from "../../src/web/catalogue/first.de.ts";
import { firstEn } from "../../src/web/catalogue/first.en.ts";
import { restDe } from "../../src/web/catalogue/rest.de.ts";
import { restEn } from "../../src/web/catalogue/rest.en.ts";
import { loadLanguage, plural, t } from "../../src/web/platform/i18n/i18n.ts";
import { language } from "../../src/web/platform/preferences.ts";

await loadLanguage("en");
await loadLanguage("de");
const en = { ...firstEn, ...restEn };
const de = { ...firstDe, ...restDe };

const web = join(import.meta.dir, "../../src/web");

const placeholders = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();

describe("the message catalogue", () => {
  test("has the same keys in both languages", () => {
    expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort());
  });

  test("leaves no text empty and keeps every placeholder in its translation", () => {
    for (const key of Object.keys(en) as (keyof typeof en)[]) {
      expect(de[key].trim()).not.toBe("");
      expect({ key, names: placeholders(de[key]) }).toEqual({ key, names: placeholders(en[key]) });
    }
  });

  test("fills in values and follows the language", () => {
    language.value = "en";
    expect(t("age.seconds", { n: 5 })).toBe("5 s ago");
    language.value = "de";
    expect(t("age.seconds", { n: 5 })).toBe("vor 5 s");
    language.value = "en";
  });

  test("chooses the singular and groups large numbers", () => {
    language.value = "en";
    expect(plural("devices.count", 1)).toBe("1 device");
    expect(plural("devices.count", 5000)).toBe("5,000 devices");
    language.value = "de";
    expect(plural("devices.count", 5000)).toBe("5.000 Geräte");
    language.value = "en";
  });
});

test("every key of the catalogue is used by the console", async () => {
  const sources: string[] = [];
  for await (const path of new Bun.Glob("**/*.{ts,tsx}").scan(web)) {
    if (!/texts\.(en|de)\.ts$/.test(path)) {
      sources.push(await Bun.file(join(web, path)).text());
    }
  }
  const code = sources.join("\n");
  // Keys that are put together, as in t(`tab.${id}`), count by their stem.
  const stems = [...new Set([...code.matchAll(/`([a-zA-Z.]+\.)\$\{/g)].map((m) => m[1] ?? ""))];
  const unused = Object.keys(en).filter(
    (key) =>
      !code.includes(`"${key}"`) &&
      !stems.some((stem) => key.startsWith(stem)) &&
      !/\.(one|other)$/.test(key),
  );
  expect(sources.length).toBeGreaterThan(40);
  expect(unused).toEqual([]);
});

test("no two parts of a language hold the same key: the later one would take the other's text away", async () => {
  for (const lang of ["en", "de"]) {
    const keys: string[] = [];
    for await (const path of new Bun.Glob(`**/*texts.${lang}.ts`).scan(web)) {
      const text = await Bun.file(join(web, path)).text();
      keys.push(...[...text.matchAll(/^ {2}"([\w.-]+)":/gm)].map((match) => match[1] ?? ""));
    }
    expect(keys.length).toBe(new Set(keys).size);
    expect(keys.length).toBeGreaterThan(Object.keys(lang === "en" ? en : de).length - 5);
  }
});

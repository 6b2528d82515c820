import { describe, expect, test } from "bun:test";
import { de as deFirst } from "../../src/web/i18n/de.ts";
import { deLate } from "../../src/web/i18n/de-late.ts";
import { en as enFirst } from "../../src/web/i18n/en.ts";
import { enLate } from "../../src/web/i18n/en-late.ts";
import { loadLanguage, plural, t } from "../../src/web/i18n/i18n.ts";
import { language } from "../../src/web/state/preferences.ts";

await loadLanguage("en");
await loadLanguage("de");
const en = { ...enFirst, ...enLate };
const de = { ...deFirst, ...deLate };

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
  for await (const path of new Bun.Glob("**/*.{ts,tsx}").scan(`${import.meta.dir}/../../src/web`)) {
    if (!path.startsWith("i18n/en") && !path.startsWith("i18n/de")) {
      sources.push(await Bun.file(`${import.meta.dir}/../../src/web/${path}`).text());
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
    for await (const path of new Bun.Glob(`${lang}*.ts`).scan(`${import.meta.dir}/../../src/web/i18n`)) {
      const text = await Bun.file(`${import.meta.dir}/../../src/web/i18n/${path}`).text();
      keys.push(...[...text.matchAll(/^ {2}"([\w.]+)":/gm)].map((match) => match[1] ?? ""));
    }
    expect(keys.length).toBe(new Set(keys).size);
    expect(keys.length).toBeGreaterThan(Object.keys(lang === "en" ? en : de).length - 5);
  }
});

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import consoleTexts from "../../../../src/lib/texts/console.en.json";
import firstTexts from "../../../../src/lib/texts/first-screens.en.json";
import { loadLanguage, plural, t } from "../../../../src/web/platform/i18n/i18n.ts";
import { language } from "../../../../src/web/platform/preferences.ts";

await loadLanguage("en");
await loadLanguage("de");

const web = join(import.meta.dir, "../../../../src/web");

describe("the message catalogue", () => {
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
    sources.push(await Bun.file(join(web, path)).text());
  }
  const code = sources.join("\n");
  // Keys that are put together, as in t(`tab.${id}`), count by their stem.
  const stems = [...new Set([...code.matchAll(/`([a-zA-Z0-9.]+\.)\$\{/g)].map((m) => m[1] ?? ""))];
  const unused = Object.keys({ ...firstTexts, ...consoleTexts }).filter(
    (key) =>
      !code.includes(`"${key}"`) &&
      !stems.some((stem) => key.startsWith(stem)) &&
      !/\.(one|other)$/.test(key) &&
      !/^field(Hint|Option|Pattern|Group)?\./.test(key), // forms.test.ts looks for these
  );
  expect(sources.length).toBeGreaterThan(40);
  expect(unused).toEqual([]);
});

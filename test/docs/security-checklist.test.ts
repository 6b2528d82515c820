import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/platform/config/config.ts";

const root = join(import.meta.dir, "../..");
const results: Record<string, readonly string[]> = {
  en: ["pass", "partial", "not"],
  de: ["erfüllt", "teilweise", "nicht"],
};
const rowsOf = (language: string) =>
  readFileSync(join(root, language === "de" ? "docs/de" : "docs", "security-checklist.md"), "utf8")
    .split("\n")
    .filter((line) => /^\| (V\d+|\d+(\.\d+)?) /.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

for (const language of ["en", "de"]) {
  const [pass, partial] = results[language] ?? [];

  test(`each chapter and provision has a result, none fails, and a partial one says what closes the gap (${language})`, () => {
    const rows = rowsOf(language);
    expect(rows).toHaveLength(14 + 14);
    for (const [name, result, evidence, closes] of rows) {
      expect([name, [pass, partial].includes(result)]).toEqual([name, true]);
      expect([name, (evidence ?? "").length > 20]).toEqual([name, true]);
      expect([name, closes === "–"]).toEqual([name, result === pass]);
    }
  });
}

test("both languages have the same results", () => {
  const index = (language: string) =>
    rowsOf(language).map(([name, result]) => [name?.split(" ")[0], results[language]?.indexOf(result ?? "")]);
  expect(index("de")).toEqual(index("en"));
});

test("evidence exists", () => {
  const files = new Set(
    readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" }).map((name) =>
      name.split("/").at(-1),
    ),
  );
  const named = rowsOf("en").flatMap(
    ([, , evidence = ""]) => evidence.match(/`(?:test\/)?[\w/-]+\.test\.ts`/g) ?? [],
  );
  expect(named.length).toBeGreaterThan(15);
  for (const name of named) {
    const path = name.replaceAll("`", "");
    expect([path, path.includes("/") ? existsSync(join(root, path)) : files.has(path)]).toEqual([path, true]);
  }
});

test("settings that close a gap exist", () => {
  const configuration = readFileSync(join(root, "docs/configuration.md"), "utf8");
  const text = readFileSync(join(root, "docs/security-checklist.md"), "utf8");
  const block = /```toml\n([\s\S]*?)```/.exec(text)?.[1] ?? "";
  const settings = block.split("\n").flatMap((line) => line.split(" = ")[0] || []);
  expect(settings.length).toBeGreaterThan(5);
  for (const setting of settings)
    expect([setting, configuration.includes(`\`${setting}\``)]).toEqual([setting, true]);
});

test("the gateway starts with the settings that the page on hardening shows", () => {
  const text = readFileSync(join(root, "docs/hardening.md"), "utf8");
  const folder = mkdtempSync(join(tmpdir(), "lineside-hardening-"));
  const file = join(folder, "lineside.toml");
  writeFileSync(file, /```toml\n([\s\S]*?)```/.exec(text)?.[1] ?? "");
  const config = loadConfig(["--config", file], {});
  rmSync(folder, { recursive: true, force: true });
  expect(config).toMatchObject({ tls: "auto", api_docs: "signed-in", outbound_private: "none" });
});

import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Glob } from "bun";
import { headingsOf, LANGUAGES, manualSections, renderManual } from "../../../../src/tools/build/manual.ts";
import { networks } from "../../../../src/web/features/integrations/network-list.ts";
import { findInManual, plainText } from "../../../../src/web/features/manual/manual-api.ts";

const root = join(import.meta.dir, "../../../..");
const docs = join(root, "docs");
const pages = renderManual(root, "en").flatMap((section) => section.pages);

test("every text of the docs but their index is a page of the manual, once", () => {
  const texts = readdirSync(docs).filter((name) => name.endsWith(".md") && name !== "README.md");
  const listed = manualSections.flatMap(({ pages: of }) => of.filter((id) => id !== "readme"));
  expect(listed.map((id) => `${id}.md`).toSorted()).toEqual(texts.sort());
});

test("the places that the console leads to for help exist", () => {
  const headings = new Map(pages.map(({ id, html }) => [id, html]));
  const quickStarts = networks.flatMap((network) => ("manual" in network ? [network.manual] : []));
  expect(quickStarts.length).toBeGreaterThan(5);
  for (const id of quickStarts) expect(headings.get(id)).toContain('id="if-nothing-arrives"');
  expect(headings.get("troubleshooting")).toContain('id="a-device-does-not-appear-or-stay"');
  expect(headings.get("troubleshooting")).toContain('id="integrations"');
});

test.each([
  ["en", "README.md"],
  ["de", "de/index.md"],
] as const)(
  "the index in %s lists the pages as the manual does: the same sections, in the same order",
  (language, file) => {
    const index = readFileSync(join(docs, file), "utf8");
    const sections = [...index.matchAll(/^##+ (.+)\n([\s\S]*?)(?=^#|$(?![\s\S]))/gm)].map(
      ([, title, body = ""]) => {
        const items = body.match(/^- .*$/gm) ?? [];
        const links = items.flatMap((item) => [
          ...item.matchAll(/\]\((?:\.\.\/)?(README|[a-z][\w-]*)\.md\)/g),
        ]);
        return { title, pages: links.map(([, page = ""]) => page.replace("README", "readme")) };
      },
    );
    const texts = catalogueOf("console", language);
    expect(sections.filter(({ pages: listed }) => listed.length > 0)).toEqual(
      manualSections.map(({ id, pages: listed }) => ({ title: texts[`manual.${id}`], pages: [...listed] })),
    );
  },
);

for (const language of LANGUAGES)
  test(`links lead to places that are there, or elsewhere as whole addresses; nothing is fetched (${language})`, () => {
    const pagesOf = renderManual(root, language).flatMap((section) => section.pages);
    const places = new Set([
      "/manual",
      ...pagesOf.flatMap(({ id, html }) => [
        `/manual/${id}`,
        ...[...html.matchAll(/ id="([^"]*)"/g)].map((match) => `/manual/${id}#${match[1]}`),
      ]),
    ]);
    const wrong = pagesOf.flatMap(({ id, html }) =>
      [...html.matchAll(/href="([^"]*)"/g)]
        .map((match) => match[1] ?? "")
        .filter((href) => !/^(https?:|mailto:)/.test(href))
        .filter((href) => !places.has(href.startsWith("#") ? `/manual/${id}${href}` : href))
        .map((href) => `${id}: ${href}`),
    );
    expect(wrong).toEqual([]);
    expect(pagesOf.filter(({ html }) => /<(img|script|iframe)|<p>\s*<\/p>/.test(html))).toEqual([]);
  });

test("no text has the marks of a merge that was not finished", () => {
  const files = [...new Glob("docs/**/*.md").scanSync({ cwd: root })];
  expect(files.length).toBeGreaterThan(40);
  const marked = files.filter((file) => /^(<{7}|>{7}) /m.test(readFileSync(join(root, file), "utf8")));
  expect(marked).toEqual([]);
});

const linkingFiles = (): string[] =>
  ["*.md", "docs/**/*.md"].flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: root })]);

test("a link to a heading of a file names one that plain viewers find there, in the language of the file", () => {
  const files = linkingFiles();
  const anchored = files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g)].map(
      ([, path = "", anchor = ""]) => ({
        file,
        target: path === "" ? join(root, file) : join(root, dirname(file), path),
        anchor,
      }),
    ),
  );
  expect(anchored.length).toBeGreaterThan(200);
  const wrong = anchored
    .filter(({ target, anchor }) => !headingsOf(readFileSync(target, "utf8")).includes(anchor))
    .map(({ file, target, anchor }) => `${file}: ${target.slice(root.length)}#${anchor}`);
  expect(wrong).toEqual([]);
});

test("a link from one file to another leads to a file that exists", () => {
  const files = linkingFiles();
  expect(files.length).toBeGreaterThan(40);
  const wrong = files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map((match) => match[1] ?? "")
      .filter((href) => !/^(https?:|mailto:)/.test(href) && !existsSync(join(root, dirname(file), href)))
      .map((href) => `${file}: ${href}`),
  );
  expect(wrong).toEqual([]);
});

/** Pages whose parts in bold are texts of the console or the API; `…` stands for any text. */
const quotesTexts = (name: string): boolean => /^(quick-start-.*|troubleshooting|hardening)\.md$/.test(name);

for (const language of LANGUAGES)
  test(`quick starts, troubleshooting and hardening show the texts of the program (${language})`, () => {
    const texts = ["console", "first-screens", "server"].flatMap((part) =>
      Object.values(catalogueOf(part, language)),
    );
    const folder = language === "en" ? docs : join(docs, language);
    const names = readdirSync(folder).filter(quotesTexts);
    expect(names.length).toBeGreaterThan(10);
    const isText = (part: string) => {
      const pattern = part.split("…").map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
      return texts.includes(part) || texts.some((text) => new RegExp(`^${pattern.join(".+")}$`).test(text));
    };
    const unknown = names.flatMap((name) =>
      boldParts(readFileSync(join(folder, name), "utf8"))
        .filter((part) => !isText(part))
        .map((part) => `${name}: ${part}`),
    );
    expect(unknown).toEqual([]);
  });

describe("the German manual", () => {
  /** Pages for developers, and those that the program generates. */
  const onlyEnglish = [
    "architecture",
    "benchmarks",
    "configuration",
    "glossary",
    "permissions",
    "storage-format",
    "cli",
  ];
  const source = (path: string) => readFileSync(join(root, path), "utf8");
  const pathsOf = (id: string) =>
    id === "readme" ? ["README.md", "docs/de/README.md"] : [`docs/${id}.md`, `docs/de/${id}.md`];
  const translated = manualSections.flatMap(({ pages: ids }) =>
    ids.filter((id) => !onlyEnglish.includes(id)),
  );

  test("has every page for users", () => {
    const german = renderManual(root, "de").flatMap((section) => section.pages);
    const english = german.filter(({ language }) => language === "en").map(({ id }) => id);
    expect(english.toSorted()).toEqual(onlyEnglish.toSorted());
  });

  test("has a German name for every page in English", () => {
    const titles = (language: "en" | "de") =>
      renderManual(root, language).flatMap(({ pages }) =>
        pages.flatMap(({ id, title }) => (onlyEnglish.includes(id) ? title : [])),
      );
    const english = titles("en");
    expect(titles("de").filter((title) => english.includes(title))).toEqual([]);
  });

  test.each(translated)("%s has the headings, the examples and the table rows of the original", (id) => {
    const [original, german] = pathsOf(id).map((path) => shapeOf(source(path)));
    expect(german).toEqual(original as NonNullable<typeof original>);
  });

  test.each(translated)("%s has the numbers of the original in each section", (id) => {
    const [original = [], german = []] = pathsOf(id).map((path) => numbersOf(source(path)));
    expect(german).toEqual(original);
  });

  const consoleTexts = readConsoleTexts();
  test("is compared with the texts of the console", () => {
    expect(consoleTexts.get("Devices")).toContain("Geräte");
  });

  test.each(translated)("%s names screens and buttons as the console does in German", (id) => {
    const [original = "", german = ""] = pathsOf(id).map(source);
    const named = new Set(boldParts(german));
    const missing = boldParts(original).filter((part) => {
      const translations = consoleTexts.get(part);
      return translations !== undefined && ![...translations].some((text) => named.has(text));
    });
    expect(missing).toEqual([]);
  });
});

/** Returns one part of the texts in a language. */
function catalogueOf(part: string, language: string): Record<string, string> {
  return JSON.parse(readFileSync(join(root, `src/lib/texts/${part}.${language}.json`), "utf8"));
}

/** Returns the German texts of the console by their English words: an English text may have several translations. */
function readConsoleTexts(): ReadonlyMap<string, ReadonlySet<string>> {
  const translations = new Map<string, Set<string>>();
  for (const part of ["console", "first-screens"]) {
    const german = catalogueOf(part, "de");
    for (const [key, text] of Object.entries(catalogueOf(part, "en")))
      translations.set(text, (translations.get(text) ?? new Set()).add(german[key] ?? text));
  }
  return translations;
}

/** Steps in another program, which keep its words. */
const FOREIGN = "Dashboards → New → Import";

/** Parts of a text in bold, such as the steps of **Settings → Users**. */
const boldParts = (text: string): string[] =>
  [...text.matchAll(/\*\*([^*]+)\*\*/g)]
    .map((match) => match[1] ?? "")
    .filter((bold) => bold !== FOREIGN)
    .flatMap((bold) => bold.split(" → ").map((part) => part.replace(/\s+/g, " ")));

/** What a translation keeps: the levels of headings, the code, and the rows of tables. */
function shapeOf(text: string) {
  const code = [...text.matchAll(/^ *```[\w-]*\n([\s\S]*?)^ *```/gm)].map((match) =>
    (match[1] ?? "").replace(/#.*$/gm, "").replace(/[ \t]+$/gm, ""),
  );
  const prose = text.replace(/^ *```[\s\S]*?^ *```/gm, "");
  return {
    headings: [...prose.matchAll(/^(#+) /gm)].map((match) => match[1]?.length),
    code,
    rows: [...prose.matchAll(/^\|/gm)].length,
  };
}

/** Numbers of each section's prose with two digits or more, each once, without separators: 1,000 is 1.000 in German, and 2026-11-26 is 26.11.2026. */
function numbersOf(text: string): string[][] {
  const prose = text
    .replace(/^ *```[\s\S]*?^ *```/gm, "")
    .replace(/\]\([^)]*\)/g, "]")
    .replace(/(\d{4})-(\d\d)-(\d\d)/g, "$1$2$3")
    .replace(/(\d\d)\.(\d\d)\.(\d{4})/g, "$3$2$1");
  return prose.split(/^#+ .*$/m).map((section) => {
    const numbers = (section.match(/\d+(?:[.,]\d+)*/g) ?? []).map((number) => number.replaceAll(/\D/g, ""));
    return [...new Set(numbers)].filter((digits) => digits.length > 1).toSorted();
  });
}

test("German texts send readers to the log where the English ones do, and to the audit log elsewhere", () => {
  for (const part of ["console", "first-screens", "server"]) {
    const german = catalogueOf(part, "de");
    const wrong = Object.entries(catalogueOf(part, "en"))
      .filter(([, text]) => /\b(?:the|its|gateway's) log\b/i.test(text))
      .filter(([key]) => !/\bLog\b/.test(german[key] ?? ""))
      .map(([key]) => key);
    // The limit of the audit log calls it “the log”.
    expect(wrong.filter((key) => key !== "plan.auditEntriesFull")).toEqual([]);
  }
});

test("pages are found by all words that are looked for, first where the title has one", () => {
  const found = findInManual(pages, "alarm escalation");
  expect(found[0]?.page.id).toBe("alarms");
  expect(found[0]?.excerpt.toLowerCase()).toContain("alarm");
  expect(findInManual(pages, "nowheretobefound")).toEqual([]);
  expect(findInManual(pages, "  ")).toEqual([]);
  expect(plainText("<p>a &lt; b <code>c</code></p>")).toBe("a < b c");
});

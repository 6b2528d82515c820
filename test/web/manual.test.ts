import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { manualSections, renderManual } from "../../src/tools/manual.ts";
import { findInManual, plainText } from "../../src/web/features/manual/manual-api.ts";

const docs = join(import.meta.dir, "../../docs");
const pages = renderManual(docs).flatMap((section) => section.pages);

test("every text of the docs is a page of the manual, once", () => {
  const texts = readdirSync(docs).filter((name) => name.endsWith(".md"));
  const listed = manualSections.flatMap(({ pages: of }) => of.map((id) => `${id}.md`));
  expect(listed.toSorted()).toEqual(texts.sort());
});

test("links lead to pages that are there, or elsewhere as whole addresses; there are no pictures to fetch", () => {
  const existing = new Set(pages.map(({ id }) => id));
  const wrong = pages.flatMap(({ id, html }) => {
    const links = [...html.matchAll(/href="([^"]*)"/g)].map((match) => match[1] ?? "");
    return links
      .filter((href) => !/^(https?:|mailto:|#)/.test(href))
      .filter((href) => !existing.has(/^\/manual\/([^#]+)/.exec(href)?.[1] ?? ""))
      .map((href) => `${id}: ${href}`);
  });
  expect(wrong).toEqual([]);
  expect(pages.filter(({ html }) => /<(img|script|iframe)/.test(html))).toEqual([]);
});

test("pages are found by all words that are looked for, first where the title has one", () => {
  const found = findInManual(pages, "alarm escalation");
  expect(found[0]?.page.id).toBe("alarms");
  expect(found[0]?.excerpt.toLowerCase()).toContain("alarm");
  expect(findInManual(pages, "nowheretobefound")).toEqual([]);
  expect(findInManual(pages, "  ")).toEqual([]);
  expect(plainText("<p>a &lt; b <code>c</code></p>")).toBe("a < b c");
});

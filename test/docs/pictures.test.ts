// Pictures and pages belong together: each picture that a page shows exists and is small, and no other picture is kept.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(import.meta.dir, "../..");
const BYTES_MAX = 80_000;
const pages = [
  "README.md",
  ...["docs", "docs/de"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  ),
];

/** Pictures of a page as paths from the root of the repository. */
const picturesOf = (page: string): string[] =>
  [...readFileSync(join(root, page), "utf8").matchAll(/!\[[^\]]+\]\(([^)\s]+)\)/g)].map(([, path = ""]) =>
    relative(root, join(root, page, "..", path)),
  );

const kept = readdirSync(join(root, "docs/images")).map((name) => `docs/images/${name}`);

test("each picture that a page shows exists, and each that is kept is shown", () => {
  expect([...new Set(pages.flatMap(picturesOf))].sort()).toEqual(kept.sort());
});

test("a German page shows as many pictures as its English one", () => {
  for (const page of pages.filter((name) => name.startsWith("docs/de/") && name !== "docs/de/index.md")) {
    const english = page === "docs/de/README.md" ? "README.md" : page.replace("docs/de/", "docs/");
    expect([page, picturesOf(page).length]).toEqual([page, picturesOf(english).length]);
  }
});

test("a picture is small enough", () => {
  expect(kept.filter((path) => statSync(join(root, path)).size > BYTES_MAX)).toEqual([]);
});

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The architecture page names what there is, and nothing that is gone. */

const root = join(import.meta.dir, "..", "..");
const page = readFileSync(join(root, "docs", "architecture.md"), "utf8");
const source = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
const read = (file: string) => readFileSync(join(root, "src", file), "utf8");

/** Names in backticks in the first column of a table that begins with the given heading. */
function firstColumn(heading: string): string[] {
  const table = page.slice(page.indexOf(`| ${heading} |`)).split("\n\n")[0] ?? "";
  const cells = table
    .split("\n")
    .slice(2)
    .map((row) => row.split("|")[1] ?? "");
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ""));
}

test("it describes every module", () => {
  const modules = readdirSync(join(root, "src", "modules"), { withFileTypes: true });
  const names = modules
    .filter((entry) => entry.isDirectory() && entry.name !== "api")
    .map(({ name }) => name);
  expect(firstColumn("module").sort()).toEqual(names.sort());
});

test("it describes every event", () => {
  const declared = [...read("modules/events.types.ts").matchAll(/^ {2}"([a-z.-]+)":/gm)].map(
    ([, name]) => name ?? "",
  );
  expect(declared.length).toBeGreaterThan(10);
  expect(firstColumn("event").sort()).toEqual(declared.sort());
});

test("it describes every port", () => {
  const modules = source.filter((file) => file.endsWith(".module.ts")).map(read);
  const declared = modules.flatMap((text) => [...text.matchAll(/new Port<[\s\S]*?>\(\s*"([^"]+)"/g)]);
  expect(declared.length).toBeGreaterThan(5);
  expect(firstColumn("port").sort()).toEqual(declared.map(([, name]) => name ?? "").sort());
});

test("it names only files of the sources that exist", () => {
  const named = [...page.matchAll(/`(?:src\/)?((?:[a-z-]+\/)*[a-z-]+(?:\.[a-z]+)*\.ts)`/g)].map(
    ([, name]) => name ?? "",
  );
  const missing = named.filter((name) => {
    const isTest = name.startsWith("test/");
    return isTest
      ? !readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" }).includes(name.slice(5))
      : !source.some((file) => file === name || file.endsWith(`/${name}`));
  });
  expect(named.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});

// The check that stands in for `npm ci`.
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const script = join(import.meta.dir, "../../src/tools/locked-packages.mjs");
const directory = mkdtempSync(join(tmpdir(), "lineside-packages-"));
mkdirSync(join(directory, "node_modules"));
afterAll(() => rmSync(directory, { recursive: true }));

const foreign = { version: "1.0.0", integrity: "sha512-b", optional: true };
const lib = { version: "1.0.0", integrity: "sha512-a" };
const dependencies = { lib: "1.0.0" };

test.each([
  ["the packages of the lock file", { lib }, dependencies, ""],
  [
    "another version",
    { lib: { ...lib, version: "1.0.1" } },
    dependencies,
    "node_modules/lib 1.0.1 is not in",
  ],
  ["another content", { lib: { ...lib, integrity: "sha512-x" } }, dependencies, "lib 1.0.0 is not in"],
  ["a package that is not locked", { lib, other: lib }, dependencies, "node_modules/other 1.0.0 is not in"],
  ["a package.json that has changed", { lib }, { lib: "1.0.1" }, "have different dependencies"],
])("%s", (_, installed, wanted, difference) => {
  const write = (path: string, value: unknown) => writeFileSync(join(directory, path), JSON.stringify(value));
  const paths = (packages: object) =>
    Object.fromEntries(Object.entries(packages).map(([name, entry]) => [`node_modules/${name}`, entry]));
  write("package.json", { dependencies: wanted });
  write("package-lock.json", { packages: { "": { dependencies }, ...paths({ lib, foreign }) } });
  write("node_modules/.package-lock.json", { packages: paths(installed) });
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, script], { cwd: directory });
  expect([exitCode, stderr.toString()]).toEqual([
    difference === "" ? 0 : 1,
    expect.stringContaining(difference),
  ]);
});

// The check that stands in for `npm ci`.
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const script = join(import.meta.dir, "../../src/tools/locked-packages.mjs");
const directory = mkdtempSync(join(tmpdir(), "lineside-packages-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const foreign = { version: "1.0.0", integrity: "sha512-b", optional: true };
const lib = { version: "1.0.0", integrity: "sha512-a" };
const dependencies = { lib: "1.0.0" };

test.each([
  ["the packages of the lock file", { lib }, dependencies, ""],
  ["another version", { lib: { ...lib, version: "1.0.1" } }, dependencies, "lib 1.0.1 is not in"],
  ["a package that is missing", {}, dependencies, "node_modules/lib is not installed"],
  ["a package that is not locked", { lib, other: lib }, dependencies, "other 1.0.0 is not in"],
  ["a package.json that has changed", { lib }, { lib: "1.0.1" }, "have different dependencies"],
])("%s", (_, installed, wanted, difference) => {
  const write = (path: string, value: unknown) => writeFileSync(join(directory, path), JSON.stringify(value));
  const paths = (packages: object) =>
    Object.fromEntries(Object.entries(packages).map(([name, entry]) => [`node_modules/${name}`, entry]));
  write("package.json", { dependencies: wanted });
  write("package-lock.json", { packages: { "": { dependencies }, ...paths({ lib, foreign }) } });
  rmSync(join(directory, "node_modules"), { recursive: true, force: true });
  for (const [name, { version }] of Object.entries<{ version: string }>(installed)) {
    mkdirSync(join(directory, "node_modules", name), { recursive: true });
    write(`node_modules/${name}/package.json`, { name, version });
  }
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, script], { cwd: directory });
  if (difference === "") expect(existsSync(join(directory, "node_modules", ".lineside-lock"))).toBe(true);
  expect([exitCode, stderr.toString()]).toEqual([
    difference === "" ? 0 : 1,
    expect.stringContaining(difference),
  ]);
});

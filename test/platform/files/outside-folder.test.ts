import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isNamedOutside, isOutside } from "../../../src/platform/files/outside-folder.ts";

let root: string;
let data: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "lineside-outside-"));
  data = join(root, "data");
  mkdirSync(join(data, "secrets"), { recursive: true });
  mkdirSync(join(root, "stick"));
  symlinkSync(data, join(root, "link"));
  symlinkSync(join(root, "stick"), join(data, "out"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("a folder beside the data directory is outside, also one that does not exist yet", () => {
  for (const path of ["stick", "stick/new/deeper", "database", "link/../stick"])
    expect([path, isOutside(join(root, path), data)]).toEqual([path, true]);
});

test("the data directory, what is in it and what is around it are not outside", () => {
  for (const path of ["data", "data/secrets", "data/new/deeper", ".", "..", "data/../data"])
    expect([path, isOutside(join(root, path), data)]).toEqual([path, false]);
  expect(isOutside("/", data)).toBe(false);
});

test("a link leads where it leads", () => {
  for (const path of ["link", "link/secrets", "link/new"])
    expect([path, isOutside(join(root, path), data)]).toEqual([path, false]);
  expect(isOutside(join(data, "out"), data)).toBe(true);
  const before = process.cwd();
  process.chdir(data);
  try {
    expect(isOutside("/proc/self/cwd", data)).toBe(false);
    expect(isOutside("/proc/self/cwd/secrets/new", data)).toBe(false);
  } finally {
    process.chdir(before);
  }
});

test("the names of paths alone tell what is inside, without a look at links", () => {
  for (const [path, isIt] of [
    ["stick", true],
    ["data/secrets", false],
    ["..", false],
    ["link", true],
  ] as const)
    expect([path, isNamedOutside(join(root, path), data)]).toEqual([path, isIt]);
  expect(isNamedOutside("stick", data)).toBe(false);
});

test("a path that is not absolute is refused", () => {
  expect(isOutside("stick", data)).toBe(false);
});

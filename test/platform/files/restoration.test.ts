// A restoration that is interrupted anywhere neither loses the present data nor the restored ones.
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDataDirectory } from "../../../src/platform/files/data-directory.ts";
import { DATABASE_FILES } from "../../../src/platform/files/inventory.ts";
import {
  beginRestoration,
  completeRestoration,
  finishRestoration,
} from "../../../src/platform/files/restoration.ts";

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "lineside-restoration-"));
  for (const name of DATABASE_FILES) writeFileSync(join(data, name), `present ${name}`);
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const contents = () =>
  DATABASE_FILES.map((name) => (existsSync(join(data, name)) ? readFileSync(join(data, name), "utf8") : ""));
const present = DATABASE_FILES.map((name) => `present ${name}`);
const restored = DATABASE_FILES.map((name) => `restored ${name}`);

function prepare(): string {
  const folder = beginRestoration(data);
  for (const name of DATABASE_FILES) writeFileSync(join(folder, name), `restored ${name}`);
  mkdirSync(join(folder, "secrets"));
  writeFileSync(join(folder, "secrets", "storage.key"), "k".repeat(32));
  return folder;
}

test("a complete restoration takes the place of the present data", () => {
  prepare();
  completeRestoration(data, DATABASE_FILES);
  expect(finishRestoration(data)).toBe(true);
  expect([contents(), existsSync(join(data, "restoring"))]).toEqual([restored, false]);
});

test("what an interruption of the last step leaves changes nothing", () => {
  prepare();
  completeRestoration(data, DATABASE_FILES);
  const folder = join(data, "restoring");
  const copy = mkdtempSync(join(tmpdir(), "lineside-restoring-"));
  cpSync(folder, copy, { recursive: true });
  finishRestoration(data);
  // Every part of the folder that a deletion may have left, the databases of which are in their place already.
  for (const left of [["complete"], ["complete", "secrets"], ["cleared"], ["secrets"], []]) {
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(copy).filter((entry) => left.includes(entry)))
      cpSync(join(copy, name), join(folder, name), { recursive: true });
    if (left.includes("cleared")) writeFileSync(join(folder, "cleared"), "");
    expect(finishRestoration(data)).toBe(false);
    expect([left, contents()]).toEqual([left, restored]);
  }
  rmSync(copy, { recursive: true, force: true });
});

test.each([
  "",
  "{}",
  "lineside.db",
  '{"databases":[],"files":[]}',
  '{"databases":["inventory.json"],"files":["inventory.json"]}',
  '{"databases":["../lineside.db"],"files":["../lineside.db"]}',
])("a marker with %j removes nothing", (text) => {
  const folder = prepare();
  writeFileSync(join(folder, "complete"), text);
  expect(finishRestoration(data)).toBe(false);
  expect(contents()).toEqual(present);
});

test("a marker without the files that it names removes nothing", () => {
  const folder = prepare();
  completeRestoration(data, DATABASE_FILES);
  rmSync(join(folder, "lineside.db"));
  expect(finishRestoration(data)).toBe(false);
  expect(contents()).toEqual(present);
});

test("a restoration that was interrupted after the present files were removed goes on", () => {
  const folder = prepare();
  completeRestoration(data, DATABASE_FILES);
  for (const name of DATABASE_FILES) rmSync(join(data, name));
  writeFileSync(join(folder, "cleared"), "");
  cpSync(join(folder, "mqtt.db"), join(data, "mqtt.db"));
  rmSync(join(folder, "mqtt.db"));
  expect(finishRestoration(data)).toBe(true);
  expect(contents()).toEqual(restored);
});

test("a directory without other data does not start empty after an interruption, until it is decided what to do", () => {
  for (const name of DATABASE_FILES) rmSync(join(data, name));
  prepare();
  for (let start = 0; start < 2; start++)
    expect(() => openDataDirectory(data)).toThrow("was interrupted, and there is no other data in it");
  expect(readdirSync(join(data, "restoring"))).toContain("lineside.db");
  rmSync(join(data, "restoring"), { recursive: true });
  openDataDirectory(data).release();
});

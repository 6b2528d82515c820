// The format of update files: only what the publisher signed is read, and only what was signed is written.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extractExecutable, openUpdate } from "../../../src/modules/updates/update-file.ts";
import { createKeys, createUpdate, fakeProgram } from "../../support/update-files.ts";

const keys = createKeys();
const executable = fakeProgram("0.2.0", "exit 1");
let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-update-file-"));
  file = join(directory, "new.update");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const update = (fields: object = {}) =>
  createUpdate(executable, { version: "0.2.0", ...fields }, keys.privateKey);
const open = (bytes: Uint8Array) => {
  writeFileSync(file, bytes);
  return openUpdate(file, keys.publicKey);
};
const target = () => join(directory, "lineside.next");

test("an executable comes out as it went in, and can be run", async () => {
  const head = await open(update());
  expect(head.manifest).toMatchObject({ version: "0.2.0", bytes: executable.length });
  await extractExecutable(file, head, target());
  expect(readFileSync(target()).equals(executable)).toBe(true);
  expect(statSync(target()).mode & 0o777).toBe(0o755);
});

test("a changed byte anywhere in the head is refused", async () => {
  const bytes = update();
  const length = bytes.length - executable.length;
  for (let position = 0; position < length; position++) {
    const changed = Buffer.from(bytes);
    changed[position] = (changed[position] ?? 0) ^ 1;
    await expect(open(changed)).rejects.toMatchObject({ kind: "invalid" });
  }
});

test("a file that is cut off anywhere is refused", async () => {
  const bytes = update();
  const headLength = bytes.length - executable.length;
  for (let length = 0; length < headLength; length++)
    await expect(open(bytes.subarray(0, length))).rejects.toMatchObject({ kind: "invalid" });
  const head = await open(bytes.subarray(0, bytes.length - 1));
  await expect(extractExecutable(file, head, target())).rejects.toMatchObject({ code: "update.cut_off" });
});

test("a changed or longer executable is refused", async () => {
  const changed = update();
  changed[changed.length - 2] = (changed[changed.length - 2] ?? 0) ^ 1;
  for (const bytes of [changed, Buffer.concat([update(), Buffer.from("more")])]) {
    const head = await open(bytes);
    await expect(extractExecutable(file, head, target())).rejects.toMatchObject({ code: "update.damaged" });
  }
});

test("a version that is none is refused even with a signature, as it may become part of a path", async () => {
  for (const version of ["../../etc", "0.2", "", "0.2.0/..", "0.2.0\n"])
    await expect(open(update({ version }))).rejects.toMatchObject({ code: "update.not_an_update" });
});

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, readdir, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DataDirectory, openDataDirectory } from "../../src/platform/data-directory.ts";

let path: string;
let data: DataDirectory;

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "lineside-test-"));
  data = openDataDirectory(path);
});
afterEach(async () => {
  data.release();
  await rm(path, { recursive: true });
});

test("a secret stays the same, for its owner's eyes only", async () => {
  const secret = data.secret("key", 32);
  expect(secret).toHaveLength(32);
  expect(Buffer.from(data.secret("key", 32))).toEqual(Buffer.from(secret));
  expect((await stat(join(path, "secrets", "key"))).mode & 0o777).toBe(0o600);
  expect(await readdir(join(path, "secrets"))).toEqual(["key"]);
});

test("a secret that was cut off while it was written is never used", async () => {
  for (const length of [0, 2, 31]) {
    const file = join(path, "secrets", `key${length}`);
    data.secret(`key${length}`, 32);
    await truncate(file, length);
    const renewed = data.secret(`key${length}`, 32);
    expect(renewed).toHaveLength(32);
    expect(Buffer.from(data.secret(`key${length}`, 32))).toEqual(Buffer.from(renewed));
  }
});

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loggedPages, logHeader } from "../../../src/platform/database/logged-pages.ts";

const root = mkdtempSync(join(tmpdir(), "lineside-pages-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("a log that cannot be read is not taken for one that is missing", () => {
  const missing = join(root, "missing-wal");
  expect([loggedPages(missing).frames, logHeader(missing)]).toEqual([0, undefined]);
  const unreadable = join(root, "folder-wal");
  mkdirSync(unreadable);
  expect(() => loggedPages(unreadable)).toThrow("a file belongs there");
  expect(() => logHeader(unreadable)).toThrow("a file belongs there");
});

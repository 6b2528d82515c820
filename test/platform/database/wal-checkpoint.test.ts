import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkpointLog } from "../../../src/platform/database/wal-checkpoint.ts";
import { until } from "../../support/until.ts";

const directory = mkdtempSync(join(tmpdir(), "lineside-wal-"));
const file = join(directory, "data.db");
const PAGE_BYTES = 4_096;
const LOG_PAGES_MAX = 250;

let writer: Bun.Subprocess | undefined;
afterEach(async () => {
  writer?.kill();
  await writer?.exited;
  rmSync(directory, { recursive: true, force: true });
});

test("the log of a database that is written to without a pause stays short", async () => {
  const sqlite = new Database(file);
  sqlite.run("PRAGMA busy_timeout=5000");
  sqlite.run("PRAGMA journal_mode=WAL");
  sqlite.run("CREATE TABLE entry (text TEXT)");
  const script = `const { Database } = require("bun:sqlite"); const sqlite = new Database(${JSON.stringify(file)});
    for (const pragma of ["busy_timeout=5000", "synchronous=NORMAL", "wal_autocheckpoint=0", "journal_size_limit=0"]) sqlite.run("PRAGMA " + pragma);
    const insert = sqlite.prepare("INSERT INTO entry VALUES (?)");
    for (;; Bun.sleepSync(1)) for (let row = 0; row < 20; row++) insert.run("x".repeat(3_000));`;
  writer = Bun.spawn([process.execPath, "-e", script], { stdout: "ignore", stderr: "inherit" });
  const newest = sqlite.query<{ n: number }, []>("SELECT max(rowid) AS n FROM entry");
  const logPages = () => statSync(`${file}-wal`).size / PAGE_BYTES;
  for (let round = 0; round < 3; round++) {
    await until(() => logPages() >= 2 * LOG_PAGES_MAX);
    // Now and then somebody else has the lock at that moment.
    await until(async () => {
      const pages = logPages();
      checkpointLog(sqlite, LOG_PAGES_MAX);
      const written = newest.get()?.n;
      await until(() => newest.get()?.n !== written);
      return logPages() < pages;
    });
  }
  writer.kill();
  await writer.exited;
  expect(sqlite.query<{ n: number }, []>("SELECT count(*) AS n FROM entry").get()?.n).toBe(newest.get()?.n);
  sqlite.close();
});

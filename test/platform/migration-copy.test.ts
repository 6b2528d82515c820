import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyBeforeMigration } from "../../src/platform/database/migrations.ts";

let directory: string;
let database: Database;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-copy-"));
  database = new Database(join(directory, "lineside.db"));
  database.run("PRAGMA journal_mode=WAL");
  database.run("CREATE TABLE t (value TEXT)");
  database.run("INSERT INTO t VALUES ('as it was')");
});
afterEach(() => {
  database.close();
  rmSync(directory, { recursive: true, force: true });
});

const copies = () =>
  readdirSync(directory)
    .filter((name) => name.includes(".before-"))
    .sort();

test("the copy holds what the database held, and replaces the one of an earlier migration", () => {
  copyBeforeMigration(database, 1);
  database.run("UPDATE t SET value = 'changed'");
  copyBeforeMigration(database, 2);
  expect(copies()).toEqual(["lineside.db.before-2"]);
  const copy = new Database(join(directory, "lineside.db.before-2"), { readonly: true });
  expect(copy.query("SELECT value FROM t").all()).toEqual([{ value: "changed" }]);
  copy.close();
});

test("a copy that was interrupted is made anew", () => {
  writeFileSync(join(directory, "lineside.db.before-1.new"), "half of it");
  copyBeforeMigration(database, 1);
  expect(copies()).toEqual(["lineside.db.before-1"]);
});

test("a start that cannot copy says so, and leaves the older copy", () => {
  copyBeforeMigration(database, 1);
  mkdirSync(join(directory, "lineside.db.before-2"));
  writeFileSync(join(directory, "lineside.db.before-2", "in the way"), "");
  expect(() => copyBeforeMigration(database, 2)).toThrow("The database lineside.db cannot be copied");
  expect(copies()).toEqual(["lineside.db.before-1", "lineside.db.before-2"]);
});

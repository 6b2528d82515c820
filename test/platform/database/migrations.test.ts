import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyMigrations, type Migration } from "../../../src/platform/database/migrations.ts";

/** Steps of a schema as later versions bring them: a table, a column, and a table that is built anew. */
const MIGRATIONS: readonly Migration[] = [
  "CREATE TABLE devices (id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
  "ALTER TABLE devices ADD label TEXT",
  "CREATE TABLE devices_new (id INTEGER PRIMARY KEY, name TEXT NOT NULL, label TEXT NOT NULL);--> statement-breakpoint\nINSERT INTO devices_new SELECT id, name, coalesce(label, '') FROM devices;--> statement-breakpoint\nDROP TABLE devices;--> statement-breakpoint\nALTER TABLE devices_new RENAME TO devices",
  "CREATE TABLE notes (id INTEGER PRIMARY KEY)",
].map((sql, index) => ({ when: 1_000 + index, sql: () => sql }));
const SEEN = 2;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lineside-migrations-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Opens a database as the program left it that knew the first migrations only. */
function openOlder(): Database {
  const sqlite = new Database(join(folder, "plant.db"), { create: true, strict: true });
  applyMigrations(sqlite, "plant", MIGRATIONS.slice(0, SEEN));
  sqlite.run("INSERT INTO devices (name, label) VALUES ('Press', NULL)");
  return sqlite;
}

const seen = (sqlite: Database) =>
  sqlite.query<{ count: number }, []>("SELECT count(*) AS count FROM __drizzle_migrations").get()?.count;
const columns = (sqlite: Database) =>
  sqlite
    .query<{ name: string; isRequired: number }, []>(
      "SELECT name, \"notnull\" AS isRequired FROM pragma_table_info('devices')",
    )
    .all()
    .map(({ name, isRequired }) => `${name} ${isRequired}`);
const copies = () => readdirSync(folder).filter((name) => name.includes(".before-"));

test("an upgrade that ends in the middle changes nothing, and the copy from before stays the copy from before", () => {
  const sqlite = openOlder();
  const before = columns(sqlite);
  sqlite.run("CREATE TABLE notes (id INTEGER)"); // the last migration fails at it
  expect(() => applyMigrations(sqlite, "plant", MIGRATIONS)).toThrow("notes");
  expect([seen(sqlite), columns(sqlite), copies()]).toEqual([SEEN, before, [`plant.db.before-${SEEN}`]]);
  sqlite.run("DROP TABLE notes");
  expect(applyMigrations(sqlite, "plant", MIGRATIONS)).toBe(MIGRATIONS.length - SEEN);
  expect(columns(sqlite)).toContain("label 1");
  expect(sqlite.query("SELECT name, label FROM devices").all()).toEqual([{ name: "Press", label: "" }]);
  expect(copies()).toEqual([`plant.db.before-${SEEN}`]);
  expect(applyMigrations(sqlite, "plant", MIGRATIONS)).toBe(0);
  expect(() => applyMigrations(sqlite, "plant", MIGRATIONS.slice(0, SEEN))).toThrow("newer");
  sqlite.close();
  const copy = new Database(join(folder, `plant.db.before-${SEEN}`), { readonly: true });
  expect([seen(copy), columns(copy)]).toEqual([SEEN, before]);
  copy.close();
});

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyMigrations } from "../../../src/platform/database/migrations.ts";

const FOLDER = join(import.meta.dir, "../../../drizzle/lineside");
const SEEN = 5;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lineside-migrations-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Opens a database as the program left it that knew the first migrations only. */
function openOlder(): Database {
  const { entries } = JSON.parse(readFileSync(join(FOLDER, "meta/_journal.json"), "utf8"));
  const sqlite = new Database(join(folder, "lineside.db"), { create: true, strict: true });
  sqlite.run(
    "CREATE TABLE __drizzle_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, hash text NOT NULL, created_at numeric)",
  );
  for (const { tag, when } of entries.slice(0, SEEN)) {
    const sql = readFileSync(join(FOLDER, `${tag}.sql`), "utf8");
    for (const statement of sql.split("--> statement-breakpoint")) sqlite.run(statement);
    sqlite.run("INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)", ["", when]);
  }
  return sqlite;
}

const seen = (sqlite: Database) =>
  sqlite.query<{ count: number }, []>("SELECT count(*) AS count FROM __drizzle_migrations").get()?.count;
const copies = () => readdirSync(folder).filter((name) => name.includes(".before-"));

test("an upgrade that ends in the middle changes nothing, and the copy from before stays the copy from before", () => {
  const sqlite = openOlder();
  sqlite.run("CREATE TABLE device_notes (id INTEGER)"); // a migration fails at it
  expect(() => applyMigrations(sqlite, "lineside")).toThrow("device_notes");
  expect([seen(sqlite), copies()]).toEqual([SEEN, [`lineside.db.before-${SEEN}`]]);
  sqlite.run("DROP TABLE device_notes");
  expect(applyMigrations(sqlite, "lineside")).toBeGreaterThan(0);
  expect(copies()).toEqual([`lineside.db.before-${SEEN}`]);
  sqlite.close();
  const copy = new Database(join(folder, `lineside.db.before-${SEEN}`), { readonly: true });
  expect(seen(copy)).toBe(SEEN);
  copy.close();
});

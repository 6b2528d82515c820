// Rows of a tenant always name it: a row without it would be read by nobody, and deleted with nobody.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dir, "..", "..", "drizzle", "lineside");
const migrations = readdirSync(folder)
  .filter((name) => name.endsWith(".sql"))
  .sort();

function migrate(database: Database, names: readonly string[]): void {
  for (const name of names)
    for (const statement of readFileSync(join(folder, name), "utf8").split("--> statement-breakpoint"))
      if (statement.trim() !== "") database.run(statement);
}

test("no column of a tenant has a default", () => {
  const database = new Database(":memory:");
  migrate(database, migrations);
  const columns = database
    .query<{ name: string; value: string | null }, []>(
      "SELECT m.name, c.dflt_value AS value FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'tenant_id'",
    )
    .all();
  expect(columns.length).toBeGreaterThan(20);
  expect(columns.filter(({ value }) => value !== null)).toEqual([]);
  const insert =
    "INSERT INTO alarm_events (event_id, alarm_id, event_type, code, params, created_at) VALUES ('e', 'a', 'ACK', 'c', '{}', 1)";
  expect(() => database.run(insert)).toThrow("NOT NULL constraint failed: alarm_events.tenant_id");
});

test("a table that is rebuilt keeps its rows, and never uses a deleted row's number again", () => {
  const database = new Database(":memory:", { strict: true });
  const rebuilt = migrations.findIndex((name) => name.includes("require_tenants"));
  migrate(database, migrations.slice(0, rebuilt));
  database.run("PRAGMA foreign_keys=OFF");
  const insert =
    "INSERT INTO alarm_events (event_id, alarm_id, tenant_id, event_type, code, params, created_at) VALUES ('e', 'a', 't', 'ACK', 'c', '{}', 1)";
  for (let count = 0; count < 5; count++) database.run(insert);
  database.run("DELETE FROM alarm_events WHERE sequence > 2");
  const all = "SELECT * FROM alarm_events";
  const before = database.query(all).all();
  migrate(database, migrations.slice(rebuilt));
  database.run("PRAGMA foreign_keys=OFF");
  expect(database.query(all).all()).toEqual(before);
  expect(database.run(insert).lastInsertRowid).toBe(6);
});

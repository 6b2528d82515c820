// Rows of a tenant always name it: a row without it would be read by nobody, and deleted with nobody.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { applyMigrations } from "../../src/platform/database/migrations.ts";

test("no column of a tenant has a default", () => {
  const database = new Database(":memory:");
  applyMigrations(database, "lineside");
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

import type { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { invariant } from "../lib/invariant.ts";
import { readTextAsset } from "./assets.ts";
import { StartupError } from "./startup-error.ts";

interface Journal {
  entries: Array<{ idx: number; when: number; tag: string }>;
}

/**
 * Applies the migrations of `drizzle/<name>` that the database has not seen, each in a transaction of its own, and keeps
 * drizzle-kit's own bookkeeping table, so either program can read the other's.
 * @throws StartupError when the database was written by a newer version.
 */
export function applyMigrations(sqlite: Database, name: string): number {
  const journalText = readTextAsset(`drizzle/${name}/meta/_journal.json`);
  invariant(journalText !== undefined, `the migrations of ${name} are missing`);
  const { entries } = JSON.parse(journalText) as Journal; // our own generated file
  sqlite.run(
    "CREATE TABLE IF NOT EXISTS __drizzle_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, hash text NOT NULL, created_at numeric)",
  );
  const newest = sqlite
    .query<{ at: number | null }, []>("SELECT max(created_at) AS at FROM __drizzle_migrations")
    .get()?.at;
  if ((newest ?? 0) > Math.max(0, ...entries.map((entry) => entry.when)))
    throw new StartupError(
      `The database ${name}.db was written by a newer Lineside; start that version, or restore an earlier copy of the data directory.`,
    );
  const pending = entries.filter((entry) => entry.when > (newest ?? 0));
  for (const entry of pending) {
    const sql = readTextAsset(`drizzle/${name}/${entry.tag}.sql`);
    invariant(sql !== undefined, `the migration ${entry.tag} is missing`);
    sqlite.transaction(() => {
      for (const statement of sql.split("--> statement-breakpoint")) sqlite.run(statement);
      const hash = createHash("sha256").update(sql).digest("hex");
      sqlite.run("INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)", [hash, entry.when]);
    })();
  }
  return pending.length;
}

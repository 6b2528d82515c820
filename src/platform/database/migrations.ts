import type { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { invariant } from "../../lib/core/invariant.ts";
import { syncPath } from "../files/durable-file.ts";
import { readTextAsset } from "../process/assets.ts";
import { StartupError } from "../process/startup-error.ts";
import { newerVersion } from "./schema-version.ts";

const INFIX = ".before-";

/**
 * Copies a database before migrations change it, to `<file>.before-<version>` beside it, where the version is the number of applied migrations. The
 * copy is on disk on return. Copies of earlier migrations are removed.
 * @throws StartupError if the copy cannot be written
 */
export function copyBeforeMigration(sqlite: Database, version: number): void {
  const file = sqlite.filename;
  const copy = `${file}${INFIX}${version}`;
  const unfinished = `${copy}.new`;
  try {
    rmSync(unfinished, { force: true });
    sqlite.run("VACUUM INTO ?", [unfinished]);
    syncPath(unfinished);
    renameSync(unfinished, copy);
    syncPath(dirname(copy));
  } catch (cause) {
    rmSync(unfinished, { force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StartupError(
      `The database ${basename(file)} cannot be copied before this version changes it: ${reason}. Make room on the disk and start again.`,
      { cause },
    );
  }
  for (const name of readdirSync(dirname(file)))
    if (name.startsWith(`${basename(file)}${INFIX}`) && name !== basename(copy))
      rmSync(join(dirname(file), name));
}

/** One step of a schema. */
export interface Migration {
  /** Epoch ms at which the migration was generated. Databases identify it by this value. */
  readonly when: number;
  /** Returns its statements, separated by `--> statement-breakpoint`. */
  readonly sql: () => string;
}

/** Returns the migrations of `drizzle/<name>` that this program knows, oldest first. */
function readMigrations(name: string): Migration[] {
  const read = (file: string): string => {
    const text = readTextAsset(`drizzle/${name}/${file}`);
    invariant(text !== undefined, `${file} of the migrations of ${name} is missing`);
    return text;
  };
  const journal: { entries: { when: number; tag: string }[] } = JSON.parse(read("meta/_journal.json"));
  return journal.entries.map(({ when, tag }) => ({ when, sql: () => read(`${tag}.sql`) }));
}

/** Returns the timestamp of the newest migration of `drizzle/<name>` that this program knows. */
export const newestMigration = (name: string): number => readMigrations(name).at(-1)?.when ?? 0;

/**
 * Applies the pending migrations of `drizzle/<name>`, all or none: after a part of them, the next start would replace the copy from before the
 * upgrade with one that the previous version cannot read. Uses the bookkeeping table of drizzle-kit, so each program can read databases of the
 * other.
 * @throws StartupError if a newer version wrote the database, or its history of migrations differs
 */
export function applyMigrations(
  sqlite: Database,
  name: string,
  migrations: readonly Migration[] = readMigrations(name),
): number {
  sqlite.run(
    "CREATE TABLE IF NOT EXISTS __drizzle_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, hash text NOT NULL, created_at numeric)",
  );
  const applied = sqlite
    .query<{ at: number }, []>("SELECT created_at AS at FROM __drizzle_migrations ORDER BY at")
    .all();
  const newest = applied.at(-1)?.at ?? 0;
  if (newest > (migrations.at(-1)?.when ?? 0)) throw newerVersion(`${name}.db`);
  if (applied.some(({ at }, index) => at !== migrations[index]?.when))
    throw new StartupError(
      `The database ${name}.db was written by an unreleased Lineside whose data cannot be migrated; start with another data directory.`,
    );
  const pending = migrations.slice(applied.length);
  if (applied.length > 0 && pending.length > 0) copyBeforeMigration(sqlite, applied.length);
  sqlite.transaction(() => {
    for (const { when, sql: read } of pending) {
      const sql = read();
      for (const statement of sql.split("--> statement-breakpoint")) sqlite.run(statement);
      const hash = createHash("sha256").update(sql).digest("hex");
      sqlite.run("INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)", [hash, when]);
    }
  })();
  return pending.length;
}

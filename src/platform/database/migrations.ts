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
 * Copies a database before migrations change it, to `<file>.before-<version>` beside it, where the version is the number of migrations that
 * it has seen. The copy is on the disk when the function returns. Copies of earlier migrations are removed.
 * @throws StartupError when the copy cannot be written.
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
  /** Time stamp of its generation in ms, by which databases remember it. */
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

/** Returns the time stamp of the newest migration of `drizzle/<name>` that this program knows. */
export const newestMigration = (name: string): number => readMigrations(name).at(-1)?.when ?? 0;

/**
 * Applies the migrations of `drizzle/<name>` that the database has not seen, all or none of them: after a part of them, the next start would
 * replace the copy from before by one that the previous version cannot read. Keeps drizzle-kit's own bookkeeping table, so either program can
 * read the other's.
 * @throws StartupError when the database was written by a newer version, or has another history of migrations.
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

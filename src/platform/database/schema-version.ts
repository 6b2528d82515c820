import type { Database } from "bun:sqlite";
import { basename } from "node:path";
import { StartupError } from "../process/startup-error.ts";

/** Returns the error for a file that a newer version of the program wrote. */
export function newerVersion(file: string): StartupError {
  return new StartupError(
    `The database ${basename(file)} was written by a newer Lineside; start that version, or restore an earlier copy of the data directory.`,
  );
}

/**
 * Returns the schema version in the header of a file (`PRAGMA user_version`, 0 for a new file). Files with migrations (`applyMigrations`) count
 * migrations instead.
 * @throws StartupError if a newer version wrote the file
 */
export function schemaVersionOf(db: Database, file: string, newest: number): number {
  const version = db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
  if (version > newest) throw newerVersion(file);
  return version;
}

/** Creates the schema of a new file together with its version, or neither. */
export function createSchema(db: Database, schema: string, version: number): void {
  db.transaction(() => {
    db.run(schema);
    db.run(`PRAGMA user_version=${version}`);
  })();
}

/** Schema version of telemetry.db. Older files are migrated, newer ones refused. */
export const TELEMETRY_SCHEMA_VERSION = 1;

/** Schema version of mqtt.db. Newer files are refused. */
export const MQTT_SCHEMA_VERSION = 1;

import type { Database } from "bun:sqlite";
import { basename } from "node:path";
import { StartupError } from "../process/startup-error.ts";

/** The sentence for a file that this version of the program does not understand. */
export function newerVersion(file: string): StartupError {
  return new StartupError(
    `The database ${basename(file)} was written by a newer Lineside; start that version, or restore an earlier copy of the data directory.`,
  );
}

/**
 * Returns the version of a file's schema, which the file's own header carries (`PRAGMA user_version`, 0 for a new file). The files with
 * migrations (`applyMigrations`) count those instead.
 * @throws StartupError when the file is of a newer version.
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

/** Raised when the layout of telemetry.db changes; files of an older version are migrated, newer ones refused. */
export const TELEMETRY_SCHEMA_VERSION = 1;

/** Raised when the layout of mqtt.db changes; newer files are refused. */
export const MQTT_SCHEMA_VERSION = 1;

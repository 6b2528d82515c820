import { existsSync } from "node:fs";
import { join } from "node:path";
import { openDatabaseFile } from "./database-file.ts";
import { newestMigration } from "./migrations.ts";
import { MQTT_SCHEMA_VERSION, TELEMETRY_SCHEMA_VERSION } from "./schema-version.ts";

/** Schema version by name of the database file; a higher number is newer. */
export type Schemas = Readonly<Record<string, number>>;

const MIGRATED = ["lineside", "identity"] as const;
const BUSY_TIMEOUT_MS = 5_000;

/** Returns the schemas that this program writes. */
export const ownSchemas = (): Schemas => ({
  ...Object.fromEntries(MIGRATED.map((name) => [`${name}.db`, newestMigration(name)])),
  "telemetry.db": TELEMETRY_SCHEMA_VERSION,
  "mqtt.db": MQTT_SCHEMA_VERSION,
});

/** Returns the schema version of a database file; undefined if the file does not exist. @throws for a file that SQLite cannot read */
export function storedSchema(dataPath: string, file: string): number | undefined {
  const path = join(dataPath, file);
  if (!existsSync(path)) return undefined;
  const database = openDatabaseFile(path, "read");
  try {
    database.run(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
    if (!MIGRATED.some((name) => file === `${name}.db`))
      return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
    const table = "SELECT 1 FROM sqlite_schema WHERE name = '__drizzle_migrations'";
    if (database.query(table).get() === null) return 0;
    const newest = "SELECT max(created_at) AS at FROM __drizzle_migrations";
    return database.query<{ at: number | null }, []>(newest).get()?.at ?? 0;
  } finally {
    database.close(false);
  }
}

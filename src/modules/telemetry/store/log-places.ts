import type { Database } from "bun:sqlite";
import type { LogPlace } from "./hot-log-position.ts";

/** `durable`: end of the hot log when the database was stamped last. `sealed`: last row whose values are in blocks. */
type PlaceName = "durable" | "sealed";

/** Writes a place of the hot log to telemetry.db, within a transaction. */
export function writeLogPlace(db: Database, name: PlaceName, { id, values, time }: LogPlace): void {
  db.run(
    'CREATE TABLE IF NOT EXISTS log_place (name TEXT PRIMARY KEY, id INTEGER NOT NULL, "values" INTEGER, time INTEGER) WITHOUT ROWID',
  );
  db.query("INSERT OR REPLACE INTO log_place VALUES (?, ?, ?, ?)").run(
    name,
    id,
    values ?? null,
    time ?? null,
  );
}

/** Reads a place; undefined if it was never written. */
export function readLogPlace(db: Database, name: PlaceName): LogPlace | undefined {
  if (db.query("SELECT 1 FROM sqlite_schema WHERE name = 'log_place'").get() === null) return undefined;
  const row = db
    .query<{ id: number; values: number | null; time: number | null }, [string]>(
      'SELECT id, "values", time FROM log_place WHERE name = ?',
    )
    .get(name);
  if (row === null) return undefined;
  return { id: row.id, values: row.values ?? undefined, time: row.time ?? undefined };
}

/** Returns the place after the last row in blocks, whose id is `sealedId`. */
export function sealedPlaceOf(db: Database, sealedId: number): LogPlace {
  const place = readLogPlace(db, "sealed");
  if (place?.id === sealedId) return place;
  return { id: sealedId, values: sealedId === 0 ? 0 : undefined, time: undefined };
}

import { Database } from "bun:sqlite";

/** Identifies the data directory that a database belongs to, and its generation among the directory's files. */
export interface Stamp {
  /** Id of the data directory. */
  readonly gateway: string;
  /** Number of starts and hours of the data directory. */
  readonly generation: number;
}

const TABLE = "__inventory";
const BUSY_TIMEOUT_MS = 5_000;

/** Returns a database's stamp; undefined if it has no stamp yet. @throws SQLiteError for an unreadable file */
export function readStamp(database: Database): Stamp | undefined {
  const exists = database.query("SELECT 1 FROM sqlite_schema WHERE name = ?").get(TABLE) !== null;
  if (!exists) return undefined;
  return database.query<Stamp, []>(`SELECT gateway, generation FROM ${TABLE}`).get() ?? undefined;
}

/** Stamps a database, within the caller's transaction if there is one. */
export function writeStamp(database: Database, { gateway, generation }: Stamp): void {
  database.run(
    `CREATE TABLE IF NOT EXISTS ${TABLE} (id INTEGER PRIMARY KEY CHECK (id = 1), gateway TEXT NOT NULL, generation INTEGER NOT NULL)`,
  );
  database.run(`INSERT OR REPLACE INTO ${TABLE} VALUES (1, ?, ?)`, [gateway, generation]);
}

/** Reads the stamp of a closed file. @throws SQLiteError for an unreadable file */
export function readStampOf(path: string): Stamp | undefined {
  const database = new Database(path, { readonly: true, strict: true });
  try {
    database.run(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
    return readStamp(database);
  } finally {
    database.close(false);
  }
}

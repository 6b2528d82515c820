import { constants, Database } from "bun:sqlite";
import { pathToFileURL } from "node:url";
import { openDatabaseFile } from "./database-file.ts";

/** Identifies the data directory that a database belongs to, and its generation among the directory's files. */
export interface Stamp {
  /** Id of the data directory. */
  readonly gateway: string;
  /** Number of starts, stops, hours and checkpoints of the data directory. */
  readonly generation: number;
  /** Check values of the keys of the directory, in case the inventory is lost. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
}

const TABLE = "__inventory";
const BUSY_TIMEOUT_MS = 5_000;

/** Parses check values of keys; none if they are damaged: `inventory.json` and the other databases have them as well, and the next stamp replaces them. */
function parseKeys(text: string): Stamp["keys"] {
  try {
    return (JSON.parse(text) as Stamp["keys"] | null) ?? {};
  } catch {
    return {};
  }
}

/** Returns a database's stamp; undefined if it has no stamp yet. @throws SQLiteError for an unreadable file */
export function readStamp(database: Database): Stamp | undefined {
  if (database.query("SELECT 1 FROM sqlite_schema WHERE name = ?").get(TABLE) === null) return undefined;
  const row = database
    .query<Omit<Stamp, "keys"> & { keys: string }, []>(`SELECT gateway, generation, keys FROM ${TABLE}`)
    .get();
  return row === null ? undefined : { ...row, keys: parseKeys(row.keys) };
}

/** Stamps a database, within the transaction of the caller, if any. */
export function writeStamp(database: Database, { gateway, generation, keys }: Stamp): void {
  database.run(
    `CREATE TABLE IF NOT EXISTS ${TABLE} (id INTEGER PRIMARY KEY CHECK (id = 1), gateway TEXT NOT NULL, generation INTEGER NOT NULL, keys TEXT NOT NULL)`,
  );
  database.run(`INSERT OR REPLACE INTO ${TABLE} VALUES (1, ?, ?, ?)`, [
    gateway,
    generation,
    JSON.stringify(keys),
  ]);
}

/** Reads the stamp of a file. @throws SQLiteError or DatabaseFileError for an unreadable file */
export function readStampOf(path: string): Stamp | undefined {
  const database = openDatabaseFile(path, "read");
  try {
    database.run(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
    return readStamp(database);
  } finally {
    database.close(false);
  }
}

/** Reads the stamp of a database file at its last checkpoint, ignoring the write-ahead log; undefined if it is missing or unreadable. */
export function readCheckpointedStamp(path: string): Stamp | undefined {
  try {
    const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
    const database = new Database(`${pathToFileURL(path).href}?immutable=1`, flags);
    try {
      return readStamp(database);
    } finally {
      database.close(false);
    }
  } catch {
    return undefined;
  }
}

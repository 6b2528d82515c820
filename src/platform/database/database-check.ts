import { SQLiteError } from "bun:sqlite";
import { storageFaultOf } from "../files/storage-fault.ts";
import { openDatabaseFile } from "./database-file.ts";
import { DamagedValueError, damagedValues } from "./stored-json.ts";

const PROBLEMS_MAX = 100;
const BUSY_TIMEOUT_MS = 5_000;

/** Returns whether SQLite reported a damaged file. */
export const isDamage = (error: SQLiteError): boolean =>
  error.code !== undefined && /^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code);

/** Returns whether an error, or its cause, means that a database cannot be read, because of damage or a failing disk. */
export function isUnreadable(error: unknown): boolean {
  if (error instanceof DamagedValueError) return true;
  const cause = error instanceof Error && error.cause instanceof SQLiteError ? error.cause : error;
  return cause instanceof SQLiteError && storageFaultOf(cause) === "unreadable";
}

/** Result of the check of one database. */
export interface DatabaseReport {
  readonly name: string;
  /** Bytes of the file, including its write-ahead log. */
  readonly bytes: number;
  /** Errors of the storage engine, one line each; empty for an intact file. */
  readonly problems: readonly string[];
}

/** Returns the first damage that SQLite finds in the structure of a database; undefined if there is none. @throws SQLiteError for a busy database */
export function structureProblem(path: string): string | undefined {
  const database = openDatabaseFile(path, "read");
  try {
    database.run(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
    const row = database.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get();
    return row?.quick_check === "ok" ? undefined : (row?.quick_check ?? "no result");
  } catch (error) {
    if (error instanceof SQLiteError && isDamage(error)) return error.message;
    throw error;
  } finally {
    database.close(false);
  }
}

/**
 * Returns the errors that SQLite finds in a database, its foreign keys included. Nothing is written.
 * @throws SQLiteError when the file cannot be opened or read.
 */
export function checkDatabase(path: string): string[] {
  const database = openDatabaseFile(path, "read");
  try {
    database.run(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
    const found = database
      .query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${PROBLEMS_MAX})`)
      .all()
      .map(({ integrity_check }) => integrity_check)
      .filter((line) => line !== "ok");
    const orphans = database
      .query<{ table: string; parent: string }, []>("PRAGMA foreign_key_check")
      .all()
      .map(({ table, parent }) => `a row of ${table} refers to a row of ${parent} that does not exist`);
    // Not in a damaged structure, where reading all rows may fail.
    const values = found.length === 0 ? damagedValues(database) : [];
    return [...found, ...new Set(orphans), ...values].slice(0, PROBLEMS_MAX);
  } finally {
    database.close(false);
  }
}

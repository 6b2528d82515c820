import { Database, SQLiteError } from "bun:sqlite";
import { closeSync, existsSync, truncateSync } from "node:fs";
import { isDamage } from "../database/database-check.ts";
import { openOwnFile } from "./data-file.ts";
import { giveToFolderOwner } from "./file-owner.ts";
import { ensureOwnFile } from "./misplaced-files.ts";

/** Max. wait for the lock in ms: a backup holds it briefly to check whether a gateway runs. */
const WAIT_MS = 250;

export interface FileLock {
  release(): void;
}

/** Creates the file for the user of the gateway alone. Does not open an existing file: closing it would release a lock of this process. */
function ensureFile(path: string): void {
  if (existsSync(path)) return;
  try {
    closeSync(openOwnFile(path, "createNew"));
    giveToFolderOwner(path);
  } catch (error) {
    if (!existsSync(path)) throw error; // unless another process was faster
  }
}

/** Takes the lock of a file that is empty or an intact database. */
function takeLock(path: string): FileLock | undefined {
  const database = new Database(path, { create: true });
  try {
    database.run(`PRAGMA busy_timeout=${WAIT_MS}`);
    database.run("BEGIN EXCLUSIVE");
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) return undefined;
    throw error;
  }
}

/**
 * Takes an exclusive lock that the kernel releases when the process ends for any reason: an exclusive SQLite transaction. Returns undefined while
 * another process or thread holds it. Truncates a damaged file, which has no content. @throws if the file cannot be written
 */
export function takeFileLock(path: string): FileLock | undefined {
  ensureOwnFile(path);
  ensureFile(path);
  try {
    return takeLock(path);
  } catch (error) {
    // SQLite reads the file only if nobody holds the lock.
    if (!(error instanceof SQLiteError) || !isDamage(error)) throw error;
    truncateSync(path);
    return takeLock(path);
  }
}

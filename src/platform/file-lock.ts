import { Database } from "bun:sqlite";
import { closeSync, existsSync, openSync } from "node:fs";
import { giveToFolderOwner } from "./file-owner.ts";

/** Max. wait for the lock, ms: a backup takes it for a moment to see whether a gateway runs. */
const WAIT_MS = 250;

export interface FileLock {
  release(): void;
}

/** Creates the file for the gateway's user alone. One that exists is not opened: closing it would drop a lock that this process holds on it. */
function ensureFile(path: string): void {
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, "wx", 0o600));
    giveToFolderOwner(path);
  } catch (error) {
    if (!existsSync(path)) throw error; // unless another process was faster
  }
}

/**
 * Takes an exclusive lock that the kernel releases when the process dies, however it dies: an exclusive SQLite transaction. Returns
 * `undefined` while another process or thread holds it. @throws when the file cannot be written.
 */
export function takeFileLock(path: string): FileLock | undefined {
  ensureFile(path);
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

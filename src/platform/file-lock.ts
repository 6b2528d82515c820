import { Database } from "bun:sqlite";

export interface FileLock {
  release(): void;
}

/**
 * Takes an exclusive lock that the kernel releases when the process dies, however it dies: an exclusive SQLite transaction. Returns
 * `undefined` while another process or thread holds it. @throws SQLiteError when the file cannot be written.
 */
export function takeFileLock(path: string): FileLock | undefined {
  const database = new Database(path, { create: true });
  try {
    database.run("PRAGMA busy_timeout=0");
    database.run("BEGIN EXCLUSIVE");
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) return undefined;
    throw error;
  }
}

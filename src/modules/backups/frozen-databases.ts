import type { Database } from "bun:sqlite";
import { dirname } from "node:path";
import { unavailable } from "../../lib/core/domain-error.ts";
import { closeKeepingLog, openDatabaseFile } from "../../platform/database/database-file.ts";
import { forgetLog } from "../../platform/database/wal-position.ts";
import type { FileLock } from "../../platform/files/file-lock.ts";
import { takeGatewayLock } from "../../platform/files/gateway-lock.ts";

const BUSY_TIMEOUT_MS = 2_000;
const ATTEMPTS_MAX = 200;
const RETRY_DELAY_MS = 50;

interface Checkpointed {
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

interface Connections {
  readonly checkpointer: Database;
  readonly writer: Database;
  readonly reader: Database;
}

/** Database whose file is unchanged until `release`. Meanwhile, commits go to its write-ahead log. */
export interface FrozenDatabase {
  readonly path: string;
  readonly pageBytes: number;
  readonly pages: number;
}

function open(path: string): Connections {
  const connect = () => {
    const database = openDatabaseFile(path, "write");
    database.run(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
    database.run("PRAGMA wal_autocheckpoint=0");
    return database;
  };
  return { checkpointer: connect(), writer: connect(), reader: connect() };
}

function checkpoint({ checkpointer }: Connections): boolean {
  const result = checkpointer.query<Checkpointed, []>("PRAGMA wal_checkpoint(PASSIVE)").get();
  return result !== null && result.busy === 0 && result.log === result.checkpointed;
}

/**
 * Freezes several SQLite databases in write-ahead mode simultaneously. While all are locked for writing, their logs are moved into the files and a
 * read transaction begins on each. Such a reader uses only the file, and a checkpoint needs the lock that it holds, so nothing writes to the file
 * until `release`. Writers only wait for the checkpoint of the last commits.
 */
export class DatabaseFreezer {
  readonly #connections: { readonly path: string; readonly connections: Connections }[] = [];
  /** True if the logs were moved into the files. */
  #hasFrozen = false;

  /** @throws SQLiteError or DatabaseFileError if a file cannot be opened */
  constructor(paths: readonly string[]) {
    try {
      for (const path of paths) this.#connections.push({ path, connections: open(path) });
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** @throws DomainError `unavailable` if other readers held a log for ten seconds */
  async freeze(): Promise<FrozenDatabase[]> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      // Checkpoints most of the logs without locking writers.
      for (const { connections } of this.#connections) checkpoint(connections);
      if (this.#freezeNow())
        return this.#connections.map(({ path, connections: { reader } }) => ({
          path,
          pageBytes: pragma(reader, "page_size"),
          pages: pragma(reader, "page_count"),
        }));
      await Bun.sleep(RETRY_DELAY_MS);
    }
    throw unavailable("backup.databases_busy");
  }

  #freezeNow(): boolean {
    const all = this.#connections.map(({ connections }) => connections);
    let isFrozen = false;
    try {
      for (const { writer } of all) writer.run("BEGIN IMMEDIATE");
      if (!all.every(checkpoint)) return false;
      for (const { reader } of all) {
        reader.run("BEGIN");
        reader.query("SELECT count(*) FROM sqlite_schema").get(); // the transaction begins with its first read
      }
      isFrozen = true;
      this.#hasFrozen = true;
    } catch (error) {
      if (!(error instanceof Error) || !/locked|busy/i.test(error.message)) throw error;
    } finally {
      const ended = all.flatMap(({ writer, reader }) => (isFrozen ? [writer] : [writer, reader]));
      for (const database of ended) if (database.inTransaction) database.run("ROLLBACK");
    }
    return isFrozen;
  }

  /** Ends the read transactions, so that another freeze is possible. */
  thaw(): void {
    for (const { connections } of this.#connections) connections.reader.run("ROLLBACK");
  }

  /** Ends the read transactions and closes the connections. If nothing was frozen, the logs stay as they are. */
  release(): void {
    const [first] = this.#connections;
    const lock = this.#hasFrozen && first !== undefined ? lockIfStopped(dirname(first.path)) : undefined;
    for (const { path, connections } of this.#connections) {
      for (const database of [connections.reader, connections.writer]) database.close(false);
      if (lock !== undefined) forgetLog(path); // before closing, which moves the log into the database
      if (this.#hasFrozen) connections.checkpointer.close(false);
      else closeKeepingLog(connections.checkpointer);
    }
    lock?.release();
  }
}

/** Locks a data directory. Returns undefined if a gateway runs on it. */
function lockIfStopped(dataPath: string): FileLock | undefined {
  try {
    return takeGatewayLock(dataPath);
  } catch {
    return undefined; // the positions stay; at worst they report a log as lost that is already in the database
  }
}

function pragma(database: Database, name: string): number {
  return Object.values(database.query<Record<string, number>, []>(`PRAGMA ${name}`).get() ?? {})[0] ?? 0;
}

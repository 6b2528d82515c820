import { Database, SQLiteError } from "bun:sqlite";
import { closeSync, fdatasync, fstatSync, openSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { detail, unavailableDueTo } from "../lib/domain-error.ts";
import { workerUrl } from "./assets.ts";
import { ensureSecret } from "./data-directory.ts";
import { isDamage } from "./database-check.ts";
import { type Stamp, writeStamp } from "./database-stamp.ts";
import type { Problem } from "./health.ts";
import { beginInventory, cannotOpen, recordCutLogs, verifyDatabase, verifyFile } from "./inventory.ts";
import type { Logger } from "./log.ts";
import { applyMigrations } from "./migrations.ts";
import { createStoredSecrets, type StoredSecrets } from "./stored-secrets.ts";
import { createWalPosition, forgetMovedLog, WalPosition } from "./wal-position.ts";
import { WriteGroup } from "./write-group.ts";

const WAL_BYTES_BEFORE_CHECKPOINT = 4 * 1024 * 1024;
const CHECKPOINT_INTERVAL_MS = 5_000;
const STORAGE_KEY_BYTES = 32;

/**
 * A configuration database on the main thread that never waits for the disk: commits go to the write-ahead log without an
 * fsync (`synchronous=NORMAL`), `durable()` syncs that log on a thread of the runtime's pool, shared by all who wait, and
 * checkpoints run in a worker. Whoever acknowledges a write awaits `durable()` first.
 */
export interface MainDatabase {
  readonly orm: BunSQLiteDatabase;
  readonly sqlite: Database;
  /** Returns how secrets of one use stand in it. */
  secrets(purpose: string): StoredSecrets;
  /** Runs `work` in one immediate transaction; nested calls join it. The callback cannot be async. */
  transact<Result>(work: () => Result extends Promise<unknown> ? never : Result): Result;
  /** Small writes that share a commit. */
  readonly writes: WriteGroup;
  /** Acknowledged changes that were lost before the database was opened, in English. */
  readonly loss: string | undefined;
  /** Returns the number of rows that this process has changed. */
  changes(): number;
  /** Returns a text that changes with every change of the database, whichever process makes it. */
  state(): string;
  /** Resolves once every commit so far, and every write of `writes`, is on the disk. */
  durable(): Promise<void>;
  /** Calls this before each checkpoint, so that what the checkpoint leaves in the file can be told from an older copy. */
  beforeCheckpoint(work: () => Promise<void>): void;
  /** Stamps the database with its data directory and generation. Resolves once the stamp is on the disk. */
  stamp(stamp: Stamp): Promise<void>;
  /** Reason why nothing can be written: a sync that failed. */
  failure(): Problem | undefined;
  close(): void;
}

function open(file: string): Database {
  verifyFile(file);
  verifyDatabase(file);
  const sqlite = new Database(file, { create: true, strict: true });
  try {
    sqlite.run("PRAGMA busy_timeout=5000");
    sqlite.run("PRAGMA journal_mode=WAL");
    sqlite.run("PRAGMA synchronous=NORMAL");
    sqlite.run("PRAGMA foreign_keys=ON");
    sqlite.run("PRAGMA wal_autocheckpoint=0");
    sqlite.run("PRAGMA journal_size_limit=0"); // the log shrinks when it is reused after a checkpoint
    sqlite.run("PRAGMA temp_store=MEMORY");
    return sqlite;
  } catch (cause) {
    sqlite.close();
    forgetMovedLog(file);
    throw cannotOpen(file, cause instanceof Error ? cause.message : "it cannot be read");
  }
}

function migrate(sqlite: Database, file: string, name: string): number {
  try {
    return applyMigrations(sqlite, name);
  } catch (cause) {
    sqlite.close();
    if (!(cause instanceof SQLiteError) || !isDamage(cause)) throw cause;
    throw cannotOpen(file, cause.message);
  }
}

/** Statements kept for each text; texts that depend on the length of a list are many. */
const STATEMENTS_MAX = 500;

/**
 * Makes each statement once: to compile one takes as long as to build its text, and some twenty times as long as to run it. Returns the
 * function that frees them all: until then SQLite keeps the memory of a database that is closed.
 */
function keepStatements(sqlite: Database): () => void {
  const prepare = sqlite.prepare.bind(sqlite);
  const statements = new Map<string, ReturnType<typeof prepare>>();
  sqlite.prepare = ((text: string, ...others: never[]) => {
    if (others.length > 0) return prepare(text, ...others);
    const statement = statements.get(text) ?? prepare(text);
    statements.delete(text);
    statements.set(text, statement);
    const [oldest] = statements.keys();
    if (statements.size > STATEMENTS_MAX && oldest !== undefined) statements.delete(oldest);
    return statement;
  }) as typeof sqlite.prepare;
  return () => {
    for (const statement of statements.values()) statement.finalize();
    statements.clear();
  };
}

/** Group sync: whoever asks while one sync runs shares the next; without a write since the last one there is nothing to do. */
function createWalSync(
  descriptor: number,
  position: WalPosition,
  countChanges: () => number,
): { durable(): Promise<void>; hasFailed(): boolean } {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let syncedChanges = -1;
  let failed: unknown;
  const sync = () =>
    new Promise<void>((resolve, reject) => {
      const changes = countChanges();
      const mark = position.mark();
      if (failed !== undefined) return reject(storageFailed(failed));
      fdatasync(descriptor, (error) => {
        if (!error) {
          syncedChanges = changes;
          position.note(mark);
          return resolve();
        }
        // After a failed fsync the kernel may have dropped the pages: a later success would prove nothing.
        failed = error;
        reject(storageFailed(error));
      });
    });
  const begin = (): Promise<void> => {
    const current = sync().finally(() => {
      if (running === current) running = undefined;
    });
    running = current;
    return current;
  };
  const durable = () => {
    if (running === undefined)
      return countChanges() === syncedChanges && failed === undefined ? Promise.resolve() : begin();
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return begin();
      });
    return next;
  };
  return { durable, hasFailed: () => failed !== undefined };
}

const storageFailed = (cause: unknown) => unavailableDueTo(cause, "storage.failed");

/** Returns a generation that is in the file after it; 0 if not everything was moved. */
function checkpointInWorker(file: string, log: Logger): Promise<number> {
  return new Promise((resolve) => {
    const worker = new Worker(workerUrl("src/platform/database.worker.ts"));
    const finish = (generation: number) => {
      worker.terminate();
      resolve(generation);
    };
    worker.onmessage = (event: MessageEvent<number>) => finish(event.data);
    worker.onerror = (event) => {
      log.warn("checkpoint failed", { file, reason: event.message });
      finish(0);
    };
    worker.postMessage({ file });
  });
}

/** Opens (and migrates) the database whose migrations lie in `drizzle/<name>`. */
export function openMainDatabase(file: string, name: string, log: Logger): MainDatabase {
  beginInventory(dirname(file));
  const storageKey = ensureSecret(dirname(file), "storage.key", STORAGE_KEY_BYTES); // before the first database
  const [loss] = recordCutLogs(dirname(file), [basename(file)]); // the log is gone once the database is closed
  createWalPosition(file);
  const sqlite = open(file);
  const migrated = migrate(sqlite, file, name);
  if (migrated > 0) log.info("database migrated", { database: name, migrations: migrated });
  sqlite.run("BEGIN IMMEDIATE; COMMIT;"); // makes sure that the write-ahead log exists before it is opened below
  const freeStatements = keepStatements(sqlite);
  const wal = openSync(`${file}-wal`, "a");
  const total = sqlite.query<{ changes: number }, []>("SELECT total_changes() AS changes");
  const changes = () => total.get()?.changes ?? 0;
  const version = sqlite.query<{ data_version: number }, []>("PRAGMA data_version");
  const position = new WalPosition(file, sqlite);
  const sync = createWalSync(wal, position, changes);
  const writes = new WriteGroup(sqlite, log);
  let prepareCheckpoint = (): Promise<void> => Promise.resolve();
  let checkpointing = false;
  let isClosed = false;
  const checkpoint = async () => {
    if (checkpointing || fstatSync(wal).size < WAL_BYTES_BEFORE_CHECKPOINT) return;
    checkpointing = true;
    await prepareCheckpoint();
    const generation = await checkpointInWorker(file, log);
    checkpointing = false;
    if (generation > 0 && !isClosed) position.noteCheckpoint(generation);
  };
  const timer = setInterval(checkpoint, CHECKPOINT_INTERVAL_MS);
  timer.unref();
  const durable = () => writes.pending?.then(sync.durable) ?? sync.durable();
  return {
    orm: drizzle(sqlite),
    sqlite,
    secrets: (purpose) => createStoredSecrets(storageKey, purpose),
    transact(work) {
      if (sqlite.inTransaction) return work();
      writes.settle(); // what is added in the transaction is not mixed with what waits
      return sqlite.transaction(work).immediate();
    },
    writes,
    changes,
    state: () => `${changes()} ${version.get()?.data_version}`,
    loss,
    durable,
    beforeCheckpoint(work) {
      prepareCheckpoint = work;
    },
    stamp(stamp) {
      sqlite.transaction(() => writeStamp(sqlite, stamp)).immediate();
      return durable();
    },
    failure: () => (sync.hasFailed() ? { severity: "FATAL", ...detail("storage.failed") } : undefined),
    close() {
      isClosed = true;
      clearInterval(timer);
      writes.settle();
      closeSync(wal);
      position.forget();
      sqlite.run("PRAGMA busy_timeout=0"); // a backup may hold the log; the next start takes it in
      sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
      position.dispose();
      freeStatements();
      sqlite.close();
      position.close();
    },
  };
}

import { type Database, SQLiteError } from "bun:sqlite";
import { closeSync, fdatasync, fstatSync, statfsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { detail, unavailableDueTo } from "../../lib/core/domain-error.ts";
import type { Problem } from "../core/health.ts";
import type { Logger } from "../core/log.ts";
import { ensureSecret } from "../files/data-directory.ts";
import { openOwnFile } from "../files/data-file.ts";
import type { DiskWait } from "../files/disk-wait.ts";
import { beginInventory, recordLosses, recordToChange } from "../files/inventory.ts";
import { cannotOpen, verifyDatabases } from "../files/inventory-check.ts";
import { endThread } from "../load/end-thread.ts";
import { workerUrl } from "../process/assets.ts";
import { createStoredSecrets, type StoredSecrets } from "../secrets/stored-secrets.ts";
import { isDamage } from "./database-check.ts";
import { closeKeepingLog, DatabaseFileError, openDatabaseFile } from "./database-file.ts";
import { type Stamp, writeStamp } from "./database-stamp.ts";
import { applyMigrations } from "./migrations.ts";
import { nameDamagedValues } from "./stored-json.ts";
import { createWalPosition, WalPosition } from "./wal-position.ts";
import { WriteGroup } from "./write-group.ts";

nameDamagedValues();

const WAL_BYTES_BEFORE_CHECKPOINT = 4 * 1024 * 1024;
const CHECKPOINT_INTERVAL_MS = 5_000;
/**
 * Length at which a log is checkpointed before the interval ends: the first commit after a checkpoint truncates the log on the main thread, which
 * takes 100 ms for some 200 MB.
 */
const LONG_WAL_BYTES = 32 * 1024 * 1024;
const WAL_WATCH_INTERVAL_MS = 500;
const STORAGE_KEY_BYTES = 32;

/**
 * Configuration database on the main thread that never waits for the disk. Commits go to the write-ahead log without fsync (`synchronous=NORMAL`).
 * `durable()` syncs that log in the thread pool, once for all callers that wait. Checkpoints run in a worker. Callers await `durable()` before they
 * acknowledge a write.
 */
export interface MainDatabase {
  readonly orm: BunSQLiteDatabase;
  readonly sqlite: Database;
  /** Returns the stored secrets of one purpose. */
  secrets(purpose: string): StoredSecrets;
  /** Runs `work` in one immediate transaction; nested calls join it. The callback cannot be async. */
  transact<Result>(work: () => Result extends Promise<unknown> ? never : Result): Result;
  /** Small writes that share a commit. */
  readonly writes: WriteGroup;
  /** Returns the number of rows that this process has changed. */
  changes(): number;
  /** Returns a text that changes with every change of the database by any process. */
  state(): string;
  /** Resolves once all commits so far, including `writes`, are on disk. */
  durable(): Promise<void>;
  /** Registers work before each checkpoint, which lets a start distinguish the checkpointed file from an older copy. */
  beforeCheckpoint(work: () => Promise<void>): void;
  /** Stamps the database with its data directory and generation. Resolves once the stamp is on disk. */
  stamp(stamp: Stamp): Promise<void>;
  /** Returns the reason why nothing can be written, such as a failed sync. */
  failure(): Problem | undefined;
  /** Moves the write-ahead log into the file and closes the file. */
  close(): void;
  /** Closes the file without moving its write-ahead log, for a failed start. */
  abandon(): void;
}

/** Opens a file and updates its schema. If either fails, the file and its write-ahead log are unchanged. */
function open(file: string, name: string, log: Logger): Database {
  const sqlite = openFile(file);
  try {
    configure(sqlite);
    const migrated = applyMigrations(sqlite, name);
    if (migrated > 0) log.info("database migrated", { database: name, migrations: migrated });
    sqlite.run("BEGIN IMMEDIATE; COMMIT;"); // makes sure that the write-ahead log exists
    return sqlite;
  } catch (cause) {
    closeKeepingLog(sqlite);
    if (!(cause instanceof SQLiteError) || !isDamage(cause)) throw cause;
    throw cannotOpen(file, cause.message);
  }
}

function openFile(file: string): Database {
  try {
    return openDatabaseFile(file, "create");
  } catch (cause) {
    if (!(cause instanceof DatabaseFileError)) throw cause;
    throw cannotOpen(file, cause.message);
  }
}

function configure(sqlite: Database): void {
  sqlite.run("PRAGMA busy_timeout=5000");
  sqlite.run("PRAGMA journal_mode=WAL");
  sqlite.run("PRAGMA synchronous=NORMAL");
  sqlite.run("PRAGMA foreign_keys=ON");
  sqlite.run("PRAGMA wal_autocheckpoint=0");
  sqlite.run("PRAGMA journal_size_limit=0"); // the log shrinks when it is reused after a checkpoint
  sqlite.run("PRAGMA temp_store=MEMORY");
}

/** Max. kept statements. Texts that depend on the length of a list are numerous. */
const STATEMENTS_MAX = 500;

/**
 * Compiles each statement once: compiling takes as long as building its text, and some twenty times as long as running it. Returns the function that
 * frees all statements; until then, SQLite keeps the memory of a closed database.
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

/** Creates group syncs: callers during a sync share the next one. Without a write since the last sync, it resolves immediately. */
function createWalSync(
  descriptor: number,
  position: WalPosition,
  countChanges: () => number,
  disk: DiskWait | undefined,
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
    disk?.follow(current);
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

/** Runs a checkpoint in a worker. Returns a generation that the file contains afterwards; 0 if part of the log remains. */
function checkpointInWorker(file: string, log: Logger): Promise<number> {
  return new Promise((resolve) => {
    const worker = new Worker(workerUrl("src/platform/database/database.worker.ts"));
    const finish = (generation: number) => {
      endThread(worker);
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

/** Opens and migrates the database with the migrations in `drizzle/<name>`, for a command or a test. @throws StartupError */
export function openMainDatabase(file: string, name: string, log: Logger): MainDatabase {
  prepareDatabases(dirname(file), [basename(file)]);
  return openVerifiedDatabase(file, name, log);
}

/** Opens and migrates several databases of a data directory, for a command. If one cannot be opened, none stays open. @throws StartupError */
export function openMainDatabases<const Names extends readonly string[]>(
  dataPath: string,
  names: Names,
  log: Logger,
): { [Index in keyof Names]: MainDatabase } {
  prepareDatabases(
    dataPath,
    names.map((name) => `${name}.db`),
  );
  return openVerifiedDatabases(dataPath, names, log);
}

/** Returns whether the disk has room for a checkpoint, which adds at most the size of the log to the database. */
function hasRoomForCheckpoint(file: string, log: number): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return fstatSync(log).size <= bavail * bsize;
  } catch {
    return true; // the checkpoint says what is wrong
  }
}

/** Verifies databases, and records losses in their logs: closing a database removes its log. */
function prepareDatabases(dataPath: string, files: readonly string[]): void {
  beginInventory(dataPath);
  const losses = verifyDatabases(dataPath, files);
  if (losses.length > 0) recordLosses(dataPath, recordToChange(dataPath), losses);
}

/** Opens several databases of a verified data directory. If one cannot be opened, none stays open. @throws StartupError */
export function openVerifiedDatabases<const Names extends readonly string[]>(
  dataPath: string,
  names: Names,
  log: Logger,
  disk?: DiskWait,
): { [Index in keyof Names]: MainDatabase } {
  const opened: MainDatabase[] = [];
  try {
    for (const name of names)
      opened.push(openVerifiedDatabase(join(dataPath, `${name}.db`), name, log, disk));
  } catch (error) {
    for (const database of opened) database.abandon();
    throw error;
  }
  return opened as { [Index in keyof Names]: MainDatabase };
}

/** Returns the change counters of a database: see `MainDatabase`. */
function createCounts(sqlite: Database): Pick<MainDatabase, "changes" | "state"> {
  const total = sqlite.query<{ changes: number }, []>("SELECT total_changes() AS changes");
  const version = sqlite.query<{ data_version: number }, []>("PRAGMA data_version");
  const changes = () => total.get()?.changes ?? 0;
  return { changes, state: () => `${changes()} ${version.get()?.data_version}` };
}

function openVerifiedDatabase(file: string, name: string, log: Logger, disk?: DiskWait): MainDatabase {
  const storageKey = ensureSecret(dirname(file), "storage.key", STORAGE_KEY_BYTES); // before the first database
  createWalPosition(file);
  const sqlite = open(file, name, log);
  const freeStatements = keepStatements(sqlite);
  const wal = openOwnFile(`${file}-wal`, "append");
  const { changes, state } = createCounts(sqlite);
  const position = new WalPosition(file, sqlite);
  const sync = createWalSync(wal, position, changes, disk);
  const writes = new WriteGroup(sqlite, log);
  let prepareCheckpoint = (): Promise<void> => Promise.resolve();
  let checkpointing = false;
  let isClosed = false;
  const checkpoint = async (walBytesMin: number) => {
    if (checkpointing || fstatSync(wal).size < walBytesMin || !hasRoom()) return;
    checkpointing = true;
    await prepareCheckpoint();
    const generation = await checkpointInWorker(file, log);
    checkpointing = false;
    if (generation > 0 && !isClosed) position.noteCheckpoint(generation);
  };
  let isLogKept = false;
  // Otherwise half a checkpoint would use up the last space, and nobody could sign in to make room.
  const hasRoom = () => {
    const has = hasRoomForCheckpoint(file, wal);
    if (!has && !isLogKept)
      log.warn("no space to move the write-ahead log into the database: it is kept", { file });
    isLogKept = !has;
    return has;
  };
  const timer = setInterval(checkpoint, CHECKPOINT_INTERVAL_MS, WAL_BYTES_BEFORE_CHECKPOINT);
  timer.unref();
  let watch: NodeJS.Timeout | undefined;
  /** Bounds the log between two checkpoints. */
  const watchLog = () => {
    if (!isClosed)
      watch ??= setTimeout(() => {
        watch = undefined;
        void checkpoint(LONG_WAL_BYTES);
      }, WAL_WATCH_INTERVAL_MS).unref();
  };
  const end = () => {
    isClosed = true;
    clearInterval(timer);
    clearTimeout(watch);
    writes.settle();
    closeSync(wal);
  };
  const durable = () => {
    watchLog();
    return writes.pending?.then(sync.durable) ?? sync.durable();
  };
  const closeWithLog = () => {
    end();
    position.dispose();
    freeStatements();
    closeKeepingLog(sqlite);
    position.release();
  };
  return {
    orm: drizzle(sqlite),
    sqlite,
    secrets: (purpose) => createStoredSecrets(storageKey, purpose),
    transact(work) {
      if (sqlite.inTransaction) return work();
      watchLog();
      writes.settle(); // what is added in the transaction is not mixed with what waits
      return sqlite.transaction(work).immediate();
    },
    writes,
    changes,
    state,
    durable,
    beforeCheckpoint(work) {
      prepareCheckpoint = work;
    },
    stamp(stamp) {
      sqlite.transaction(() => writeStamp(sqlite, stamp)).immediate();
      return durable();
    },
    failure: () => (sync.hasFailed() ? { severity: "FATAL", ...detail("storage.failed") } : undefined),
    abandon: closeWithLog,
    close() {
      if (!hasRoom()) return closeWithLog();
      end();
      position.forget();
      sqlite.run("PRAGMA busy_timeout=0"); // a backup may hold the log, which the next start applies
      sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
      position.dispose();
      freeStatements();
      sqlite.close();
      position.close();
    },
  };
}

import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import { truncateSync } from "node:fs";
import { closeKeepingLog, openDatabaseFile } from "../../../platform/database/database-file.ts";
import { readStamp, type Stamp, writeStamp } from "../../../platform/database/database-stamp.ts";
import { describeShortage, restoreLength, type Shortage } from "../../../platform/database/file-length.ts";
import {
  createSchema,
  schemaVersionOf,
  TELEMETRY_SCHEMA_VERSION,
} from "../../../platform/database/schema-version.ts";
import { createWalPosition, WalPosition } from "../../../platform/database/wal-position.ts";
import type { Definitions } from "./hot/group-format.ts";
import { HotLog, type HotLogOptions } from "./hot/hot-log.ts";
import type { LogPlace } from "./hot/hot-log-position.ts";
import type { SealedValue } from "./registry.ts";

/** `durable`: end of the hot log at the last stamp of the database. `sealed`: last row whose values are in blocks. */
type PlaceName = "durable" | "sealed";

/** Writes a place of the hot log to telemetry.db, within a transaction. */
function writeLogPlace(db: Database, name: PlaceName, { id, values, time }: LogPlace): void {
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
function readLogPlace(db: Database, name: PlaceName): LogPlace | undefined {
  if (db.query("SELECT 1 FROM sqlite_schema WHERE name = 'log_place'").get() === null) return undefined;
  const row = db
    .query<{ id: number; values: number | null; time: number | null }, [string]>(
      'SELECT id, "values", time FROM log_place WHERE name = ?',
    )
    .get(name);
  if (row === null) return undefined;
  return { id: row.id, values: row.values ?? undefined, time: row.time ?? undefined };
}

/** Returns the place of the last row in blocks, with the id `sealedId`. */
function sealedPlaceOf(db: Database, sealedId: number): LogPlace {
  const place = readLogPlace(db, "sealed");
  if (place?.id === sealedId) return place;
  return { id: sealedId, values: sealedId === 0 ? 0 : undefined, time: undefined };
}

const BUSY_TIMEOUT_MS = 5_000;
/** Max. attempts to read the log while a running gateway releases its files. */
const LOG_ATTEMPTS_MAX = 20;
/** Larger pages waste more at the end of small files; smaller ones slow down large groups. */
export const PAGE_BYTES = 2_048;
const JOURNAL_BYTES_MAX = 64 * 1024 * 1024;

const SCHEMA = `
CREATE TABLE device (no INTEGER PRIMARY KEY, tenant TEXT NOT NULL, id TEXT NOT NULL);
CREATE TABLE key (no INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE pattern (no INTEGER PRIMARY KEY, columns TEXT NOT NULL);
CREATE TABLE series (
  device INTEGER NOT NULL, key INTEGER NOT NULL, family INTEGER NOT NULL,
  last_ts NUMERIC NOT NULL, last_tag INTEGER NOT NULL, last_number REAL, last_text TEXT,
  PRIMARY KEY (device, key)) WITHOUT ROWID;
CREATE TABLE sealed (hot INTEGER NOT NULL);
INSERT INTO sealed VALUES (0);
CREATE TABLE block (
  device INTEGER NOT NULL, family INTEGER NOT NULL, min_ts NUMERIC NOT NULL, max_ts NUMERIC NOT NULL,
  rows INTEGER NOT NULL, points INTEGER NOT NULL, bytes INTEGER NOT NULL, head BLOB NOT NULL, body INTEGER NOT NULL,
  PRIMARY KEY (device, family, min_ts)) WITHOUT ROWID;
CREATE TABLE body (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE feed (no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, position INTEGER NOT NULL);
CREATE TABLE feed_range (
  feed INTEGER NOT NULL, device INTEGER NOT NULL, from_ts NUMERIC NOT NULL, to_ts NUMERIC NOT NULL, seq INTEGER NOT NULL,
  PRIMARY KEY (feed, device, from_ts)) WITHOUT ROWID;
CREATE TABLE feed_deletion (
  feed INTEGER NOT NULL, id INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (feed, id)) WITHOUT ROWID;
`;

export interface SeriesRow {
  readonly device: number;
  readonly key: number;
  readonly family: number;
  readonly sealed: SealedValue;
}

/** Modes of SQLite: with a write-ahead log, FULL syncs at every commit, NORMAL only at checkpoints. */
type Synchronous = "FULL" | "NORMAL";

/** Device, key, family, and the newest sealed value: timestamp, tag, number, text. */
type RawSeriesRow = [number, number, number, number, number, number, string | null];

interface TelemetryFileOptions {
  readonly isReadOnly?: boolean;
  /** See `HotLogOptions`. */
  readonly spareBytesMax?: number;
}

/** telemetry.db, opened only by the worker: connection, schema and the statements of the commit path. */
export class TelemetryFile {
  readonly db: Database;
  /** Commits that are not in blocks yet. */
  readonly log: HotLog;
  readonly #logState: Statement<{ log: number; checkpointed: number }, []>;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;
  readonly #insertDevice: Statement;
  readonly #insertKey: Statement;
  readonly #insertPattern: Statement;
  readonly #upsertSeries: Statement;
  readonly #deleteSeries: Statement;
  readonly #statements: { finalize(): void }[] = [];
  #synchronous: Synchronous = "FULL";
  #walPosition: WalPosition | undefined;
  #generation = 0;
  readonly #shortage: Shortage | undefined;
  /**
   * Bytes of the write-ahead log that a checkpoint would move into the file, measured after each transaction and checkpoint. Bytes that the last
   * checkpoint left for a reader are excluded: retrying at every commit would cost more as the log grows.
   */
  walBytes = 0;
  /** Bytes that the last checkpoint left in the log. */
  heldBytes = 0;
  /** Repairs made when opening the file. */
  readonly repairs: string[] = [];

  /** `isReadOnly` opens the file next to a running gateway: nothing is created, repaired or written. */
  constructor(path: string, { isReadOnly = false, spareBytesMax }: TelemetryFileOptions = {}) {
    if (!isReadOnly) createWalPosition(path);
    this.#shortage = isReadOnly ? undefined : restoreLength(path);
    if (this.#shortage !== undefined) this.repairs.push(describeShortage(this.#shortage));
    this.db = isReadOnly ? openReadOnly(path) : openDatabase(path);
    try {
      this.#logState = this.prepare("PRAGMA wal_checkpoint(NOOP)");
      // A crash leaves pages in the log. On a read-only file system SQLite cannot tell.
      if (!isReadOnly) this.#measureLog();
      if (!isReadOnly) this.#walPosition = this.#openWalPosition(path);
      this.#begin = this.prepare("BEGIN IMMEDIATE");
      this.#commit = this.prepare("COMMIT");
      this.#rollback = this.prepare("ROLLBACK");
      this.#insertDevice = this.prepare("INSERT OR REPLACE INTO device (no, tenant, id) VALUES (?, ?, ?)");
      this.#insertKey = this.prepare("INSERT OR REPLACE INTO key (no, name) VALUES (?, ?)");
      this.#insertPattern = this.prepare("INSERT OR REPLACE INTO pattern (no, columns) VALUES (?, ?)");
      this.#upsertSeries = this.prepare("INSERT OR REPLACE INTO series VALUES (?, ?, ?, ?, ?, ?, ?)");
      this.#deleteSeries = this.prepare("DELETE FROM series WHERE device = ? AND key = ?");
      this.log = this.#openLog(path, { isReadOnly, spareBytesMax });
      this.log.skipTo(
        this.rowIfReadable<{ last: number | null }>("SELECT max(position) AS last FROM feed")?.last ?? 0,
      );
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  #openWalPosition(path: string): WalPosition {
    this.db.run("BEGIN IMMEDIATE; COMMIT;"); // makes sure that the write-ahead log exists
    this.#generation = readStamp(this.db)?.generation ?? 0;
    return new WalPosition(path, this.db);
  }

  /** Writes data directory and generation to the file. */
  stamp(stamp: Stamp): void {
    const { durableId: id, values, time } = this.log.position;
    this.transact(() => {
      writeStamp(this.db, stamp);
      writeLogPlace(this.db, "durable", { id, values, time });
    });
    this.#generation = stamp.generation;
  }

  #openLog(path: string, options: Pick<HotLogOptions, "isReadOnly" | "spareBytesMax">): HotLog {
    for (let attempt = 1; ; attempt++) {
      const sealed = sealedPlaceOf(this.db, this.scalar("SELECT hot FROM sealed") ?? 0);
      const log = new HotLog(path, { ...options, sealed, stamped: readLogPlace(this.db, "durable") });
      // A running gateway may have sealed rows and reused files in the meantime.
      if (!options.isReadOnly || log.isCurrent() || attempt === LOG_ATTEMPTS_MAX) return log;
      log.close();
    }
  }

  /** Prepares a statement that lives as long as the file is open. */
  prepare<Row, Params extends SQLQueryBindings[]>(sql: string) {
    const statement = this.db.prepare<Row, Params>(sql);
    this.#statements.push(statement);
    return statement;
  }

  /** Runs `work` in one durable transaction, which is rolled back if it throws. */
  transact<T>(work: () => T): T {
    return this.#transact("FULL", work);
  }

  /**
   * Like `transact`, without waiting for the disk: a power cut may undo the transaction and all later ones. For maintenance, which is restarted at
   * startup. The next durable transaction makes it durable too, because the log is ordered.
   */
  transactLazily<T>(work: () => T): T {
    return this.#transact("NORMAL", work);
  }

  #transact<T>(synchronous: Synchronous, work: () => T): T {
    if (this.#synchronous !== synchronous) {
      this.db.run(`PRAGMA synchronous=${synchronous}`);
      this.#synchronous = synchronous;
    }
    this.#begin.run();
    let result: T;
    try {
      result = work();
      this.#commit.run();
    } catch (error) {
      // After some failures SQLite has rolled back already.
      if (this.db.inTransaction) this.#rollback.run();
      throw error;
    }
    this.#measureLog();
    // A durable commit syncs the whole log, including lazy commits.
    if (synchronous === "FULL" && this.#walPosition !== undefined)
      this.#walPosition.note(this.#walPosition.mark());
    return result;
  }

  #measureLog(): void {
    const { log, checkpointed } = this.#logState.get() ?? { log: 0, checkpointed: 0 };
    const bytes = (log - checkpointed) * PAGE_BYTES;
    this.heldBytes = Math.min(this.heldBytes, bytes);
    this.walBytes = bytes - this.heldBytes;
  }

  /** Writes definitions lazily. If a power cut undoes that, the log still contains them. */
  insertDefinitions({ devices, keys, patterns }: Definitions): void {
    this.transactLazily(() => {
      for (const { no, tenantId, deviceId } of devices) this.#insertDevice.run(no, tenantId, deviceId);
      // As JSON: SQLite text would lose NULs and lone surrogates.
      for (const { no, name } of keys) this.#insertKey.run(no, JSON.stringify(name));
      for (const { no, columns } of patterns) this.#insertPattern.run(no, JSON.stringify(columns));
    });
  }

  readDefinitions(): Definitions {
    const devices = this.db
      .query<{ no: number; tenant: string; id: string }, []>("SELECT * FROM device")
      .all();
    const keys = this.db.query<{ no: number; name: string }, []>("SELECT * FROM key").all();
    const patterns = this.db.query<{ no: number; columns: string }, []>("SELECT * FROM pattern").all();
    return {
      devices: devices.map(({ no, tenant, id }) => ({ no, tenantId: tenant, deviceId: id })),
      keys: keys.map(({ no, name }) => ({ no, name: JSON.parse(name) })),
      patterns: patterns.map(({ no, columns }) => ({ no, columns: JSON.parse(columns) })),
    };
  }

  /** Writes a series within a transaction. Null removes its row. */
  writeSeries(
    device: number,
    { key, family }: { key: number; family: number },
    sealed: SealedValue | null,
  ): void {
    if (sealed === null) this.#deleteSeries.run(device, key);
    else {
      const { ts, tag, number, text } = sealed;
      this.#upsertSeries.run(device, key, family, ts, tag, number, lastText(number, text));
    }
  }

  *seriesRows(): Generator<SeriesRow> {
    const rows = this.db
      .query<RawSeriesRow, []>(
        "SELECT device, key, family, last_ts, last_tag, last_number, last_text FROM series",
      )
      .values();
    for (const row of rows) {
      const [device, key, family, ts, tag, number, text] = row as unknown as RawSeriesRow;
      const negative = text === NEGATIVE_ZERO;
      const sealed = {
        ts,
        tag,
        number: negative ? -0 : number,
        text: text === null || negative ? undefined : JSON.parse(text),
      };
      yield { device, key, family, sealed };
    }
  }

  /** Marks the rows of the log up to this one as sealed, which syncs their blocks to disk, and releases them. */
  noteSealed(id: number): void {
    this.log.syncPosition();
    const place = this.log.placeAt(id);
    this.transact(() => {
      this.db.query("UPDATE sealed SET hot = max(hot, ?)").run(id);
      if ((this.scalar("SELECT hot FROM sealed") ?? 0) === id) writeLogPlace(this.db, "sealed", place);
    });
    this.log.release(id);
  }

  /** Deletes the device and its series within a transaction, after its blocks. */
  deleteDevice(no: number): void {
    this.db.query("DELETE FROM series WHERE device = ?").run(no);
    this.db.query("DELETE FROM block WHERE device = ?").run(no);
    this.db.query("DELETE FROM device WHERE no = ?").run(no);
  }

  /** Returns up to `pages` free pages to the file system. Returns the number of pages that are still free. */
  vacuum(pages: number): number {
    this.db.run(`PRAGMA incremental_vacuum(${pages})`);
    return this.scalar("PRAGMA freelist_count") ?? 0;
  }

  tableNames(): string[] {
    const tables = "SELECT name FROM sqlite_schema WHERE type = 'table'";
    return this.db
      .query<{ name: string }, []>(tables)
      .all()
      .map(({ name }) => name);
  }

  /** Returns the errors that SQLite finds in a table. */
  quickCheck(table: string): string[] {
    const rows = this.db.query<{ quick_check: string }, []>(`PRAGMA quick_check(${table})`).all();
    return rows.map(({ quick_check }) => quick_check).filter((line) => line !== "ok");
  }

  /** Returns the first column of the first row as a number; null if there is none. */
  scalar(sql: string): number | null {
    const row = this.db.query<Record<string, number | null>, []>(sql).get();
    return row === null ? null : (Object.values(row)[0] ?? null);
  }

  /** Returns the first row; null, and a recorded problem, if it is damaged. */
  rowIfReadable<Row>(sql: string): Row | null {
    try {
      return this.db.query<Row, []>(sql).get();
    } catch (error) {
      this.repairs.push(`not readable: ${sql} (${error instanceof Error ? error.message : String(error)})`);
      return null;
    }
  }

  /** Moves the write-ahead log into the file as far as readers, such as a backup, allow. Does not wait for them. */
  checkpoint(mode: "PASSIVE" | "TRUNCATE" = "PASSIVE"): void {
    if (mode === "TRUNCATE") {
      this.db.run("PRAGMA busy_timeout=0");
      this.#walPosition?.forget();
    }
    const moved = this.db
      .query<{ log: number; checkpointed: number }, []>(`PRAGMA wal_checkpoint(${mode})`)
      .get();
    if (moved !== null && moved.log > 0 && moved.log === moved.checkpointed)
      this.#walPosition?.noteCheckpoint(this.#generation);
    this.heldBytes = Number.POSITIVE_INFINITY;
    this.#measureLog();
    if (mode === "TRUNCATE") this.db.run(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
  }

  close(): void {
    this.#freeStatements();
    this.db.close(false);
    this.#walPosition?.close();
    this.log.close();
  }

  /** Closes a file with which the store cannot start, leaving it and its write-ahead log unchanged. */
  abandon(): void {
    this.#freeStatements();
    const { filename } = this.db;
    closeKeepingLog(this.db);
    this.#walPosition?.release();
    this.log?.close();
    if (this.#shortage !== undefined) truncateSync(filename, this.#shortage.bytes);
  }

  /** Finalizes statements, because a connection with live ones would keep its locks until garbage collection. */
  #freeStatements(): void {
    for (const statement of this.#statements) statement.finalize();
    this.#walPosition?.dispose();
  }
}

/** Value of `last_text` for a negative zero, which SQLite returns without its sign. No JSON string looks like it. */
const NEGATIVE_ZERO = "-0";

/** Encodes the text as JSON: SQLite text would lose NULs and lone surrogates. */
function lastText(number: number, text: string | undefined): string | null {
  if (text !== undefined) return JSON.stringify(text);
  return Object.is(number, -0) ? NEGATIVE_ZERO : null;
}

function openReadOnly(path: string): Database {
  const db = openDatabaseFile(path, "read");
  try {
    db.run(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
    schemaVersionOf(db, path, TELEMETRY_SCHEMA_VERSION);
    return db;
  } catch (error) {
    db.close(false);
    throw error;
  }
}

function openDatabase(path: string): Database {
  const db = openDatabaseFile(path, "create");
  try {
    db.run(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
    const version = schemaVersionOf(db, path, TELEMETRY_SCHEMA_VERSION);
    if (version === 0) {
      db.run(`PRAGMA page_size=${PAGE_BYTES}`);
      db.run("PRAGMA auto_vacuum=INCREMENTAL");
    }
    db.run("PRAGMA journal_mode=WAL");
    db.run("PRAGMA synchronous=FULL");
    db.run("PRAGMA wal_autocheckpoint=0");
    db.run(`PRAGMA journal_size_limit=${JOURNAL_BYTES_MAX}`);
    db.run("PRAGMA temp_store=MEMORY");
    if (version === 0) createSchema(db, SCHEMA, TELEMETRY_SCHEMA_VERSION);
    return db;
  } catch (error) {
    closeKeepingLog(db);
    throw error;
  }
}

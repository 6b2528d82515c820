import type { Database, Statement } from "bun:sqlite";
import { closeSync, existsSync, fdatasyncSync, readSync, statSync, writeSync } from "node:fs";
import { basename, dirname } from "node:path";
import { detail } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import { openOwnFile, readExpendableFile } from "../files/data-file.ts";
import { syncPath } from "../files/durable-file.ts";
import { readCheckpointedStamp } from "./database-stamp.ts";
import { logBytesOf, loggedPages, logHeader } from "./logged-pages.ts";

/** Suffix of the position file. */
const SUFFIX = "-synced";
/** Layout, little-endian: CRC-32 of all following bytes u32, frames u32, generation u32, 8 bytes of salts. */
const FILE_BYTES = 20;
const FRAMES_AT = 4;
const GENERATION_AT = 8;
const SALTS_AT = 12;
/** Salts in the header of the log, source: https://sqlite.org/fileformat2.html#walformat. */
const LOG_SALTS_AT = 16;
const SALT_BYTES = 8;

/** Length of the log, and the salts that distinguish it from earlier and later logs. */
export interface WalMark {
  readonly frames: number;
  readonly salts: Buffer;
}

interface KnownPosition extends WalMark {
  /** Generation of the database file without its log. */
  readonly generation: number;
}

/**
 * Second record of the synced length of a write-ahead log. It distinguishes a missing, truncated or damaged log from a complete one, because SQLite
 * takes the first bad frame for the end. It also contains the generation of the last checkpoint: with the current log, SQLite would accept an older
 * copy of the database file. Like `HotLogPosition`, it is overwritten after each sync, and synced only when it is created and closed.
 */
export class WalPosition {
  readonly #path: string;
  readonly #wal: number;
  readonly #descriptor: number;
  readonly #bytes = Buffer.alloc(FILE_BYTES);
  readonly #state: Statement<{ log: number }, []>;
  #generation: number;

  /** The write-ahead log must exist. */
  constructor(databasePath: string, database: Database) {
    this.#path = databasePath;
    this.#wal = openOwnFile(`${databasePath}-wal`, "read");
    const path = databasePath + SUFFIX;
    this.#generation = knownPosition(databasePath)?.generation ?? 0;
    createWalPosition(databasePath);
    this.#descriptor = openOwnFile(path, "write");
    this.#state = database.prepare("PRAGMA wal_checkpoint(NOOP)");
  }

  /** Returns the mark for `note` after the next sync. The salts are read now, because a commit during the sync may restart the log. */
  mark(): WalMark {
    const salts = Buffer.alloc(SALT_BYTES);
    try {
      const frames = this.#state.get()?.log ?? 0; // it throws within a transaction; the next sync notes the position
      return { frames: readSync(this.#wal, salts, 0, SALT_BYTES, LOG_SALTS_AT) > 0 ? frames : 0, salts };
    } catch {
      return { frames: 0, salts };
    }
  }

  /** Records that the log is on disk up to a mark. */
  note({ frames, salts }: WalMark): void {
    if (frames === 0) return; // a checkpoint is running
    salts.copy(this.#bytes, SALTS_AT);
    this.#write(frames);
  }

  /** Records the generation of the database file after a checkpoint. */
  noteCheckpoint(generation: number): void {
    this.#generation = generation;
    this.#write(this.#bytes.readUInt32LE(FRAMES_AT));
  }

  /** Forgets the position before the log is moved into the database and emptied. */
  forget(): void {
    this.#write(0);
  }

  #write(frames: number): void {
    const bytes = this.#bytes;
    bytes.writeUInt32LE(frames, FRAMES_AT);
    bytes.writeUInt32LE(this.#generation, GENERATION_AT);
    try {
      bytes.writeUInt32LE(Bun.hash.crc32(bytes.subarray(FRAMES_AT)), 0);
      writeSync(this.#descriptor, bytes, 0, FILE_BYTES, 0);
    } catch {
      // What is acknowledged is in the log; only its end can no longer be verified.
    }
  }

  /** Frees the statement, before the database is closed. */
  dispose(): void {
    this.#state.finalize();
  }

  /** Closes the files after the database was closed without moving its log. */
  release(): void {
    closeSync(this.#wal);
    closeSync(this.#descriptor);
  }

  /** Closes the files after the database, which may have moved its log into itself. */
  close(): void {
    if (!hasLog(this.#path)) this.forget();
    try {
      fdatasyncSync(this.#descriptor);
    } catch {
      // The position on the disk matters only if the log is damaged later.
    }
    this.release();
  }
}

/** Creates an empty position before its database is opened, so that a log without a position is a fault. */
export function createWalPosition(databasePath: string): void {
  const path = databasePath + SUFFIX;
  if (existsSync(path)) return;
  const file = openOwnFile(path, "createNew");
  writeSync(file, bytesOf({ frames: 0, generation: 0, salts: Buffer.alloc(SALT_BYTES) }));
  fdatasyncSync(file);
  closeSync(file);
  syncPath(dirname(path));
}

/** Returns whether a database's position exists and can be read. */
export const hasWalPosition = (databasePath: string): boolean => knownPosition(databasePath) !== undefined;

function knownPosition(databasePath: string): KnownPosition | undefined {
  const path = databasePath + SUFFIX;
  const bytes = readExpendableFile(path);
  if (bytes?.length !== FILE_BYTES) return undefined;
  if (Bun.hash.crc32(bytes.subarray(FRAMES_AT)) !== bytes.readUInt32LE(0)) return undefined;
  return {
    frames: bytes.readUInt32LE(FRAMES_AT),
    generation: bytes.readUInt32LE(GENERATION_AT),
    salts: bytes.subarray(SALTS_AT),
  };
}

/** Returns the loss in the write-ahead log of a database. Call it before the database is opened. */
export function walLossOf(databasePath: string): Text | undefined {
  const noted = knownPosition(databasePath);
  if (noted === undefined) return undefined;
  const { frames: found, salts } = loggedPages(`${databasePath}-wal`);
  // A log that was restarted after a checkpoint has other salts.
  const isRestarted = salts !== null && salts.compare(noted.salts) !== 0;
  if (noted.frames === 0 || isRestarted || found >= noted.frames) return undefined;
  return detail("loss.log_cut", { file: `${basename(databasePath)}-wal`, found, synced: noted.frames });
}

/**
 * Returns whether a database in use, or its write-ahead log, lacks what was written there: it was truncated, or overwritten by an older copy. Looks
 * only at the file's stamp and the log's length, so it misses damage elsewhere.
 */
export function isOverwritten(databasePath: string): boolean {
  const noted = knownPosition(databasePath);
  if (noted === undefined) return false;
  if (noted.generation > 0 && (readCheckpointedStamp(databasePath)?.generation ?? 0) < noted.generation)
    return true;
  if (noted.frames === 0) return false;
  const log = logHeader(`${databasePath}-wal`);
  if (log === undefined) return true;
  const begun = timesBegun(log.salts, noted.salts);
  return begun < 0 || (begun === 0 && log.bytes < logBytesOf(noted.frames, log.pageBytes));
}

/** Forgets the position of a log before the last connection is closed, which moves the log into the database. */
export function forgetLog(databasePath: string): void {
  const noted = knownPosition(databasePath);
  if (noted === undefined) return;
  const file = openOwnFile(databasePath + SUFFIX, "write");
  writeSync(file, bytesOf({ ...noted, frames: 0 }), 0, FILE_BYTES, 0);
  fdatasyncSync(file);
  closeSync(file);
}

const hasLog = (databasePath: string): boolean =>
  (statSync(`${databasePath}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

function bytesOf({ frames, generation, salts }: KnownPosition): Buffer {
  const bytes = Buffer.alloc(FILE_BYTES);
  bytes.writeUInt32LE(frames, FRAMES_AT);
  bytes.writeUInt32LE(generation, GENERATION_AT);
  salts.copy(bytes, SALTS_AT);
  bytes.writeUInt32LE(Bun.hash.crc32(bytes.subarray(FRAMES_AT)), 0);
  return bytes;
}

/** Describes why a database file and its write-ahead log do not belong together. Reads the files without SQLite's recovery. */
export function walMismatchOf(databasePath: string): string | undefined {
  const noted = knownPosition(databasePath);
  if (noted === undefined) return undefined;
  const generation = noted.generation > 0 ? readCheckpointedStamp(databasePath)?.generation : undefined;
  if (generation !== undefined && generation < noted.generation)
    return "is older than its write-ahead log: its newer content is missing";
  const log = noted.frames > 0 ? logHeader(`${databasePath}-wal`) : undefined;
  if (log === undefined) return undefined;
  return timesBegun(log.salts, noted.salts) < 0
    ? "has a write-ahead log that is older than the database"
    : undefined;
}

/** Returns the number of times that a log was restarted after another one: SQLite increments the first salt each time. */
const timesBegun = (salts: Buffer, earlier: Buffer): number =>
  (salts.readUInt32BE(0) - earlier.readUInt32BE(0)) | 0;

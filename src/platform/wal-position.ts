import type { Database } from "bun:sqlite";
import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync, writeSync } from "node:fs";
import { basename } from "node:path";
import { loggedPages } from "./logged-pages.ts";

/** Suffix of the file beside a database. */
const SUFFIX = "-synced";
/** Layout, little-endian: CRC-32 of all bytes behind it u32, frames u32, 8 bytes of salts. */
const FILE_BYTES = 16;
const SALTS_OFFSET = 16;
const SALT_BYTES = 8;

/**
 * The second place that knows how far the write-ahead log of a database is on the disk, so that a missing, cut or damaged log cannot pass for its
 * end: SQLite takes the first bad frame for it. Like `HotLogPosition`, it is overwritten after each sync and not synced itself.
 */
export class WalPosition {
  readonly #path: string;
  readonly #wal: number;
  readonly #descriptor: number;
  readonly #bytes = Buffer.alloc(FILE_BYTES);
  readonly #frames: () => number;

  /** The write-ahead log must exist. */
  constructor(databasePath: string, database: Database) {
    this.#path = databasePath;
    this.#wal = openSync(`${databasePath}-wal`, "r");
    const path = databasePath + SUFFIX;
    this.#descriptor = openSync(path, existsSync(path) ? "r+" : "wx+", 0o600);
    const state = database.query<{ log: number }, []>("PRAGMA wal_checkpoint(NOOP)");
    this.#frames = () => {
      try {
        return state.get()?.log ?? 0;
      } catch {
        return 0; // SQLite does not tell within a transaction; the next sync notes the position
      }
    };
  }

  /** Returns what `note` notes once the log was synced. */
  get frames(): number {
    return this.#frames();
  }

  /** Notes that so many frames of the log are on the disk. */
  note(frames: number): void {
    if (frames > 0) this.#write(frames); // or a checkpoint is running
  }

  /** Forgets the position before the log is moved into the database and emptied. */
  forget(): void {
    this.#write(0);
  }

  #write(frames: number): void {
    const bytes = this.#bytes;
    bytes.writeUInt32LE(frames, 4);
    try {
      readSync(this.#wal, bytes, FILE_BYTES - SALT_BYTES, SALT_BYTES, SALTS_OFFSET);
      bytes.writeUInt32LE(Bun.hash.crc32(bytes.subarray(4)), 0);
      writeSync(this.#descriptor, bytes, 0, FILE_BYTES, 0);
    } catch {
      // What is acknowledged is in the log; only its end can no longer be verified.
    }
  }

  /** Closes the files. Call it after the database was closed: without a log, there is nothing to verify any more. */
  close(): void {
    closeSync(this.#wal);
    closeSync(this.#descriptor);
    if (!existsSync(`${this.#path}-wal`)) rmSync(this.#path + SUFFIX, { force: true });
  }
}

/** Describes what is missing of a database's write-ahead log, in English. Call it before the database is opened. */
export function walLossOf(databasePath: string): string | undefined {
  const path = databasePath + SUFFIX;
  const bytes = existsSync(path) ? readFileSync(path) : undefined;
  if (bytes?.length !== FILE_BYTES || Bun.hash.crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0))
    return undefined;
  const frames = bytes.readUInt32LE(4);
  const { frames: found, salts } = loggedPages(`${databasePath}-wal`);
  // A log that was begun anew after a checkpoint has other salts.
  const isOther = salts !== null && salts.compare(bytes.subarray(FILE_BYTES - SALT_BYTES)) !== 0;
  if (frames === 0 || isOther || found >= frames) return undefined;
  return `${basename(databasePath)}-wal has ${found} of ${frames} synced pages: acknowledged changes are lost`;
}

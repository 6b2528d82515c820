import { constants, Database } from "bun:sqlite";
import {
  accessSync,
  closeSync,
  existsSync,
  constants as fileConstants,
  fstatSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { naming, openOwnFile } from "../files/data-file.ts";
import { isReadOnlyFolder } from "../files/write-fault.ts";
import { loggedPages } from "./logged-pages.ts";

/*
 * The only way to open a database of a data directory with its log. SQLite itself would destroy evidence: it deletes the write-ahead log of an empty
 * file, and moves the log into a damaged file when its last connection is closed.
 */

export const HEADER_BYTES = 100;
const MAGIC = Buffer.from("SQLite format 3\0", "latin1");
const PAGE_BYTES_AT = 16;
/** Position of the write and read version, which are 2 with a write-ahead log. */
const VERSIONS_AT = 18;
const WITH_LOG = 0x0202;
const WITHOUT_LOG = 0x0101;
/** Position of three bytes that are equal in every database. */
const FRACTIONS_AT = 21;
const FRACTIONS = Buffer.from([64, 32, 32]);

/** Refusal to open a file, because SQLite could destroy the rest of its database. */
export class DatabaseFileError extends Error {
  constructor(path: string, problem: string) {
    super(`${basename(path)} ${problem}`);
    this.name = "DatabaseFileError";
  }
}

const isSame = (left: Stats | undefined, right: Stats): boolean =>
  left?.ino === right.ino && left.dev === right.dev;

/** Returns the status of a descriptor; undefined if it has been closed. */
function statDescriptor(descriptor: number): Stats | undefined {
  try {
    return fstatSync(descriptor);
  } catch {
    return undefined;
  }
}

/** Folder that lists the descriptors of this process, on Linux and macOS. */
const DESCRIPTORS = existsSync("/proc/self/fd") ? "/proc/self/fd" : "/dev/fd";

/** Returns an open descriptor of this process for the file. */
const ownDescriptorOf = (stats: Stats): number | undefined =>
  readdirSync(DESCRIPTORS)
    .map(Number)
    .find((descriptor) => isSame(statDescriptor(descriptor), stats));

/**
 * Reads the header of a database file, as far as it exists. Uses an open descriptor of this process, if any: closing another one would release the
 * locks of SQLite.
 */
export function readHeader(path: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const own = ownDescriptorOf(statSync(path));
  const descriptor = own ?? openOwnFile(path, "read");
  try {
    return header.subarray(
      0,
      naming(path, () => readSync(descriptor, header, 0, HEADER_BYTES, 0)),
    );
  } finally {
    if (own === undefined) closeSync(descriptor);
  }
}

const isPageSize = (field: number): boolean => field === 1 || (field >= 512 && (field & (field - 1)) === 0);

/** Describes damage of a header. Source: https://sqlite.org/fileformat2.html#the_database_header */
function damageOf(header: Buffer, path: string): string | undefined {
  if (header.length < HEADER_BYTES) return `was cut off: it has ${header.length} bytes`;
  if (!header.subarray(0, MAGIC.length).equals(MAGIC))
    return "is not a database: its first bytes are damaged";
  const versions = header.readUInt16BE(VERSIONS_AT);
  // A copy made with VACUUM INTO has no log.
  const isVersion =
    versions === WITH_LOG || (versions === WITHOUT_LOG && loggedPages(`${path}-wal`).fileSize === null);
  const isSound =
    isVersion &&
    isPageSize(header.readUInt16BE(PAGE_BYTES_AT)) &&
    header.subarray(FRACTIONS_AT, FRACTIONS_AT + FRACTIONS.length).equals(FRACTIONS);
  return isSound ? undefined : "has a damaged header";
}

/** Returns the reason why SQLite must not open an existing database file, based on its length and its first bytes. Writes nothing. */
export function headerProblem(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "is missing";
  if (!stats.isFile()) return "is not a file";
  if (stats.size === 0) return "is empty";
  // The file was being created: SQLite rolls this back with its journal.
  return existsSync(`${path}-journal`) ? undefined : damageOf(readHeader(path), path);
}

/** Returns whether a file is new, or its creation was interrupted before the first commit. */
const isNew = (path: string): boolean =>
  (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0 &&
  loggedPages(`${path}-wal`).fileSize === null;

/** Opens a database for reading. On a read-only file system, SQLite cannot create the files of a missing log, so the file counts as immutable. */
function openForReading(path: string): Database {
  if (existsSync(`${path}-wal`) || !isReadOnlyFolder(dirname(path)))
    return new Database(path, { strict: true, readonly: true });
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants;
  return new Database(`${pathToFileURL(path)}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

/**
 * Checks and opens a database file. Only `create` allows a missing or empty file.
 * @throws DatabaseFileError; the error of a file that may not be written, which SQLite would open for reading without a word
 */
export function openDatabaseFile(path: string, mode: "read" | "write" | "create"): Database {
  const problem = mode === "create" && isNew(path) ? undefined : headerProblem(path);
  if (problem !== undefined) throw new DatabaseFileError(path, problem);
  if (mode === "read") return openForReading(path);
  for (const file of [path, `${path}-wal`, `${path}-shm`])
    if (existsSync(file)) accessSync(file, fileConstants.W_OK);
  return new Database(path, { strict: true, readwrite: true, create: mode === "create" });
}

/**
 * Closes a database without a checkpoint, which closing the last writable connection would trigger. Used for damaged databases and failed starts.
 */
export function closeKeepingLog(database: Database): void {
  const holder = new Database(database.filename, { strict: true, readonly: true });
  try {
    holder.run("PRAGMA schema_version"); // takes the lock of an open connection
  } catch {
    // The file is damaged, but the lock is taken anyway.
  } finally {
    database.close(false);
    holder.close(false);
  }
}

import { closeSync, fstatSync, readSync } from "node:fs";
import { openOwnFile, readOwnFile } from "../files/data-file.ts";

/** Pages in the committed transactions of a write-ahead log. */
export interface LoggedPages {
  /** Page numbers, from 1. */
  readonly pages: ReadonlySet<number>;
  /** Size of the database in pages after the last transaction; null without a transaction. */
  readonly fileSize: number | null;
  /** Number of frames up to the end of the last transaction. */
  readonly frames: number;
  /** Both salts of the log; null for an unreadable log. */
  readonly salts: Buffer | null;
}

const HEADER_BYTES = 32;
const FRAME_HEAD_BYTES = 24;
/** Magic number. Its last bit selects checksums over big-endian words. */
const MAGIC = 0x377f0682;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";

/** Header of a write-ahead log, with the length of the file. */
interface LogHeader {
  readonly salts: Buffer;
  readonly pageBytes: number;
  readonly bytes: number;
}

/**
 * Returns the header of a write-ahead log; undefined for a log that is missing or that SQLite would ignore.
 * @throws if the log cannot be read
 */
export function logHeader(path: string): LogHeader | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  let bytes = 0;
  try {
    const file = openOwnFile(path, "read");
    try {
      bytes = fstatSync(file).size;
      readSync(file, header, 0, HEADER_BYTES, 0);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  if (checksumOf(header) === undefined) return undefined;
  return { salts: header.subarray(16, 24), pageBytes: header.readUInt32BE(8), bytes };
}

/** Returns the length of a log with this number of frames. */
export const logBytesOf = (frames: number, pageBytes: number): number =>
  HEADER_BYTES + frames * (FRAME_HEAD_BYTES + pageBytes);

/** Begins the checksum of a write-ahead log; undefined if its header is damaged. */
function checksumOf(log: Buffer): Checksum | undefined {
  if (log.length < HEADER_BYTES || (log.readUInt32BE(0) & ~1) >>> 0 !== MAGIC) return undefined;
  const sum = new Checksum(log, (log.readUInt32BE(0) & 1) === 1);
  sum.add(0, 24);
  return log.readUInt32BE(8) >= 512 && sum.equals(24) ? sum : undefined;
}

/**
 * Reads a write-ahead log like the recovery of SQLite. Source: https://sqlite.org/fileformat2.html#walformat
 * @throws if an existing log cannot be read, because it is not missing
 */
export function loggedPages(path: string): LoggedPages {
  const nothing: LoggedPages = { pages: new Set(), fileSize: null, frames: 0, salts: null };
  const log = readOwnFile(path);
  if (log === undefined) return nothing;
  const sum = checksumOf(log);
  if (sum === undefined) return nothing;
  const pageBytes = log.readUInt32BE(8);
  const pages = new Set<number>();
  /** Pages of an unfinished transaction. */
  const open = new Set<number>();
  let fileSize: number | null = null;
  let frames = 0;
  for (
    let offset = HEADER_BYTES;
    offset + FRAME_HEAD_BYTES + pageBytes <= log.length;
    offset += FRAME_HEAD_BYTES + pageBytes
  ) {
    if (log.compare(log, 16, 24, offset + 8, offset + 16) !== 0) break;
    sum.add(offset, 8);
    sum.add(offset + FRAME_HEAD_BYTES, pageBytes);
    if (!sum.equals(offset + 16)) break;
    open.add(log.readUInt32BE(offset));
    const sizeAfter = log.readUInt32BE(offset + 4);
    if (sizeAfter === 0) continue;
    fileSize = sizeAfter;
    frames = (offset - HEADER_BYTES) / (FRAME_HEAD_BYTES + pageBytes) + 1;
    for (const page of open) pages.add(page);
    open.clear();
  }
  return { pages, fileSize, frames, salts: log.subarray(16, 24) };
}

/** Running checksum over pairs of words. */
class Checksum {
  readonly #log: Buffer;
  readonly #words: Uint32Array;
  #first = 0;
  #second = 0;

  constructor(log: Buffer, bigEndian: boolean) {
    this.#log = log;
    // A copy, whose offset fits words. Gateways have little-endian processors, so a log with big-endian words is rare.
    const bytes = Buffer.from(new Uint8Array(log.subarray(0, log.length & ~3)).buffer);
    if (bigEndian) bytes.swap32();
    this.#words = new Uint32Array(bytes.buffer);
  }

  add(start: number, bytes: number): void {
    const [words, end] = [this.#words, (start + bytes) >> 2];
    let [first, second] = [this.#first | 0, this.#second | 0];
    for (let index = start >> 2; index < end; index += 2) {
      first = (first + words[index]! + second) | 0;
      second = (second + words[index + 1]! + first) | 0;
    }
    [this.#first, this.#second] = [first >>> 0, second >>> 0];
  }

  /** Returns whether the checksum equals the stored one at this offset. */
  equals(offset: number): boolean {
    return (
      this.#first === this.#log.readUInt32BE(offset) && this.#second === this.#log.readUInt32BE(offset + 4)
    );
  }
}

import { readFileSync } from "node:fs";

/** Describes what the committed transactions of a write-ahead log hold. */
export interface LoggedPages {
  /** Page numbers, from 1. */
  readonly pages: ReadonlySet<number>;
  /** Size of the database in pages after the last of them; null without any. */
  readonly fileSize: number | null;
  /** Number of frames up to the end of the last of them. */
  readonly frames: number;
  /** The two salts of the log; null for one that cannot be read. */
  readonly salts: Buffer | null;
}

const headerBytes = 32;
const frameHeadBytes = 24;
/** The last bit says that checksums are over big-endian words. */
const magic = 0x377f0682;

/** Reads a write-ahead log as SQLite's recovery does. Source: https://sqlite.org/fileformat2.html#walformat. */
export function loggedPages(path: string): LoggedPages {
  const nothing: LoggedPages = { pages: new Set(), fileSize: null, frames: 0, salts: null };
  let log: Buffer;
  try {
    log = readFileSync(path);
  } catch {
    return nothing;
  }
  if (log.length < headerBytes || (log.readUInt32BE(0) & ~1) >>> 0 !== magic) return nothing;
  const sum = new Checksum(log, (log.readUInt32BE(0) & 1) === 1);
  const pageBytes = log.readUInt32BE(8);
  sum.add(0, 24);
  if (pageBytes < 512 || !sum.equals(24)) return nothing;
  const pages = new Set<number>();
  /** Pages of a transaction whose end has not been seen. */
  const open = new Set<number>();
  let fileSize: number | null = null;
  let frames = 0;
  for (
    let offset = headerBytes;
    offset + frameHeadBytes + pageBytes <= log.length;
    offset += frameHeadBytes + pageBytes
  ) {
    if (log.compare(log, 16, 24, offset + 8, offset + 16) !== 0) break;
    sum.add(offset, 8);
    sum.add(offset + frameHeadBytes, pageBytes);
    if (!sum.equals(offset + 16)) break;
    open.add(log.readUInt32BE(offset));
    const sizeAfter = log.readUInt32BE(offset + 4);
    if (sizeAfter === 0) continue;
    fileSize = sizeAfter;
    frames = (offset - headerBytes) / (frameHeadBytes + pageBytes) + 1;
    for (const page of open) pages.add(page);
    open.clear();
  }
  return { pages, fileSize, frames, salts: log.subarray(16, 24) };
}

/** The running checksum over pairs of words. */
class Checksum {
  readonly #log: Buffer;
  readonly #wordAt: (offset: number) => number;
  #first = 0;
  #second = 0;

  constructor(log: Buffer, bigEndian: boolean) {
    this.#log = log;
    this.#wordAt = bigEndian ? (offset) => log.readUInt32BE(offset) : (offset) => log.readUInt32LE(offset);
  }

  add(start: number, bytes: number): void {
    for (let offset = start; offset < start + bytes; offset += 8) {
      this.#first = (this.#first + this.#wordAt(offset) + this.#second) >>> 0;
      this.#second = (this.#second + this.#wordAt(offset + 4) + this.#first) >>> 0;
    }
  }

  /** Returns whether it is what is written at a place. */
  equals(offset: number): boolean {
    return (
      this.#first === this.#log.readUInt32BE(offset) && this.#second === this.#log.readUInt32BE(offset + 4)
    );
  }
}

import { closeSync, existsSync, ftruncateSync, openSync, readSync, statSync } from "node:fs";
import { loggedPages } from "./logged-pages.ts";

const HEADER_BYTES = 32;

/** Length of a database file that lost pages. */
export interface Shortage {
  readonly bytes: number;
  /** Bytes that it should have. */
  readonly wholeBytes: number;
}

/** The header of a database: https://sqlite.org/fileformat2.html, page size at 16 (1 means 65,536), size in pages at 28. */
function readSize(path: string): { readonly pageBytes: number; readonly pages: number } | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, "r");
  try {
    if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return undefined;
  } finally {
    closeSync(file);
  }
  if (header.toString("latin1", 0, 15) !== "SQLite format 3") return undefined;
  const field = header.readUInt16BE(16);
  return { pageBytes: field === 1 ? 65_536 : field, pages: header.readUInt32BE(28) };
}

/**
 * Tells how much of a database file was cut off. A power cut during a checkpoint leaves a short file as well, but then the write-ahead log still
 * has all of the pages, and nothing is missing.
 */
export function shortageOf(path: string): Shortage | undefined {
  // A file that was being made: SQLite takes that back by its rollback journal.
  if (existsSync(`${path}-journal`)) return undefined;
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const size = bytes < HEADER_BYTES ? undefined : readSize(path);
  if (size === undefined) return undefined;
  const { pageBytes, pages } = size;
  const whole = Math.floor(bytes / pageBytes);
  if (whole >= pages) return undefined;
  const logged = loggedPages(`${path}-wal`);
  for (let page = whole + 1; page <= (logged.fileSize ?? pages); page++)
    if (!logged.pages.has(page)) return { bytes, wholeBytes: pages * pageBytes };
  return undefined;
}

/**
 * Gives a database file that was cut off its length back, filled with zeros, and says so: SQLite refuses a file that is
 * shorter than its header says, though only what lay in the lost pages is gone.
 */
export function restoreLength(path: string): string | null {
  const shortage = shortageOf(path);
  if (shortage === undefined) return null;
  const { bytes, wholeBytes } = shortage;
  const file = openSync(path, "r+");
  try {
    ftruncateSync(file, wholeBytes);
  } finally {
    closeSync(file);
  }
  return `the file was ${wholeBytes - bytes} bytes shorter than it should be; what lay there is lost`;
}

import { existsSync, statSync, truncateSync } from "node:fs";
import { HEADER_BYTES, readHeader } from "./database-file.ts";
import { loggedPages } from "./logged-pages.ts";

/** Length of a truncated database file. */
export interface Shortage {
  readonly bytes: number;
  /** Expected bytes. */
  readonly wholeBytes: number;
}

/** Header of a database (https://sqlite.org/fileformat2.html): page size at 16 (1 means 65,536), size in pages at 28. */
function readSize(path: string): { readonly pageBytes: number; readonly pages: number } | undefined {
  const header = readHeader(path);
  if (header.length < HEADER_BYTES || header.toString("latin1", 0, 15) !== "SQLite format 3")
    return undefined;
  const field = header.readUInt16BE(16);
  return { pageBytes: field === 1 ? 65_536 : field, pages: header.readUInt32BE(28) };
}

/**
 * Returns the shortage of a truncated database file. A power cut during a checkpoint also leaves a short file, but then the write-ahead log still
 * contains all pages, and nothing is missing.
 */
export function shortageOf(path: string): Shortage | undefined {
  // The file was being created: SQLite rolls this back with its journal.
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
 * Extends a truncated database file with zeros to its full length: SQLite refuses a file shorter than the length in its header, although only the
 * data in the lost pages is gone. Returns the missing part.
 */
export function restoreLength(path: string): Shortage | undefined {
  const shortage = shortageOf(path);
  if (shortage !== undefined) truncateSync(path, shortage.wholeBytes);
  return shortage;
}

/** Describes the loss in English. */
export const describeShortage = ({ bytes, wholeBytes }: Shortage): string =>
  `the file was ${wholeBytes - bytes} bytes shorter than it should be; the data there is lost`;

import { closeSync, existsSync, ftruncateSync, openSync, readSync, statSync } from "node:fs";
import { loggedPages } from "./logged-pages.ts";

const headerBytes = 32;

/**
 * Gives a database file that was cut off its length back, filled with zeros, and says so: SQLite refuses a file that is
 * shorter than its header says, though only what lay in the lost pages is gone. A power cut during a checkpoint leaves a
 * short file as well, but then the write-ahead log still has all of the pages, and nothing is to be mended.
 */
export function restoreLength(path: string): string | null {
  // A file that was being made: SQLite takes that back by its rollback journal.
  if (existsSync(`${path}-journal`)) return null;
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size < headerBytes) return null;
  const file = openSync(path, "r+");
  try {
    const header = Buffer.alloc(headerBytes);
    readSync(file, header, 0, headerBytes, 0);
    if (header.toString("latin1", 0, 15) !== "SQLite format 3") return null;
    // https://sqlite.org/fileformat2.html: page size at 16 (1 means 65,536), size in pages at 28.
    const field = header.readUInt16BE(16);
    const pageBytes = field === 1 ? 65_536 : field;
    const pages = header.readUInt32BE(28);
    const whole = Math.floor(size / pageBytes);
    if (whole >= pages) return null;
    const logged = loggedPages(`${path}-wal`);
    let lost = 0;
    for (let page = whole + 1; page <= (logged.fileSize ?? pages); page++)
      if (!logged.pages.has(page)) lost++;
    if (lost === 0) return null;
    ftruncateSync(file, pages * pageBytes);
    return `the file was ${pages * pageBytes - size} bytes shorter than it should be; what lay there is lost`;
  } finally {
    closeSync(file);
  }
}

import { closeSync, ftruncateSync, openSync, readSync, statSync } from "node:fs";

const headerBytes = 32;

/**
 * Gives a database file that was cut off its length back, filled with zeros, and says so: SQLite refuses a file that is
 * shorter than its header says, though only what lay in the lost pages is gone.
 */
export function restoreLength(path: string): string | null {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size < headerBytes) return null;
  const file = openSync(path, "r+");
  try {
    const header = Buffer.alloc(headerBytes);
    readSync(file, header, 0, headerBytes, 0);
    if (header.toString("latin1", 0, 15) !== "SQLite format 3") return null;
    // https://sqlite.org/fileformat2.html: page size at 16 (1 means 65,536), size in pages at 28.
    const field = header.readUInt16BE(16);
    const expected = header.readUInt32BE(28) * (field === 1 ? 65_536 : field);
    if (size >= expected) return null;
    ftruncateSync(file, expected);
    return `the file was ${expected - size} bytes shorter than it should be; what lay there is lost`;
  } finally {
    closeSync(file);
  }
}

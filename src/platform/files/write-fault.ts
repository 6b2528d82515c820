import { accessSync, constants, rmSync } from "node:fs";
import { writeNewFile } from "./data-file.ts";
import { type StorageFault, storageCodeOf, storageFaultOf } from "./storage-fault.ts";

/** About what one transaction writes. */
const TRIED_BYTES = 64 * 1024;

/**
 * Tries to write a file of this name. SQLite reports an exhausted quota, for example, as a failed write and hides the reason. Returns why nothing
 * can be written; undefined if it can.
 */
function whyUnwritable(path: string): StorageFault | undefined {
  try {
    writeNewFile(path, new Uint8Array(TRIED_BYTES), { flush: true });
    return undefined;
  } catch (error) {
    const fault = storageFaultOf(error);
    return fault === "unreadable" ? "failed" : fault;
  } finally {
    try {
      rmSync(path, { force: true });
    } catch {
      // A file system that refuses writes has no such file.
    }
  }
}

/** Like `storageFaultOf` for a failed write: finds out the reason that SQLite hides, by a file of the name `path`. */
export function writeFaultOf(error: unknown, path: string): StorageFault | undefined {
  const fault = storageFaultOf(error);
  return fault === "failed" && /^SQLITE_IOERR(?:_WRITE|_TRUNCATE)?$/.test(storageCodeOf(error))
    ? (whyUnwritable(path) ?? fault)
    : fault;
}

/** Returns whether a folder is on a read-only file system. */
export function isReadOnlyFolder(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return storageFaultOf(error) === "readOnly";
  }
}

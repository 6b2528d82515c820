import { SQLiteError } from "bun:sqlite";
import { isDamage } from "../database/database-check.ts";
import { type StorageFault, storageFaultOf } from "../files/storage-fault.ts";

/** Descriptions, with a remedy, by error code of the operating system. */
const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full. Free some space, then try again.",
  EDQUOT: "The disk quota is used up. Free some space, then try again.",
  EROFS: "The disk is read-only. Check its file system, then mount it writable.",
  EACCES: "Access was denied. Check the owner and the permissions.",
  EPERM: "Access was denied. Check the owner and the permissions.",
  EBADMSG: "The file system is damaged. Check it, for example with fsck.",
  EUCLEAN: "The file system is damaged. Check it, for example with fsck.",
  ENOMEM: "Memory is used up. Stop other programs, or give this one more.",
  EISDIR: "A folder stands where a file is expected. Move it away.",
  EEXIST: "A file or link with that name already exists. Move it away.",
  EIO: "The disk failed. Check the system log for disk errors.",
  ELOOP: "Links lead to each other. Move them away.",
  ENOENT: "A file or folder does not exist. Check the path.",
  ENOTDIR: "A file stands where a folder is expected. Check the path.",
  EADDRINUSE: "Another program uses this port. Stop it, or choose another port.",
  EMFILE: "Too many files are open. Raise the limit (LimitNOFILE of the service, or ulimit -n).",
  ENFILE: "Too many files are open on this machine. Raise fs.file-max.",
};

/** Descriptions, with a remedy, of errors of SQLite. */
const SQLITE_ERRORS: Readonly<Partial<Record<StorageFault, string | undefined>>> = {
  full: SYSTEM_ERRORS.ENOSPC,
  readOnly: SYSTEM_ERRORS.EROFS,
  denied:
    "A database or a file that belongs to it (-wal, -shm) cannot be opened. Check owner, permissions and links in the data directory.",
};

function describeSqliteError(error: SQLiteError): string | undefined {
  if (isDamage(error))
    return `A database is damaged (${error.message}). To find out which, run: lineside check`;
  const fault = storageFaultOf(error);
  if (fault === "failed" || fault === "unreadable")
    return `The disk failed (${error.message}). Check the system log for disk errors.`;
  return fault && SQLITE_ERRORS[fault];
}

/** Describes an error of the operating system, with its path, or of SQLite; undefined for other errors. */
export function describeSystemError(error: unknown): string | undefined {
  if (error instanceof SQLiteError) return describeSqliteError(error);
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  const advice = SYSTEM_ERRORS[error.code];
  const path = "path" in error && typeof error.path === "string" ? ` (${error.path})` : "";
  return advice?.replace(".", `${path}.`);
}

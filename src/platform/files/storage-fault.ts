/**
 * Meaning of an error of the file system or of SQLite.
 * - full: no space or quota; nothing is damaged, and space helps.
 * - readOnly, denied: nothing was changed; mounting, owner or permissions help.
 * - busy: a lock, memory or descriptors; it passes.
 * - unreadable: damage, or a disk that cannot read a part of a file. When writing, it means `failed`.
 * - failed: a write or sync failed, and its reason is unknown.
 */
export type StorageFault = "full" | "readOnly" | "denied" | "busy" | "unreadable" | "failed";

/** The first match applies. Codes of SQLite may be extended codes. */
const FAULTS: ReadonlyArray<readonly [StorageFault, RegExp]> = [
  // Without the space for its index (SHMSIZE), SQLite cannot use a log.
  ["full", /^(?:ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)$/],
  ["readOnly", /^(?:EROFS|SQLITE_READONLY)/],
  ["denied", /^(?:EACCES|EPERM|SQLITE_CANTOPEN|SQLITE_PERM)/],
  ["busy", /^(?:EMFILE|ENFILE|ENOMEM|EAGAIN|EBUSY|EINTR|SQLITE_BUSY|SQLITE_LOCKED|SQLITE_(?:IOERR_)?NOMEM)/],
  ["unreadable", /^(?:EIO|EBADMSG|EUCLEAN|SQLITE_CORRUPT.*|SQLITE_NOTADB|SQLITE_IOERR_(?:SHORT_)?READ)$/],
  ["failed", /^SQLITE_IOERR/],
];

/** Returns the code of an error, or of its cause. */
export function storageCodeOf(error: unknown): string {
  const { code, cause } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (typeof code === "string" && FAULTS.some(([, codes]) => codes.test(code))) return code;
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

/** Returns the meaning of an error, or of its cause, for stored data; undefined for errors of other kinds. */
export function storageFaultOf(error: unknown): StorageFault | undefined {
  const code = storageCodeOf(error);
  return FAULTS.find(([, codes]) => codes.test(code))?.[0];
}

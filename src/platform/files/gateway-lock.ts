import { existsSync, readdirSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, join } from "node:path";
import { readGatewayPid } from "../network/gateway-address.ts";
import { type FileLock, takeFileLock } from "./file-lock.ts";
import { DATABASE_FILES } from "./inventory.ts";
import { readRecord } from "./inventory-record.ts";
import { targetOf } from "./misplaced-files.ts";

const LOCK_FILE = "lineside.lock";
/** Suffix of the name of a deleted file in `/proc`. */
const DELETED = " (deleted)";

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return []; // a system without /proc, a process that has ended, or one of another user
  }
};

/**
 * Returns ids of the files with certain names that a process has open; empty without `/proc` or for a process of another user. Other files are not
 * looked at, because a file on a dead share would block. Paths do not count: a mount may show the directory under several.
 */
const openFilesOf = (pid: number, names: readonly string[]): string[] =>
  namesIn(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      const link = `/proc/${pid}/fd/${descriptor}`;
      return names.includes(basename(readlinkSync(link))) ? [idOf(statSync(link))] : [];
    } catch {
      return []; // it was closed meanwhile
    }
  });

const idOf = ({ dev, ino, birthtimeMs }: Stats): string => [dev, ino, birthtimeMs].join(" ");

const idAt = (path: string): string | undefined => {
  const stats = targetOf(path);
  return stats && idOf(stats);
};

/** Returns an id of the lock file of a data directory. A file that replaces a deleted one has another id. */
export const lockIdOf = (dataPath: string): string | undefined => idAt(join(dataPath, LOCK_FILE));

/** Returns whether a process has the deleted lock file of the directory open. Only the last gateway has noted the id of its file. */
function hasDeletedLock(pid: number, directory: string, noted: string | undefined): boolean {
  const deleted = LOCK_FILE + DELETED;
  if (noted !== undefined && openFilesOf(pid, [deleted]).includes(noted)) return true;
  return namesIn(`/proc/${pid}/fd`).some((descriptor) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${descriptor}`) === join(directory, deleted);
    } catch {
      return false;
    }
  });
}

/** Returns whether a process has a database of the directory open. */
function hasDatabaseOf(dataPath: string, pid: number): boolean {
  const own = DATABASE_FILES.map((name) => idAt(join(dataPath, name)));
  return openFilesOf(pid, DATABASE_FILES).some((id) => own.includes(id));
}

/**
 * Returns whether another process holds the directory although the lock is free, because the lock file was deleted or moved: the process in
 * `gateway.json` has a database of the directory open, or any process has the deleted lock file open. All processes are searched only if the lock
 * file differs from the one of the last gateway.
 */
function isHeldWithoutLock(dataPath: string): boolean {
  const gateway = readGatewayPid(dataPath);
  if (gateway !== undefined && gateway !== process.pid && hasDatabaseOf(dataPath, gateway)) return true;
  const noted = readRecord(dataPath)?.lock;
  if (noted === lockIdOf(dataPath)) return false;
  const directory = realpathSync(dataPath);
  return namesIn("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .some((pid) => hasDeletedLock(pid, directory, noted));
}

/**
 * Takes the lock of a data directory, for a gateway or for a command that needs it stopped. Returns undefined while a gateway uses the directory,
 * even if its lock file was deleted: two gateways would overwrite values of each other. @throws if the file cannot be written
 */
export function takeGatewayLock(dataPath: string): FileLock | undefined {
  const lock = takeFileLock(join(dataPath, LOCK_FILE));
  if (lock === undefined || !isHeldWithoutLock(dataPath)) return lock;
  lock.release();
  return undefined;
}

/** Returns whether a gateway runs on another directory whose data is a copy of this one's, or the other way round. */
export function runsCopyOf(dataPath: string, other: string): boolean {
  const lock = lockIdOf(other);
  if (realpathSync(dataPath) === other || (lock !== undefined && lock === lockIdOf(dataPath))) return false; // the same one, mounted twice
  const pid = readGatewayPid(other);
  if (pid === undefined || !existsSync(`/proc/${pid}`)) return false;
  // After a crash, the number may belong to another program. Files of other users' processes are unknown.
  if (namesIn(`/proc/${pid}/fd`).length > 0 && !hasDatabaseOf(other, pid)) return false;
  const gateway = readRecord(dataPath)?.gateway;
  return gateway !== undefined && readRecord(other)?.gateway === gateway;
}

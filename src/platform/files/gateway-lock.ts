import { readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { readGatewayPid } from "../network/gateway-address.ts";
import { type FileLock, takeFileLock } from "./file-lock.ts";
import { readRecord } from "./inventory-record.ts";

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

/** Returns the paths of the files that a process has open; empty without `/proc` or for a process of another user. */
const openFilesOf = (pid: number): string[] =>
  namesIn(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${descriptor}`)];
    } catch {
      return []; // it was closed meanwhile
    }
  });

/** Returns an id of the lock file of a data directory. A file that replaces a deleted one has another id. */
export function lockIdOf(dataPath: string): string | undefined {
  const stats = statSync(join(dataPath, LOCK_FILE), { throwIfNoEntry: false });
  return stats && [stats.dev, stats.ino, stats.birthtimeMs].join(" ");
}

/**
 * Returns whether another process holds the directory although the lock is free, because the lock file was deleted or moved: the process in
 * `gateway.json` has a file of the directory open, or any process has the deleted lock file open. All processes are searched only if the lock file
 * differs from the one of the last gateway.
 */
function isHeldWithoutLock(dataPath: string): boolean {
  const directory = realpathSync(dataPath);
  const gateway = readGatewayPid(dataPath);
  const isGateways = (file: string) => file.startsWith(`${directory}/`);
  if (gateway !== undefined && gateway !== process.pid && openFilesOf(gateway).some(isGateways)) return true;
  if (readRecord(dataPath)?.lock === lockIdOf(dataPath)) return false;
  const deleted = join(directory, LOCK_FILE) + DELETED;
  return namesIn("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .some((pid) => openFilesOf(pid).includes(deleted));
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

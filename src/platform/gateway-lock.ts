import { readdirSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { type FileLock, takeFileLock } from "./file-lock.ts";
import { readGatewayPid } from "./gateway-address.ts";

/** Returns whether a process has a file of the directory open. On systems without `/proc`, and for the process of another user, it is `false`. */
function hasOpenFile(pid: number, directory: string): boolean {
  const descriptors = `/proc/${pid}/fd`;
  try {
    const inside = `${realpathSync(directory)}/`;
    return readdirSync(descriptors).some((name) => {
      try {
        return readlinkSync(join(descriptors, name)).startsWith(inside);
      } catch {
        return false; // it was closed meanwhile
      }
    });
  } catch {
    return false;
  }
}

/**
 * Takes the lock of a data directory, for a gateway or for a command that needs it stopped. Returns `undefined` while a gateway runs on it, even if
 * somebody has deleted the lock file: two gateways would overwrite each other's values. @throws if the file cannot be written
 */
export function takeGatewayLock(dataPath: string): FileLock | undefined {
  const lock = takeFileLock(join(dataPath, "lineside.lock"));
  const pid = lock && readGatewayPid(dataPath);
  if (pid === undefined || pid === process.pid || !hasOpenFile(pid, dataPath)) return lock;
  lock?.release();
  return undefined;
}

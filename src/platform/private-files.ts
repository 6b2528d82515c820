import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { SET_ASIDE_FOLDER } from "./set-aside.ts";

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS = 0o077;
/** Files of the gateway, recognized by their names: a data directory may hold other files, too. */
const OWN_FILE =
  /^(?:(?:lineside|identity|telemetry|mqtt|backup)\.(?:db|lock)(?:-[a-z]+\d*|\.before-\d+)?|ballast|clock|inventory\.json)$/;
const OWN_DIRECTORIES: ReadonlySet<string> = new Set(["secrets", "update", SET_ASIDE_FOLDER]);

function restrict(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & OTHERS) === 0) return;
  if (stats.isDirectory()) chmodSync(path, DIRECTORY_MODE);
  else if (stats.isFile()) chmodSync(path, FILE_MODE); // a link leads to what somebody else decides on
}

/**
 * Takes from everybody but the owner what an older version, a copy or a restored backup let them read. Returns the paths that it could
 * not change, which belong to another user.
 */
export function restrictAccess(directory: string): string[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  const below = entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory() && OWN_DIRECTORIES.has(entry.name))
      return [path, ...readdirSync(path).map((name) => join(path, name))];
    return OWN_FILE.test(entry.name) ? [path] : [];
  });
  return [directory, ...below].filter((path) => {
    try {
      restrict(path);
      return false;
    } catch {
      return true;
    }
  });
}

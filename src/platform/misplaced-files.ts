import { lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { StartupError } from "./startup-error.ts";

/** Files of a data directory that the gateway writes in place. */
const OWN_FILE = /^(?:(?:lineside|identity|telemetry|mqtt)\.db(?:-.*)?|clock)$/;

/** Describes, in English, a broken link or folder in place of a file of the data directory; undefined if there is none. */
export function misplacedFile(dataPath: string): string | undefined {
  for (const name of readdirSync(dataPath).filter((entry) => OWN_FILE.test(entry))) {
    const path = join(dataPath, name);
    const target = statSync(path, { throwIfNoEntry: false });
    if (target?.isDirectory()) return `${path} is a folder, but a file belongs there`;
    if (target === undefined && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      return `${path} is a broken link to ${readlinkSync(path)}`;
  }
  return undefined;
}

/** @throws StartupError that names a broken link or folder in place of a file */
export function ensureNoMisplacedFile(dataPath: string): void {
  const problem = misplacedFile(dataPath);
  if (problem !== undefined)
    throw new StartupError(`${problem}. Put back the file, or move what is there away, then start again.`);
}

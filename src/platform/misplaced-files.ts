import { lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { StartupError } from "./startup-error.ts";

/** Files of a data directory that the gateway writes in place. */
const OWN_FILE = /^(?:(?:lineside|identity|telemetry|mqtt)\.db(?:-.*)?|clock|gateway\.json)$/;

/** Describes, in English, each broken link and folder in place of a file of the data directory. */
export function misplacedFiles(dataPath: string): string[] {
  return readdirSync(dataPath)
    .filter((entry) => OWN_FILE.test(entry))
    .flatMap((name) => {
      const path = join(dataPath, name);
      const target = statSync(path, { throwIfNoEntry: false });
      if (target?.isDirectory()) return [`${path} is a folder, but a file belongs there`];
      if (target === undefined && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
        return [`${path} is a broken link to ${readlinkSync(path)}`];
      return [];
    });
}

/** @throws StartupError that names the first broken link or folder in place of a file */
export function ensureNoMisplacedFile(dataPath: string): void {
  const [problem] = misplacedFiles(dataPath);
  if (problem !== undefined)
    throw new StartupError(`${problem}. Put back the file, or move what is there away, then start again.`);
}

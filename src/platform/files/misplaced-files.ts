import { lstatSync, readdirSync, readlinkSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { StartupError } from "../process/startup-error.ts";

/** Files and keys of a data directory. */
const OWN_FILE =
  /^(?:(?:lineside|identity|telemetry|mqtt)\.db(?:-.*)?|(?:lineside|backup)\.lock|ballast|clock|(?:gateway|inventory)\.json|secrets\/.*\.key(?:\.next)?)$/;

/** Returns the stats of a path or of the target of its link; undefined if there is none, or for circular links. */
export function targetOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ELOOP") return undefined;
    throw error;
  }
}

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

const namesIn = (folder: string): string[] => (targetOf(folder)?.isDirectory() ? readdirSync(folder) : []);

/** Describes, in English, a broken link, folder, pipe or device in the place of a file. */
function misplacementOf(path: string): string | undefined {
  const target = targetOf(path);
  if (target?.isDirectory()) return `${path} is a folder, but a file belongs there`;
  if (target?.isFile() === false) return `${path} is a pipe or device, but a file belongs there`;
  if (target === undefined && isLink(path)) return `${path} is a broken link to ${readlinkSync(path)}`;
  return undefined;
}

/** Returns the target of a link. The operator may link keys, which are only read; through other links, the gateway would write elsewhere. */
const linkOf = (path: string): string | undefined =>
  isLink(path) ? `${path} is a link to ${readlinkSync(path)}, but a file belongs there` : undefined;

/**
 * Describes, in English, each link, folder, pipe and device in the place of a file of the data directory, and anything but a folder in the place of
 * its keys folder. Keys can be links to files.
 */
export function misplacedFiles(dataPath: string): string[] {
  const secrets = join(dataPath, "secrets");
  const target = targetOf(secrets);
  const isFolder = target === undefined ? !isLink(secrets) : target.isDirectory();
  const files = [...namesIn(dataPath), ...namesIn(secrets).map((name) => `secrets/${name}`)]
    .filter((entry) => OWN_FILE.test(entry))
    .flatMap((name) => {
      const path = join(dataPath, name);
      return misplacementOf(path) ?? (name.startsWith("secrets/") ? undefined : linkOf(path)) ?? [];
    });
  return isFolder ? files : [`${secrets} is not a folder`, ...files];
}

/** @throws StartupError that names the first link, folder, pipe or device in the place of a file */
export function ensureNoMisplacedFile(dataPath: string): void {
  const [problem] = misplacedFiles(dataPath);
  if (problem !== undefined)
    throw new StartupError(`${problem}. Put back the file, or move what is there away, then try again.`);
}

/** @throws StartupError for anything but a file in the place of a file without data, including a link, because SQLite would lock its target */
export function ensureOwnFile(path: string): void {
  const problem = isLink(path) ? `${path} is a link, but a file belongs there` : misplacementOf(path);
  if (problem !== undefined) throw new StartupError(`${problem}. Move it away, then try again.`);
}

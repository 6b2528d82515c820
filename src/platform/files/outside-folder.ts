import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { invalid } from "../../lib/core/domain-error.ts";

/** Resolves all links in a path. Parts that do not exist yet are appended to the resolved folder. */
function whereItLeads(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(whereItLeads(parent), basename(path));
}

const isWithin = (path: string, folder: string): boolean => {
  const rest = relative(folder, path);
  return rest === "" || (rest !== ".." && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));
};

/** Works like `isOutside` by the names of the paths alone, without asking a disk that may be silent. */
export function isNamedOutside(path: string, dataPath: string): boolean {
  const [target, data] = [resolve(path), resolve(dataPath)];
  return isAbsolute(path) && !isWithin(target, data) && !isWithin(data, target);
}

/** Returns whether a path is absolute and, after resolving links, neither inside the data directory nor a folder that contains it. */
export function isOutside(path: string, dataPath: string): boolean {
  if (!isAbsolute(path)) return false;
  const [target, data] = [whereItLeads(path), whereItLeads(dataPath)];
  return !isWithin(target, data) && !isWithin(data, target);
}

/** @throws DomainError `invalid` for a folder of backups or uplinks that is not outside */
export function ensureOutside(path: string, dataPath: string): void {
  if (!isOutside(path, dataPath)) throw invalid("backup.folder_invalid");
}

import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";

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

/** Returns whether a path is absolute and, after resolving links, neither inside the data directory nor a folder that contains it. */
export function isOutside(path: string, dataPath: string): boolean {
  if (!isAbsolute(path)) return false;
  const [target, data] = [whereItLeads(path), whereItLeads(dataPath)];
  return !isWithin(target, data) && !isWithin(data, target);
}

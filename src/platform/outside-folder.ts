import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";

/** Returns where a path leads, through every link; of what does not exist yet, the name below the folder that exists. */
function whereItLeads(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(whereItLeads(parent), basename(path));
}

const isWithin = (path: string, folder: string): boolean => {
  const rest = relative(folder, path);
  return rest === "" || (rest !== ".." && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));
};

/** Tells whether a path is absolute and leads outside the data directory, also by way of links, and is no folder around it. */
export function isOutside(path: string, dataPath: string): boolean {
  if (!isAbsolute(path)) return false;
  const [target, data] = [whereItLeads(path), whereItLeads(dataPath)];
  return !isWithin(target, data) && !isWithin(data, target);
}

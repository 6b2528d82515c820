import { isAbsolute, relative } from "node:path";

/** Tells whether a path is absolute and leads outside the data directory. */
export function isOutside(path: string, dataPath: string): boolean {
  const within = relative(dataPath, path);
  return isAbsolute(path) && within !== "" && (within.startsWith("..") || isAbsolute(within));
}

import { copyFileSync, existsSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncPath } from "./durable-file.ts";
import { createPrivateFolder } from "./file-owner.ts";

/** Folder of a data directory for unusable files. The gateway neither reads nor deletes them. */
export const SET_ASIDE_FOLDER = "set-aside";

/** Keeps a copy of a file that is about to be changed, if it exists and there is room. */
export function copyAside(path: string): void {
  if (!existsSync(path)) return;
  const folder = join(dirname(path), SET_ASIDE_FOLDER);
  try {
    createPrivateFolder(folder);
    copyFileSync(path, join(folder, freeName(folder, basename(path))));
    syncPath(folder);
  } catch {
    // The disk may be full: what can be read of the file still counts.
  }
}

function freeName(folder: string, name: string): string {
  let number = 1;
  while (existsSync(join(folder, `${name}.${number}`))) number++;
  return `${name}.${number}`;
}

/** Moves a file of a data directory aside, with a number appended to its name. Returns its new path within the data directory. */
export function setAside(path: string, dataPath: string = dirname(path)): string {
  const folder = join(dataPath, SET_ASIDE_FOLDER);
  createPrivateFolder(folder);
  const name = freeName(folder, basename(path));
  renameSync(path, join(folder, name));
  syncPath(folder);
  syncPath(dataPath);
  return join(SET_ASIDE_FOLDER, name);
}

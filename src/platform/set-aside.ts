import { existsSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncPath } from "./durable-file.ts";
import { createPrivateFolder } from "./file-owner.ts";

/** Folder of a data directory for unusable files. The gateway neither reads nor deletes them. */
export const SET_ASIDE_FOLDER = "set-aside";

/** Moves a file of a data directory aside, with a number after its name. Returns its new path within the data directory. */
export function setAside(path: string, dataPath: string = dirname(path)): string {
  const folder = join(dataPath, SET_ASIDE_FOLDER);
  createPrivateFolder(folder);
  let number = 1;
  while (existsSync(join(folder, `${basename(path)}.${number}`))) number++;
  const name = `${basename(path)}.${number}`;
  renameSync(path, join(folder, name));
  syncPath(folder);
  syncPath(dataPath);
  return join(SET_ASIDE_FOLDER, name);
}

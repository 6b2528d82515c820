import { constants, type Dirent } from "node:fs";
import { open, opendir } from "node:fs/promises";
import { join } from "node:path";
import { folderUnreadable, tooMany } from "./codec-index.errors.ts";
import type { CollectedFiles } from "./collected-files.ts";
import { indexLimits } from "./index-limits.ts";

const { archiveEntriesMax, folderDepthMax } = indexLimits;
const READ_ORDINARY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Folders that hold no codecs, but many files. */
const PASSED_OVER = new Set([".git", "node_modules"]);

/** Collects the files of a folder. Symbolic links are not followed, as they may lead out of it. */
export async function collectFolder(root: string, files: CollectedFiles): Promise<void> {
  try {
    for await (const path of pathsOf(root))
      if (files.bytesMax(path) > 0) await collectFile(root, path, files);
  } catch (error) {
    const isOfSystem = error instanceof Error && "syscall" in error;
    throw isOfSystem ? folderUnreadable(root) : error;
  }
}

/** Lists the ordinary files below a folder. */
async function* pathsOf(root: string): AsyncGenerator<string> {
  let entries = 0;
  /** Paths of folders that are still to be visited. */
  const waiting = [""];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop())
    for await (const entry of await opendir(join(root, folder))) {
      if (++entries > archiveEntriesMax) throw tooMany(archiveEntriesMax);
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (isVisited(entry, path)) waiting.push(path);
      else if (entry.isFile()) yield path;
    }
}

const isVisited = (entry: Dirent, path: string): boolean =>
  entry.isDirectory() && !PASSED_OVER.has(entry.name) && path.split("/").length <= folderDepthMax;

async function collectFile(root: string, path: string, files: CollectedFiles): Promise<void> {
  const file = await open(join(root, path), READ_ORDINARY).catch(() => undefined);
  if (file === undefined) return files.skip();
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > files.bytesMax(path)) files.skip();
    else files.add(path, await file.readFile());
  } finally {
    await file.close();
  }
}

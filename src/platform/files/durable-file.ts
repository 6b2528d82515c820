import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { writeNewFile } from "./own-file.ts";

/** Suffix of unfinished files. */
export const UNFINISHED = ".new";

/** Syncs the content of a file, or the names in a folder, to disk. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a whole file: its name refers to either all of the content or the previous content. `prepare` gets the path of the unfinished file. */
export function writeDurably(
  path: string,
  bytes: Uint8Array,
  { mode, prepare }: { mode: number; prepare?: (unfinished: string) => void },
): void {
  const unfinished = path + UNFINISHED;
  try {
    writeNewFile(unfinished, bytes, { mode, flush: true });
    prepare?.(unfinished);
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true }); // otherwise it would take up space on a full disk
    throw error;
  }
  syncPath(dirname(path));
}
